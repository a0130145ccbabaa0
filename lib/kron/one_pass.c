// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker operator in one pass over both matrices:
// cl/kron/one_pass.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/kron.h"
#include "lib/kron/operator.h"
#include "lib/kron/pairs.h"
#include "lib/matrix/bsr.h"

#include <limits.h>

// One pass over each matrix, or a single pass over both (`paired`).
struct one_pass {
    int terms; // number of passes
    lcl_kernel *kernel[2];
    int64_t *row_ptr; // of the union, on the host; NULL: the host has no values
    int64_t groups;
};

enum {
    WAVES = 4,      // per group
    MMA_GROUPS = 6, // per compute unit, limited by registers
};

// Pairing is worthwhile if few blocks of the union are missing from either
// matrix: it stores zeros for these.
static bool is_worth_pairing(const struct lcl_kron *K, int64_t blocks)
{
    return 20 * blocks <= 11 * (K->M->nnz + K->L->nnz);
}

// ------------------------------------------------------------------- kernels

// How the lanes of a wave share a block row.
struct sharing {
    int stages; // per lane
    int lanes;  // per block row
};

static bool is_power_of_two(int v)
{
    return (v & (v - 1)) == 0;
}

// Cost of a sharing: number of values that the lanes read from a block and from
// x. Each lane along the stages reads the block, each lane along the rows reads
// x. Too many sums per lane dominate the cost, since their registers reduce the
// number of waves.
static int cost_of(int stages, int b, int row_lanes, int stage_lanes)
{
    const int enough = stages > 4 ? 2 * stages : 8;
    const int sums = 2 * (b / row_lanes) * (stages / stage_lanes);
    const int read = 2 * b * stage_lanes + stages * row_lanes;
    return read + (sums > enough ? 1024 * sums : 0);
}

static struct sharing share_row(int stages, int b, const struct lcl_caps *caps)
{
    const bool shuffles = caps->exchange != LCL_EXCHANGE_LOCAL;
    struct sharing best = {.lanes = 0};
    int least = INT_MAX;
    for (int row_lanes = 1; row_lanes <= b; ++row_lanes)
        for (int stage_lanes = 1; stage_lanes <= stages; ++stage_lanes) {
            const int lanes = b * row_lanes * stage_lanes;
            const int cost = cost_of(stages, b, row_lanes, stage_lanes);
            const bool fits =
                b % row_lanes == 0 && stages % stage_lanes == 0 &&
                lanes <= caps->width &&
                (stage_lanes == 1 || (shuffles && is_power_of_two(lanes)));
            if (fits && cost < least) {
                least = cost;
                best = (struct sharing){stages / stage_lanes, lanes};
            }
        }
    return best;
}

static enum lcl_status get_lanes_kernel(const struct lcl_kron_operator *T,
                                        lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct one_pass *P = T->method;
    struct lcl_spec spec = {
        .source = "one_pass.cl",
        .kernel = "one_pass",
        .block = T->block,
        .group = lcl_wave_group(caps, WAVES),
        .defines = {{"STAGES", T->stages}, {"ONE_TERM", !T->paired}},
    };
    enum lcl_status st = LCL_OK;
    P->groups = lcl_vector_groups(caps);
    if (caps->width > 1) {
        const struct sharing share = share_row(T->stages, T->block, caps);
        const int64_t rows =
            spec.group / caps->width * (caps->width / share.lanes);
        lcl_spec_set(&spec, "STAGES_PER_LANE", share.stages);
        lcl_spec_set(&spec, "LANES_PER_ROW", share.lanes);
        P->groups = (T->term[0].block_rows + rows - 1) / rows;
    }
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        spec.wide = T->term[t].wide;
        st = lcl_kernel_get(&P->kernel[t], ctx, &spec);
    }
    return st;
}

// The matrix instruction is worthwhile if the stages fill most of its columns.
static bool is_for_mma(const struct lcl_kron_operator *T,
                       const struct lcl_caps *caps)
{
    return T->paired && caps->exchange == LCL_EXCHANGE_NV_PTX && T->block > 2 &&
           T->block <= 4 && T->stages > 4;
}

// Older devices cannot build this kernel, which is not an error.
static enum lcl_status get_mma_kernel(const struct lcl_kron_operator *T,
                                      lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct one_pass *P = T->method;
    const struct lcl_spec spec = {
        .source = "one_pass_mma.cl",
        .kernel = "one_pass_mma",
        .block = T->block,
        .defines = {{"STAGES", T->stages}},
        .group = lcl_wave_group(caps, WAVES),
        .wide = T->term[0].wide,
    };
    const enum lcl_log_level level =
        lcl_context_set_log_level(ctx, LCL_LOG_NONE);
    const enum lcl_status st = lcl_kernel_get(&P->kernel[0], ctx, &spec);
    lcl_context_set_log_level(ctx, level);
    P->groups = (int64_t)MMA_GROUPS * caps->compute_units;
    return st;
}

