// SPDX-License-Identifier: BSD-3-Clause
// y = A x: the table of products.
#include "lib/spmv/spmv.h"

#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/published.h>

#include <stdio.h>

static const struct lcl_spmv_ops *const types[LCL_SPMV_COUNT] = {
    [LCL_SPMV_CSR] = &lcl_spmv_csr,
    [LCL_SPMV_SLICED] = &lcl_spmv_sliced,
    [LCL_SPMV_BINNED] = &lcl_spmv_binned,
    [LCL_SPMV_ADAPTIVE] = &lcl_spmv_adaptive,
    [LCL_SPMV_HEC] = &lcl_spmv_hec,
};

bool lcl_spmv_needs_entries(enum lcl_spmv_type type)
{
    return type == LCL_SPMV_BINNED || type == LCL_SPMV_ADAPTIVE ||
           type == LCL_SPMV_HEC;
}

enum lcl_status lcl_product_kernels(lcl_kernel *out[LCL_PRODUCT_MODES],
                                    lcl_context *ctx,
                                    const struct lcl_spec *spec,
                                    const char *prefix)
{
    static const char *const modes[LCL_PRODUCT_MODES] = {
        [LCL_APPLY] = "plain",
        [LCL_APPLY_DOT] = "dot",
        [LCL_APPLY_DOT_NORM] = "dot_norm",
        [LCL_RESIDUAL] = "residual",
    };
    struct lcl_spec one = *spec;
    char name[32];
    enum lcl_status st = LCL_OK;
    one.kernel = name;
    for (int m = 0; m < LCL_PRODUCT_MODES && st == LCL_OK; ++m) {
        snprintf(name, sizeof name, "%s_%s", prefix, modes[m]);
        st = lcl_kernel_get(&out[m], ctx, &one);
    }
    return st;
}

enum lcl_status lcl_refuse_blocks(const struct lcl_spmv *S, lcl_context *ctx,
                                  const char *kind)
{
    if (S->A->block == 1)
        return LCL_OK;
    return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                    "%s requires block size 1, but the matrix is stored "
                    "in blocks of %d rows",
                    kind, S->A->block);
}

enum lcl_status lcl_spmv_study(struct lcl_spmv *S, enum lcl_spmv_type type,
                               lcl_context *ctx,
                               const struct lcl_device_matrix *A)
{
    *S = (struct lcl_spmv){
        .ops = types[type],
        .type = type,
        .ctx = ctx,
        .A = A,
        .groups = A->groups,
    };
    return S->ops->study ? S->ops->study(S, ctx) : LCL_OK;
}

enum lcl_status lcl_spmv_create(struct lcl_spmv *S)
{
    const enum lcl_status st = S->ops->create(S, S->ctx);
    return st < 0 ? st : lcl_spmv_update(S);
}

void lcl_spmv_finish(struct lcl_spmv *S)
{
    if (S->ops)
        S->ops->destroy(S);
    *S = (struct lcl_spmv){.ops = NULL};
}

enum lcl_status lcl_spmv_update(struct lcl_spmv *S)
{
    return S->ops && S->ops->update ? S->ops->update(S) : LCL_OK;
}

enum lcl_status lcl_multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    return S->ops->multiply(S, mode, v);
}

// Columns per pass: as many as keep a lane's sums in registers.
static int columns_of_pass(const struct lcl_device_matrix *A, int64_t left)
{
    int columns = 8;
    while (columns > 1 && (columns > left || columns * A->block > 16))
        columns /= 2;
    return columns;
}

enum lcl_status lcl_multiply_many(const struct lcl_spmv *S,
                                  const struct lcl_columns *v, int64_t vectors)
{
    enum lcl_status st = LCL_OK;
    int columns;
    for (int64_t first = 0; first < vectors && st == LCL_OK; first += columns) {
        columns = columns_of_pass(S->A, vectors - first);
        st = S->ops->multiply_many
                 ? S->ops->multiply_many(S, v, first, columns)
                 : lcl_rows_multiply_many(S, v, first, columns);
    }
    return st;
}
