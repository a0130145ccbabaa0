// SPDX-License-Identifier: BSD-3-Clause
// The transpose of an operator with a matrix or a Kronecker system.
#include "lib/operator/transposed.h"

#include "host/caller.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/kron_transposed.h"
#include "lib/operator/matrix_operator.h"
#include "lib/operator/transpose_values.h"

// ------------------------------------------------------------------- matrices

static enum lcl_status refresh(struct lcl_transposed *T, const lcl_operator *A)
{
    const enum lcl_status st = lcl_transposed_fill(
        T, 0, A->range.ctx, A->matrix, lcl_operator_staging(T->op));
    return st < 0 ? st : lcl_operator_take_staged(T->op);
}

static enum lcl_status make(struct lcl_transposed *T, const lcl_operator *A)
{
    static const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    const int64_t size = (int64_t)A->matrix->block * A->matrix->block;
    lcl_context *ctx = A->range.ctx;
    struct lcl_blocked B = {.entries = A->matrix->blocks * size};
    enum lcl_status st;
    if ((st = lcl_transposed_kernel(T, ctx, A->matrix->block, 1)) == LCL_OK &&
        (st = lcl_transposed_pattern(&B.A, &T->map[0], ctx, A->matrix)) ==
            LCL_OK &&
        (st = lcl_buffer_create(&B.A.val, ctx, B.entries, sizeof(double),
                                "values")) == LCL_OK &&
        (st = lcl_transposed_fill(T, 0, ctx, A->matrix, B.A.val)) == LCL_OK)
        st = lcl_matrix_operator_create(&T->op, ctx, &B, &params);
    lcl_blocked_finish(&B);
    return st;
}

// ------------------------------------------------------------------- creation

static void destroy(struct lcl_transposed *T)
{
    lcl_operator_destroy(&T->op);
    lcl_buffer_destroy(&T->map[0]);
    lcl_buffer_destroy(&T->map[1]);
}

static enum lcl_status create(lcl_operator *A)
{
    const struct lcl_kron_operator *K = lcl_kron_of(A);
    struct lcl_transposed T = {.version = A->version,
                               .renumbered = A->renumbered};
    const enum lcl_status st = K ? lcl_kron_transpose(&T, A) : make(&T, A);
    if (st < 0) {
        destroy(&T);
        return st;
    }
    A->transposed = T;
    if (K)
        A->info.bytes += T.op->info.bytes + lcl_buffer_bytes(T.map[0]) +
                         lcl_buffer_bytes(T.map[1]);
    else
        lcl_operator_describe(A);
    return LCL_OK;
}

static enum lcl_status renew(lcl_operator *A)
{
    struct lcl_transposed *T = &A->transposed;
    enum lcl_status st;
    if (!T->op)
        return create(A);
    if (T->version == A->version)
        return LCL_OK;
    st = lcl_kron_of(A) ? lcl_kron_transpose_values(T, A) : refresh(T, A);
    if (st == LCL_OK)
        T->version = A->version;
    return st;
}

static enum lcl_status check(const lcl_operator *A)
{
    return lcl_kron_of(A) || (A->matrix && !A->part)
               ? LCL_OK
               : lcl_fail(lcl_context_log(A->range.ctx), LCL_EUNSUPPORTED,
                          "a transpose requires a matrix on one device; the "
                          "operator is %s",
                          A->team || A->range.comm ? "distributed"
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
    if ((st = renew(A)) == LCL_OK)
        *T = A->transposed.op;
    return st;
}

// ------------------------------------------------------------------- products

static bool is_caller_numbering(const struct lcl_numbering *N)
{
    return !N || !N->perm;
}

// *in and *result = vectors for T; the caller destroys them, also on error.
static enum lcl_status make_vectors(lcl_buffer **in, lcl_buffer **result,
                                    const lcl_operator *T)
{
    *in = *result = NULL;
    const enum lcl_status st = lcl_space_vector(in, &T->domain);
    return st < 0 ? st : lcl_space_vector(result, &T->range);
}

enum lcl_status lcl_apply_numbered(lcl_operator *T,
                                   const struct lcl_numbering *N,
                                   const double *x, double *y)
{
    lcl_buffer *in, *result;
    enum lcl_status st;
    if (is_caller_numbering(N))
        return lcl_apply_host(T, x, y);
    if ((st = make_vectors(&in, &result, T)) == LCL_OK &&
        (st = lcl_numbering_write(N, x, in)) == LCL_OK &&
        (st = lcl_apply_buffers(T, in, result)) == LCL_OK)
        st = lcl_numbering_read(N, result, y);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&result);
    return st;
}

enum lcl_status lcl_apply_numbered_buffers(lcl_operator *T,
                                           const struct lcl_numbering *N,
                                           const lcl_buffer *x, lcl_buffer *y)
{
    lcl_buffer *in, *result;
    enum lcl_status st;
    if (is_caller_numbering(N))
        return lcl_apply_buffers(T, x, y);
    if ((st = make_vectors(&in, &result, T)) == LCL_OK &&
        (st = lcl_numbering_gather(N, x, in)) == LCL_OK &&
        (st = lcl_apply_buffers(T, in, result)) == LCL_OK)
        st = lcl_numbering_scatter(N, result, y);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&result);
    return st;
}

static enum lcl_status begin(lcl_operator **T, lcl_operator *A, bool complete,
                             const char *function)
{
    if (!complete)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "%s: an argument is NULL", function);
    const enum lcl_status st = lcl_context_expect_free(A->range.ctx, function);
    return st < 0 ? st : lcl_operator_transposed(T, A);
}

enum lcl_status lcl_operator_apply_transpose(lcl_operator *A, const double *x,
                                             double *y)
{
    lcl_operator *T;
    const enum lcl_status st =
        begin(&T, A, A && x && y, "lcl_operator_apply_transpose");
    return st < 0 ? st : lcl_apply_numbered(T, A->numbering, x, y);
}

enum lcl_status lcl_operator_apply_transpose_cl(lcl_operator *A, cl_mem x,
                                                cl_mem y)
{
    struct lcl_pair v = {0};
    lcl_operator *T;
    enum lcl_status st =
        begin(&T, A, A && x && y, "lcl_operator_apply_transpose_cl");
    if (st < 0)
        return st;
    if ((st = lcl_pair_wrap(&v, A->range.ctx, x, A->info.rows, y, A->info.cols,
                            A->info.kron)) == LCL_OK)
        st = lcl_apply_numbered_buffers(T, A->numbering, v.x, v.y);
    lcl_pair_finish(&v);
    return st;
}
