// SPDX-License-Identifier: BSD-3-Clause
// Operators whose application is a function of the caller.
#include "lib/operator/callback.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/runtime.h"

struct state {
    struct lcl_callback fn;
    double *x, *y; // for fn.host
    bool running;
};

enum lcl_status lcl_callback_init(lcl_operator *A,
                                  const struct lcl_callback *callback)
{
    const size_t cols = (size_t)A->domain.n, rows = (size_t)A->range.n;
    struct state *S = A->state = lcl_calloc(1, sizeof *S);
    if (S && callback->host) {
        S->x = lcl_malloc(cols, sizeof *S->x);
        S->y = lcl_malloc(rows, sizeof *S->y);
    }
    if (!S || (callback->host && (!S->x || !S->y)))
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "a callback");
    S->fn = *callback;
    A->launches = 0;
    return LCL_OK;
}

static void destroy(lcl_operator *A)
{
    struct state *S = A->state;
    if (!S)
        return;
    lcl_free(S->x);
    lcl_free(S->y);
    lcl_free(S);
}

enum lcl_status lcl_operands_stopped(const struct lcl_operands *v,
                                     bool *stopped)
{
    int32_t flags[8] = {0};
    const size_t count = (size_t)v->at + 1;
    const enum lcl_status st =
        lcl_buffer_read(v->stop, flags, count * sizeof *flags);
    *stopped = flags[v->at] != 0;
    return st;
}

// Calls the function, which may apply other operators.
static enum lcl_status call_caller(const lcl_operator *A,
                                   const struct lcl_operands *v)
{
    struct state *S = A->state;
    lcl_context *ctx = A->range.ctx;
    const struct lcl_guest before = lcl_guest_begin(ctx, LCL_GUEST_APPLIES);
    const struct lcl_array_cl x = {lcl_buffer_mem(v->x), 0},
                              y = {lcl_buffer_mem(v->y), 0};
    S->running = true;
    const enum lcl_status st =
        S->fn.host ? S->fn.host(S->fn.user, S->x, S->y)
                   : S->fn.device(S->fn.user, lcl_context_queue(ctx), &x, &y);
    S->running = false;
    lcl_guest_end(ctx, &before);
    return st < 0 ? st : LCL_OK;
}

static enum lcl_status apply_on_host(const lcl_operator *A,
                                     const struct lcl_operands *v)
{
    const struct state *S = A->state;
    bool stopped;
    enum lcl_status st;
    if ((st = lcl_operands_stopped(v, &stopped)) < 0 || stopped ||
        (st = lcl_buffer_read(v->x, S->x, (size_t)A->domain.n * sizeof *S->x)) <
            0 ||
        (st = call_caller(A, v)) < 0)
        return st;
    return lcl_buffer_write(v->y, S->y, (size_t)A->range.n * sizeof *S->y);
}

// A result after the solve has stopped is not read.
static enum lcl_status call(lcl_operator *A, enum lcl_mode mode,
                            const struct lcl_operands *v)
{
    const struct state *S = A->state;
    (void)mode;
    if (S->running)
        return lcl_fail(lcl_context_log(A->range.ctx), LCL_EBUSY,
                        "a callback applies the operator whose product it is "
                        "to compute");
    return S->fn.host ? apply_on_host(A, v) : call_caller(A, v);
}

const struct lcl_operator_ops lcl_callback_ops = {
    .apply = call,
    .destroy = destroy,
};

// ------------------------------------------------------------------- creation

static enum lcl_status check(const lcl_context *ctx, int64_t rows, int64_t cols)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    if (rows < 1 || cols < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "an operator of %lld x %lld: expected at least one row "
                        "and one column",
                        (long long)rows, (long long)cols);
    if (rows > INT32_MAX || cols > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "an operator of %lld x %lld: expected at most 2^31 - "
                        "1 rows and columns",
                        (long long)rows, (long long)cols);
    return LCL_OK;
}

static enum lcl_status create(lcl_operator **out, lcl_context *ctx,
                              int64_t rows, int64_t cols,
                              const struct lcl_callback *callback)
{
    enum lcl_status st;
    if (out)
        *out = NULL;
    if (!out || !ctx || (!callback->host && !callback->device))
        return lcl_misuse(lcl_context_log(ctx),
                          "lcl_operator_create_callback: an argument is NULL");
    if ((st = lcl_context_expect_free(ctx, "lcl_operator_create_callback")) <
            0 ||
        (st = check(ctx, rows, cols)) < 0 ||
        (st = lcl_operator_allocate(out, ctx, &lcl_callback_ops, rows, cols,
                                    1)) < 0)
        return st;
    (*out)->info.callback = true;
    if ((st = lcl_callback_init(*out, callback)) < 0)
        lcl_operator_destroy(out);
    return st;
}

enum lcl_status lcl_operator_create_callback(lcl_operator **out,
                                             lcl_context *ctx, int64_t rows,
                                             int64_t cols, lcl_apply_fn *apply,
                                             void *user)
{
    const struct lcl_callback callback = {.host = apply, .user = user};
    return create(out, ctx, rows, cols, &callback);
}

enum lcl_status lcl_operator_create_callback_cl(lcl_operator **out,
                                                lcl_context *ctx, int64_t rows,
                                                int64_t cols,
                                                lcl_apply_cl_fn *apply,
                                                void *user)
{
    const struct lcl_callback callback = {.device = apply, .user = user};
    return create(out, ctx, rows, cols, &callback);
}
