// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix as stored: csr.cl and bsr.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/autotune.h"

#include <stdio.h>

struct rows {
    lcl_kernel *kernels[LCL_PRODUCT_MODES];
    int lanes; // lanes per row
};

// Lanes per row: the power of two below the mean length, so that most lanes of
// most rows have work.
static int lanes_of_row(const struct lcl_caps *caps,
                        const struct lcl_device_matrix *A)
{
    const int64_t mean = A->block_rows ? A->blocks / A->block_rows : 0;
    int lanes = 1;
    while (2 * lanes <= mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

// Lanes per block row: one per entry of a block if a wave has enough, so that
// loads of a block coalesce; otherwise one per row.
static int lanes_of_block_row(const struct lcl_caps *caps,
                              const struct lcl_device_matrix *A)
{
    const int values = A->block * A->block;
    if (caps->width == 1)
        return 1;
    if (values <= caps->width)
        return values;
    return A->block <= lcl_vector_group(caps) ? A->block : 1;
}

static int usual_lanes(const struct lcl_caps *caps,
                       const struct lcl_device_matrix *A)
{
    return A->block == 1 ? lanes_of_row(caps, A) : lanes_of_block_row(caps, A);
}

static struct lcl_spec spec_of(const struct lcl_caps *caps,
                               const struct lcl_device_matrix *A, int lanes)
{
    const bool scalar = A->block == 1;
    return (struct lcl_spec){
        .source = scalar ? "csr.cl" : "bsr.cl",
        .group = lcl_vector_group(caps),
        .defines = {{"LANES_PER_ROW", lanes}},
        .block = scalar ? 0 : A->block,
        .wide = A->wide,
    };
}

static enum lcl_status get_kernels(struct rows *R, lcl_context *ctx,
                                   const struct lcl_device_matrix *A, int lanes)
{
    const struct lcl_spec spec = spec_of(lcl_context_caps(ctx), A, lanes);
    R->lanes = lanes;
    return lcl_product_kernels(R->kernels, ctx, &spec,
                               A->block > 1 ? "bsr" : "csr");
}

static enum lcl_status launch(const struct rows *R, const struct lcl_spmv *S,
                              enum lcl_mode mode, const struct lcl_operands *v)
{
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(R->kernels[mode], S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// ------------------------------------------------------------------- lanes

enum { FORMS = 3 }; // default number of lanes, half and twice as many

struct forms {
    const struct lcl_spmv *S;
    struct rows form[FORMS];
    int lanes[FORMS];
    int count;
};

static enum lcl_status launch_form(void *arg, int which,
                                   const struct lcl_operands *v)
{
    const struct forms *F = arg;
    return launch(&F->form[which], F->S, LCL_APPLY, v);
}

static struct forms forms_of(const struct lcl_spmv *S,
                             const struct lcl_caps *caps)
{
    const int usual = usual_lanes(caps, S->A);
    struct forms F = {.S = S, .lanes = {usual}, .count = 1};
    if (S->A->block > 1 || lcl_spmv_is_small(S->A))
        return F;
    if (usual > 1)
        F.lanes[F.count++] = usual / 2;
    if (2 * usual <= caps->width)
        F.lanes[F.count++] = 2 * usual;
    return F;
}

static enum lcl_status measure_forms(int *best, struct forms *F,
                                     lcl_context *ctx, const char *what)
{
    enum lcl_status st = LCL_OK;
    for (int f = 0; f < F->count && st == LCL_OK; ++f)
        st = get_kernels(&F->form[f], ctx, F->S->A, F->lanes[f]);
    return st < 0 ? st
                  : lcl_spmv_measure(best, ctx, F->S->A, what, F->count,
                                     launch_form, F);
}

static enum lcl_status choose_lanes(int *lanes, const struct lcl_spmv *S,
                                    lcl_context *ctx)
{
    struct forms F = forms_of(S, lcl_context_caps(ctx));
    char what[32];
    int best = 0;
    enum lcl_status st = LCL_OK;
    snprintf(what, sizeof what, "lanes near %d", F.lanes[0]);
    if (F.count > 1 && !lcl_spmv_recall(&best, ctx, S->A, what, F.count))
        st = measure_forms(&best, &F, ctx, what);
    *lanes = F.lanes[best];
    return st;
}

// ------------------------------------------------------------------- table

// Counts each block with its column, and a row pointer per block row.
static uint64_t traffic_of(const struct lcl_device_matrix *A)
{
    const uint64_t pointer = A->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    return (uint64_t)A->blocks *
               (sizeof(double) * (uint64_t)(A->block * A->block) +
                sizeof(int32_t)) +
           (uint64_t)A->block_rows * pointer;
}

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    struct rows *R = S->state = lcl_calloc(1, sizeof *R);
    int lanes;
    if (!R)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    S->traffic = traffic_of(S->A);
    const enum lcl_status st = choose_lanes(&lanes, S, ctx);
    return st < 0 ? st : get_kernels(R, ctx, S->A, lanes);
}

static enum lcl_status multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    return launch(S->state, S, mode, v);
}

static enum lcl_status launch_many(const struct lcl_spmv *S, int lanes,
                                   const struct lcl_columns *v, int64_t first,
                                   int vectors)
{
    const struct lcl_device_matrix *A = S->A;
    struct lcl_spec spec = spec_of(lcl_context_caps(S->ctx), A, lanes);
    lcl_kernel *kernel;
    lcl_spec_set(&spec, "VECTORS", vectors);
    spec.kernel = A->block > 1 ? "bsr_many" : "csr_many";
    const enum lcl_status st = lcl_kernel_get(&kernel, S->ctx, &spec);
    if (st < 0)
        return st;
    return LCL_LAUNCH(kernel, S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(v->x),
                      lcl_arg_long(v->ldx), lcl_arg_buffer(v->y),
                      lcl_arg_long(v->ldy), lcl_arg_long(first));
}

enum lcl_status lcl_rows_multiply_many(const struct lcl_spmv *S,
                                       const struct lcl_columns *v,
                                       int64_t first, int vectors)
{
    const struct lcl_caps *caps = lcl_context_caps(S->ctx);
    return launch_many(S, usual_lanes(caps, S->A), v, first, vectors);
}

static enum lcl_status multiply_many(const struct lcl_spmv *S,
                                     const struct lcl_columns *v, int64_t first,
                                     int vectors)
{
    const struct rows *R = S->state;
    return launch_many(S, R->lanes, v, first, vectors);
}

static void destroy(struct lcl_spmv *S)
{
    lcl_free(S->state);
}

const struct lcl_spmv_ops lcl_spmv_csr = {
    .create = create,
    .multiply = multiply,
    .multiply_many = multiply_many,
    .destroy = destroy,
};
