// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker operator in one pass over both matrices:
// cl/operator/one_pass.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/operator/kron.h"
#include "lib/operator/kron_pairs.h"
#include "lib/operator/product_sums.h"

#include <limits.h>

// One pass over each matrix, or a single pass over both (`paired`).
struct one_pass {
    bool paired;
    int terms; // number of passes
    lcl_kernel *kernel[2], *sums;
    struct lcl_device_matrix term[2];
    int64_t *row_ptr; // of the union, on the host; NULL unless paired
    lcl_buffer *coef;
    int64_t groups;
};

enum {
    WAVES = 4,      // per group
    MMA_GROUPS = 6, // per compute unit: as many as its registers allow
};

// The union of both patterns stores zeros for blocks missing from either.
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

// Cost of a sharing: what lanes read of a block and of x. Values are read once
// per lane along the stages, x once per lane along the rows. Sums beyond the
// number that leaves registers for many waves dominate the cost.
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

static enum lcl_status get_lanes_kernel(struct one_pass *P, lcl_context *ctx,
                                        const struct lcl_kron *K)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int b = K->M->block_size;
    struct lcl_spec spec = {
        .source = "one_pass.cl",
        .kernel = "one_pass",
        .block = b,
        .group = lcl_wave_group(caps, WAVES),
        .defines = {{"STAGES", K->stages}, {"ONE_TERM", !P->paired}},
    };
    enum lcl_status st = LCL_OK;
    P->groups = lcl_vector_groups(caps);
    if (caps->width > 1) {
        const struct sharing share = share_row(K->stages, b, caps);
        const int64_t rows =
            spec.group / caps->width * (caps->width / share.lanes);
        lcl_spec_set(&spec, "STAGES_PER_LANE", share.stages);
        lcl_spec_set(&spec, "LANES_PER_ROW", share.lanes);
        P->groups = (K->M->rows + rows - 1) / rows;
    }
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        spec.wide = P->term[t].wide;
        st = lcl_kernel_get(&P->kernel[t], ctx, &spec);
    }
    return st;
}

// The matrix instruction pays off if the stages fill most of its columns.
static bool is_for_mma(const struct one_pass *P, const struct lcl_caps *caps,
                       const struct lcl_kron *K)
{
    return P->paired && caps->exchange == LCL_EXCHANGE_NV_PTX &&
           K->M->block_size > 2 && K->M->block_size <= 4 && K->stages > 4;
}

// Older devices cannot build this kernel, which is not an error.
static enum lcl_status get_mma_kernel(struct one_pass *P, lcl_context *ctx,
                                      const struct lcl_kron *K)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {
        .source = "one_pass_mma.cl",
        .kernel = "one_pass_mma",
        .block = K->M->block_size,
        .defines = {{"STAGES", K->stages}},
        .group = lcl_wave_group(caps, WAVES),
        .wide = P->term[0].wide,
    };
    const enum lcl_log_level level =
        lcl_context_set_log_level(ctx, LCL_LOG_NONE);
    const enum lcl_status st = lcl_kernel_get(&P->kernel[0], ctx, &spec);
    lcl_context_set_log_level(ctx, level);
    P->groups = (int64_t)MMA_GROUPS * caps->compute_units;
    return st;
}

static enum lcl_status get_kernel(struct one_pass *P, lcl_context *ctx,
                                  const struct lcl_kron *K)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    enum lcl_status st = LCL_EBUILD;
    if (is_for_mma(P, caps, K))
        st = get_mma_kernel(P, ctx, K);
    if (st == LCL_EBUILD)
        st = get_lanes_kernel(P, ctx, K);
    return st < 0 ? st : lcl_product_sums_kernel(&P->sums, ctx);
}

// ------------------------------------------------------------------- creation

