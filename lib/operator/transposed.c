// SPDX-License-Identifier: BSD-3-Clause
// The transpose of an operator with a matrix or a Kronecker system.
#include "lib/operator/transposed.h"

#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"

// ------------------------------------------------------------------- creation

static void destroy(struct lcl_transposed *T)
{
    lcl_operator_destroy(&T->op);
    lcl_buffer_destroy(&T->map[0]);
    lcl_buffer_destroy(&T->map[1]);
}

static enum lcl_status create(lcl_operator *A)
{
    A->transposed = (struct lcl_transposed){.version = A->version,
                                            .renumbered = A->renumbered};
    const enum lcl_status st = A->ops->transpose(A);
    if (st < 0) {
        destroy(&A->transposed);
        A->transposed = (struct lcl_transposed){.op = NULL};
    }
    return st;
}

static enum lcl_status renew(lcl_operator *A)
{
    struct lcl_transposed *T = &A->transposed;
    enum lcl_status st;
    if (!T->op)
        return create(A);
    if (T->version == A->version)
        return LCL_OK;
    st = A->ops->transpose_values(A);
    if (st == LCL_OK)
        T->version = A->version;
    return st;
}

static enum lcl_status check(const lcl_operator *A)
{
    return A->ops->transpose
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

enum lcl_status lcl_operator_apply_transpose_cl(
    lcl_operator *A, const struct lcl_array_cl *x, const struct lcl_array_cl *y,
    const struct lcl_events_cl *events)
{
    const bool given =
        A && !lcl_array_is_missing(x) && !lcl_array_is_missing(y);
    struct lcl_pair v = {0};
    lcl_operator *T;
    events = lcl_events_begin(events);
    enum lcl_status st = begin(&T, A, given, "lcl_operator_apply_transpose_cl");
    if (st < 0)
        return st;
    lcl_context *ctx = A->range.ctx;
    const struct lcl_pair_plan plan = {
        x, y, A->info.rows, A->info.cols, "x", "y", .rereads = A->info.kron};
    if ((st = lcl_events_enter(ctx, events)) == LCL_OK &&
        (st = lcl_pair_begin(&v, ctx, &plan)) == LCL_OK)
        st = lcl_apply_numbered_buffers(T, A->numbering, v.x, v.y);
    st = lcl_pair_end(&v, st);
    return st < 0 ? st : lcl_events_mark(ctx, events->done);
}
