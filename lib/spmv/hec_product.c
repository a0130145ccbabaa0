// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix in HEC: hec.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/hec.h"

#include <levelcl/published.h>

#include <stdio.h>

struct product {
    int64_t width;
    struct lcl_hec_split split; // until the matrix is made
    struct lcl_hec matrix;
    lcl_kernel *kernels[LCL_PRODUCT_MODES];
};

// ------------------------------------------------------------------- creation

static enum lcl_status divide_rows(struct product *P, lcl_context *ctx,
                                   const struct lcl_device_matrix *A, int width)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    int64_t *row_ptr = lcl_malloc((size_t)A->block_rows + 1, sizeof *row_ptr);
    if (!row_ptr)
        return lcl_fail_memory(log, "row pointers");
    enum lcl_status st = lcl_device_row_ptr_read(row_ptr, A, log);
    if (st == LCL_OK)
        st = lcl_hec_split_init(&P->split, row_ptr, A->block_rows, 0, width,
                                log);
    lcl_free(row_ptr);
    return st;
}

static enum lcl_status study_width(struct lcl_spmv *S, lcl_context *ctx,
                                   int width)
{
    enum lcl_status st = lcl_refuse_blocks(S, ctx, "the HEC product");
    if (st < 0)
        return st;
    struct product *P = S->state = lcl_calloc(1, sizeof *P);
    if (!P)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    if ((st = divide_rows(P, ctx, S->A, width)) < 0)
        return st;
    P->width = P->split.width;
    snprintf(S->traits, sizeof S->traits, "width %lld", (long long)P->width);
    return LCL_OK;
}

static enum lcl_status study(struct lcl_spmv *S, lcl_context *ctx)
{
    return study_width(S, ctx, 0);
}

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    struct product *P = S->state;
    const struct lcl_spec spec = {
        .source = "hec.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = S->A->wide,
    };
    enum lcl_status st = lcl_hec_init(&P->matrix, ctx, S->A, &P->split, 0);
    lcl_hec_split_finish(&P->split);
    S->bytes = S->traffic = lcl_hec_bytes(&P->matrix);
    return st < 0 ? st : lcl_product_kernels(P->kernels, ctx, &spec, "hec");
}

static enum lcl_status update(struct lcl_spmv *S)
{
    const struct product *P = S->state;
    return lcl_hec_update(&P->matrix, S->A);
}

static void destroy(struct lcl_spmv *S)
{
    struct product *P = S->state;
    if (!P)
        return;
    lcl_hec_split_finish(&P->split);
    lcl_hec_finish(&P->matrix);
    lcl_free(P);
}

// ------------------------------------------------------------------- products

static enum lcl_status multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    const struct product *P = S->state;
    const struct lcl_hec *H = &P->matrix;
    return LCL_LAUNCH(P->kernels[mode], S->groups, lcl_arg_long(H->rows),
                      lcl_arg_int((int32_t)H->width), lcl_arg_long(H->stride),
                      lcl_arg_buffer(H->ell_col), lcl_arg_buffer(H->ell_val),
                      lcl_arg_buffer(H->csr_ptr), lcl_arg_buffer(H->csr_col),
                      lcl_arg_buffer(H->csr_val), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

const struct lcl_spmv_ops lcl_spmv_hec = {
    .study = study,
    .create = create,
    .update = update,
    .multiply = multiply,
    .destroy = destroy,
};

enum lcl_status lcl_hec_study(struct lcl_spmv *S, lcl_context *ctx,
                              const struct lcl_device_matrix *A, int width)
{
    *S = (struct lcl_spmv){
        .ops = &lcl_spmv_hec,
        .type = LCL_SPMV_HEC,
        .ctx = ctx,
        .A = A,
        .groups = A->groups,
    };
    return study_width(S, ctx, width);
}