static enum lcl_status upload_union(struct one_pass *P, lcl_context *ctx,
                                    const struct lcl_kron *K, int64_t blocks)
{
    struct lcl_bsr both;
    enum lcl_status st =
        lcl_pairs_pattern(&both, K->M, K->L, blocks, lcl_context_log(ctx));
    if (st < 0)
        return st;
    if ((st = lcl_device_pattern_init(&P->term[0], ctx, &both)) == LCL_OK)
        st = lcl_buffer_create(&P->term[0].val, ctx,
                               2 * both.nnz * lcl_block_values(&both),
                               sizeof(double), "values");
    P->row_ptr = both.row_ptr;
    both.row_ptr = NULL;
    lcl_bsr_finish(&both);
    return st;
}

static enum lcl_status create(struct lcl_spmv *S, const struct lcl_kron *K)
{
    struct one_pass *P = S->state = lcl_calloc(1, sizeof *P);
    const int64_t coefficients = 2 * (int64_t)K->stages * K->stages;
    enum lcl_status st;
    if (!P)
        return lcl_fail_memory(lcl_context_log(S->ctx), "a product");
    const int64_t blocks = lcl_pairs_count(K->M, K->L);
    P->paired = is_worth_pairing(K, blocks);
    P->terms = P->paired ? 1 : 2;
    if (P->paired)
        st = upload_union(P, S->ctx, K, blocks);
    else if ((st = lcl_device_matrix_init(&P->term[0], S->ctx, K->M)) == LCL_OK)
        st = lcl_device_matrix_init(&P->term[1], S->ctx, K->L);
    if (st < 0 || (st = lcl_buffer_create(&P->coef, S->ctx, coefficients,
                                          sizeof(double), "coefficients")) < 0)
        return st;
    S->bytes = S->traffic = lcl_device_matrix_bytes(&P->term[0]) +
                            lcl_device_matrix_bytes(&P->term[1]);
    return get_kernel(P, S->ctx, K);
}

// ------------------------------------------------------------------- values

static enum lcl_status write_pairs(const struct one_pass *P,
                                   const struct lcl_kron *K)
{
    struct lcl_pairs pairs = {K->M, K->L, P->row_ptr};
    return lcl_buffer_fill_by(P->term[0].val, lcl_pairs_size(K->M),
                              lcl_pairs_fill, &pairs);
}

static enum lcl_status write_values(const struct lcl_device_matrix *D,
                                    const struct lcl_bsr *A)
{
    return lcl_buffer_write(D->val, A->val, lcl_buffer_bytes(D->val));
}

static enum lcl_status update(struct lcl_spmv *S, const struct lcl_kron *K)
{
    const struct one_pass *P = S->state;
    enum lcl_status st;
    if (P->paired)
        st = write_pairs(P, K);
    else if ((st = write_values(&P->term[0], K->M)) == LCL_OK)
        st = write_values(&P->term[1], K->L);
    return st < 0 ? st : lcl_kron_write_coefficients(P->coef, K);
}

// ------------------------------------------------------------------- product

static enum lcl_status multiply(const struct lcl_spmv *S,
                                enum lcl_product product,
                                const struct lcl_operands *v)
{
    const struct one_pass *P = S->state;
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        const struct lcl_device_matrix *D = &P->term[t];
        st = LCL_LAUNCH(P->kernel[t], P->groups, lcl_arg_long(D->block_rows),
                        lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                        lcl_arg_buffer(D->val), lcl_arg_buffer(P->coef),
                        lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                        lcl_arg_int(t), lcl_arg_buffer(v->stop),
                        lcl_arg_int(v->at));
    }
    return st < 0 ? st : lcl_product_sums(P->sums, S, product, v);
}

static void destroy(struct lcl_spmv *S)
{
    struct one_pass *P = S->state;
    if (!P)
        return;
    lcl_device_matrix_finish(&P->term[0]);
    lcl_device_matrix_finish(&P->term[1]);
    lcl_buffer_destroy(&P->coef);
    lcl_free(P->row_ptr);
    lcl_free(P);
}

const struct lcl_kron_ops lcl_kron_one_pass = {
    .product = {.multiply = multiply, .destroy = destroy},
    .create = create,
    .update = update,
    .stages_innermost = true,
};