static enum lcl_status get_kernel(const struct lcl_kron_operator *T,
                                  lcl_context *ctx)
{
    enum lcl_status st = LCL_EBUILD;
    if (is_for_mma(T, lcl_context_caps(ctx)))
        st = get_mma_kernel(T, ctx);
    return st == LCL_EBUILD ? get_lanes_kernel(T, ctx) : st;
}

// ------------------------------------------------------------------- creation

static enum lcl_status upload_union(struct lcl_kron_operator *T,
                                    lcl_context *ctx, const struct lcl_kron *K,
                                    int64_t blocks)
{
    struct one_pass *P = T->method;
    struct lcl_bsr both;
    enum lcl_status st =
        lcl_pairs_pattern(&both, K->M, K->L, blocks, lcl_context_log(ctx));
    if (st < 0)
        return st;
    if ((st = lcl_device_pattern_init(&T->term[0], ctx, &both)) == LCL_OK)
        st = lcl_buffer_create(&T->term[0].val, ctx,
                               2 * both.nnz * lcl_block_values(&both),
                               sizeof(double), "values");
    P->row_ptr = both.row_ptr;
    both.row_ptr = NULL;
    lcl_bsr_finish(&both);
    return st;
}

static enum lcl_status begin(struct lcl_kron_operator *T, lcl_context *ctx)
{
    if (!T->method)
        T->method = lcl_calloc(1, sizeof(struct one_pass));
    return T->method ? LCL_OK
                     : lcl_fail_memory(lcl_context_log(ctx), "a product");
}

static enum lcl_status upload(lcl_operator *A, const struct lcl_kron *K)
{
    struct lcl_kron_operator *T = A->state;
    lcl_context *ctx = A->range.ctx;
    enum lcl_status st = begin(T, ctx);
    if (st < 0)
        return st;
    const int64_t blocks = lcl_pairs_count(K->M, K->L);
    T->paired = is_worth_pairing(K, blocks);
    if (T->paired)
        return upload_union(T, ctx, K, blocks);
    st = lcl_device_matrix_init(&T->term[0], ctx, K->M);
    return st < 0 ? st : lcl_device_matrix_init(&T->term[1], ctx, K->L);
}

static enum lcl_status complete(lcl_operator *A)
{
    struct lcl_kron_operator *T = A->state;
    lcl_context *ctx = A->range.ctx;
    const enum lcl_status st = begin(T, ctx);
    struct one_pass *P = T->method;
    if (st < 0)
        return st;
    A->launches = P->terms = T->paired ? 1 : 2;
    A->info.bytes = A->info.traffic = lcl_device_matrix_bytes(&T->term[0]) +
                                      lcl_device_matrix_bytes(&T->term[1]);
    return get_kernel(T, ctx);
}

static void destroy(void *method)
{
    struct one_pass *P = method;
    if (!P)
        return;
    lcl_free(P->row_ptr);
    lcl_free(P);
}

// ------------------------------------------------------------------- values

static enum lcl_status write_pairs(const struct lcl_kron_operator *T,
                                   const struct lcl_kron *K)
{
    const struct one_pass *P = T->method;
    struct lcl_pairs pairs = {K->M, K->L, P->row_ptr};
    return lcl_buffer_fill_by(T->term[0].val, lcl_pairs_size(K->M),
                              lcl_pairs_fill, &pairs);
}

static enum lcl_status write_values(const struct lcl_device_matrix *D,
                                    const struct lcl_bsr *A)
{
    return lcl_buffer_write(D->val, A->val, lcl_buffer_bytes(D->val));
}

static enum lcl_status update(lcl_operator *A, const struct lcl_kron *K)
{
    const struct lcl_kron_operator *T = A->state;
    if (T->paired)
        return write_pairs(T, K);
    const enum lcl_status st = write_values(&T->term[0], K->M);
    return st < 0 ? st : write_values(&T->term[1], K->L);
}

// ------------------------------------------------------------------- product

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_kron_operator *T = A->state;
    const struct one_pass *P = T->method;
    enum lcl_status st = LCL_OK;
    (void)mode;
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        const struct lcl_device_matrix *D = &T->term[t];
        st = LCL_LAUNCH(P->kernel[t], P->groups, lcl_arg_long(D->block_rows),
                        lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                        lcl_arg_buffer(D->val), lcl_arg_buffer(T->coef),
                        lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                        lcl_arg_int(t), lcl_arg_buffer(v->stop),
                        lcl_arg_int(v->at));
    }
    return st;
}

const struct lcl_kron_ops lcl_kron_one_pass = {
    .op = LCL_KRON_OPERATOR(apply),
    .upload = upload,
    .complete = complete,
    .update = update,
    .destroy = destroy,
    .stages_innermost = true,
};
