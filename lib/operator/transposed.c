// SPDX-License-Identifier: BSD-3-Clause
// The transpose of an operator with a matrix.
#include "lib/operator/transposed.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/matrix_operator.h"
#include "lib/operator/transpose.h"

// ------------------------------------------------------------------- values

static enum lcl_status get_kernel(lcl_kernel **out, const lcl_operator *A)
{
    lcl_context *ctx = A->range.ctx;
    const int block = A->matrix->block;
    const struct lcl_spec spec = {
        .source = "transpose_values.cl",
        .kernel = "transpose_values",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = block > 1 ? block : 0,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status fill(const struct lcl_transposed *T,
                            const lcl_operator *A, lcl_buffer *val)
{
    return LCL_LAUNCH(T->values,
                      lcl_vector_groups(lcl_context_caps(A->range.ctx)),
                      lcl_arg_long(A->matrix->blocks), lcl_arg_buffer(T->map),
                      lcl_arg_buffer(A->matrix->val), lcl_arg_buffer(val));
}

static enum lcl_status refresh(struct lcl_transposed *T, const lcl_operator *A)
{
    enum lcl_status st;
    if (T->version == A->version)
        return LCL_OK;
    if ((st = fill(T, A, lcl_operator_staging(T->op))) < 0 ||
        (st = lcl_operator_take_staged(T->op)) < 0)
        return st;
    T->version = A->version;
    return LCL_OK;
}

// ------------------------------------------------------------------- creation

// B = the pattern of A^T in blocks.
static enum lcl_status make_pattern(struct lcl_device_matrix *B,
                                    lcl_buffer **map, const lcl_operator *A)
{
    struct lcl_device_matrix blocks = *A->matrix;
    blocks.n = blocks.block_rows;
    blocks.block = 1;
    blocks.val = NULL;
    const enum lcl_status st =
        lcl_transpose_init(B, map, A->range.ctx, &blocks);
    B->block = A->matrix->block;
    B->n = B->block_rows * B->block;
    return st;
}

static enum lcl_status make(struct lcl_transposed *T, const lcl_operator *A)
{
    static const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    const int64_t size = (int64_t)A->matrix->block * A->matrix->block;
    lcl_context *ctx = A->range.ctx;
    struct lcl_blocked B = {.entries = A->matrix->blocks * size};
    enum lcl_status st;
    if ((st = get_kernel(&T->values, A)) == LCL_OK &&
        (st = make_pattern(&B.A, &T->map, A)) == LCL_OK &&
        (st = lcl_buffer_create(&B.A.val, ctx, B.entries, sizeof(double),
                                "values")) == LCL_OK &&
        (st = fill(T, A, B.A.val)) == LCL_OK)
        st = lcl_matrix_operator_create(&T->op, ctx, &B, &params);
    lcl_blocked_finish(&B);
    return st;
}

static void destroy(struct lcl_transposed *T)
{
    lcl_operator_destroy(&T->op);
    lcl_buffer_destroy(&T->map);
}

static enum lcl_status create(lcl_operator *A)
{
    struct lcl_transposed T = {.version = A->version,
                               .renumbered = A->renumbered};
    const enum lcl_status st = make(&T, A);
    if (st < 0) {
        destroy(&T);
        return st;
    }
    A->transposed = T;
    lcl_operator_describe(A);
    return LCL_OK;
}

static enum lcl_status check(const lcl_operator *A)
{
    return A->matrix && !A->part
               ? LCL_OK
               : lcl_fail(lcl_context_log(A->range.ctx), LCL_EUNSUPPORTED,
                          "a transpose requires a matrix on one device; the "
                          "operator is %s",
                          A->info.kron               ? "a Kronecker system"
                          : A->team || A->range.comm ? "distributed"
                                                     : "a callback");
}

enum lcl_status lcl_operator_transposed(lcl_operator **T, lcl_operator *A)
{
    enum lcl_status st = check(A);
    *T = NULL;
    if (st < 0)
        return st;
    if (A->transposed.renumbered != A->renumbered)
        destroy(&A->transposed);
    st = A->transposed.op ? refresh(&A->transposed, A) : create(A);
    if (st == LCL_OK)
        *T = A->transposed.op;
    return st;
}

// ------------------------------------------------------------------- products

enum lcl_status lcl_apply_numbered(lcl_operator *T,
                                   const struct lcl_numbering *N,
                                   const double *x, double *y)
{
    lcl_buffer *in = NULL, *result = NULL;
    enum lcl_status st;
    if (!N || !N->perm)
        return lcl_apply_host(T, x, y);
    if ((st = lcl_space_vector(&in, &T->domain)) == LCL_OK &&
        (st = lcl_space_vector(&result, &T->range)) == LCL_OK &&
        (st = lcl_numbering_write(N, x, in)) == LCL_OK &&
        (st = lcl_apply_buffers(T, in, result)) == LCL_OK)
        st = lcl_numbering_read(N, result, y);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&result);
    return st;
}

enum lcl_status lcl_operator_apply_transpose(lcl_operator *A, const double *x,
                                             double *y)
{
    lcl_operator *T;
    if (!A || !x || !y)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "lcl_operator_apply_transpose: an argument is NULL");
    const enum lcl_status st = lcl_operator_transposed(&T, A);
    return st < 0 ? st : lcl_apply_numbered(T, A->numbering, x, y);
}
