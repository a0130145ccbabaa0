// SPDX-License-Identifier: BSD-3-Clause
// Public interface of operators.
#include "lib/operator/operator.h"
#include "host/access.h"
#include "host/alloc.h"
#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/view.h"

#include <levelcl/opencl.h>

static const struct lcl_log *log_of(const lcl_operator *A)
{
    return lcl_context_log(A->range.ctx);
}

// Reports a NULL argument; the object itself may be NULL.
static enum lcl_status refuse_null(const lcl_operator *A, const char *function)
{
    return lcl_misuse(A ? log_of(A) : NULL, "%s: an argument is NULL",
                      function);
}

// ------------------------------------------------------------------- creation

static enum lcl_status check_params(const struct lcl_operator_params *p,
                                    const struct lcl_log *log)
{
    if ((unsigned)p->spmv >= LCL_SPMV_COUNT ||
        (unsigned)p->kron >= LCL_KRON_COUNT ||
        (unsigned)p->communication >= LCL_COMMUNICATION_COUNT ||
        (unsigned)p->kron_exchange >= LCL_KRON_EXCHANGE_COUNT)
        return lcl_misuse(log, "lcl_operator_create: an enum is out of range");
    if (p->block_size < 0 || p->block_size > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EINVAL,
                        "block size %d: expected 1 to %d, or 0 for the default",
                        p->block_size, LCL_BLOCK_MAX);
    if (p->hec_width < 0)
        return lcl_fail(log, LCL_EINVAL, "hec_width %d: expected a number >= 0",
                        p->hec_width);
    return LCL_OK;
}

enum lcl_status lcl_operator_begin(lcl_operator **out, const lcl_context *ctx,
                                   const void *A, const char *function,
                                   const struct lcl_operator_params **params)
{
    static const struct lcl_operator_params defaults = LCL_OPERATOR_PARAMS_INIT;
    const struct lcl_log *log = lcl_context_log(ctx);
    if (!*params)
        *params = &defaults;
    if (out)
        *out = NULL;
    if (!out || !ctx || !A)
        return lcl_misuse(log, "%s: an argument is NULL", function);
    const enum lcl_status st = check_params(*params, log);
    return st < 0 ? st : lcl_context_expect_free(ctx, function);
}

enum lcl_status lcl_operator_allocate(lcl_operator **out, lcl_context *ctx,
                                      const struct lcl_operator_ops *ops,
                                      int64_t rows, int64_t cols, int block)
{
    lcl_operator *A = lcl_malloc(1, sizeof *A);
    *out = A;
    if (!A)
        return lcl_fail_memory(lcl_context_log(ctx), "an operator");
    lcl_operator_init(A, ops, lcl_space_of(ctx, rows), lcl_space_of(ctx, cols));
    lcl_numbering_init(&A->own, ctx, rows, block);
    A->numbering = &A->own;
    A->info = (struct lcl_operator_info){
        .stages = 1, .rows = rows, .cols = cols, .block_size = block};
    return LCL_OK;
}

static enum lcl_status check_values(const lcl_operator *A, const double *val)
{
    const int64_t k = lcl_find_not_finite(val, A->info.nnz);
    return k < 0 ? LCL_OK
                 : lcl_fail(log_of(A), LCL_EFORMAT,
                            "lcl_operator_update: value %lld is not finite",
                            (long long)k);
}

enum lcl_status lcl_operator_refuse_values(const lcl_operator *A)
{
    return lcl_fail(log_of(A), LCL_EFORMAT,
                    "buffer val: a value is not finite");
}

// On a CPU, the pass that checks and moves values reads them in place.
static bool reads_host_values(const lcl_operator *A)
{
    return A->ops->update_buffer && A->info.nnz > 0 &&
           lcl_context_is_cpu(A->range.ctx);
}

static enum lcl_status update_from_host(lcl_operator *A, const double *val)
{
    lcl_buffer *view;
    enum lcl_status st =
        lcl_buffer_view(&view, A->range.ctx, val,
                        (size_t)A->info.nnz * sizeof *val, false, "new values");
    if (st < 0)
        return st;
    st = A->ops->update_buffer(A, view);
    lcl_buffer_destroy(&view);
    return st == LCL_EFORMAT ? check_values(A, val) : st;
}

// Values that are not finite on one rank are refused on all ranks.
enum lcl_status lcl_operator_update(lcl_operator *A, const double *val)
{
    if (!A || !val)
        return refuse_null(A, "lcl_operator_update");
    if (!A->ops->update)
        return lcl_misuse(
            log_of(A),
            "lcl_operator_update: the operator was created from a %s",
            A->info.kron ? "lcl_kron; call lcl_operator_update_kron()"
                         : "callback and has no values");
    enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_operator_update");
    if (st < 0)
        return st;
    if (reads_host_values(A))
        return update_from_host(A, val);
    if ((st = lcl_space_agree(&A->range, check_values(A, val), "new values")) <
        0)
        return st;
    return A->ops->update(A, val);
}

const struct lcl_operator_info *lcl_operator_info(const lcl_operator *A)
{
    return A ? &A->info : NULL;
}

void lcl_operator_destroy(lcl_operator **out)
{
    if (!out || !*out)
        return;
    if (!lcl_context_lets_go((*out)->range.ctx, out, "lcl_operator_destroy"))
        return;
    lcl_operator_finish(*out);
    lcl_free(*out);
    *out = NULL;
}

// ------------------------------------------------------------------- products

enum lcl_status lcl_operator_apply(lcl_operator *A, const double *x, double *y)
{
    if (!A || !x || !y)
        return refuse_null(A, "lcl_operator_apply");
    const enum lcl_status st =
        lcl_context_expect_product(A->range.ctx, "lcl_operator_apply");
    return st < 0 ? st : lcl_space_end(&A->range, lcl_apply_host(A, x, y));
}

// Kronecker products accumulate their terms in y.
enum lcl_status lcl_operator_apply_cl(lcl_operator *A,
                                      const struct lcl_array_cl *x,
                                      const struct lcl_array_cl *y,
                                      const struct lcl_events_cl *events)
{
    static const char name[] = "lcl_operator_apply_cl";
    struct lcl_pair v = {0};
    enum lcl_status st;
    events = lcl_events_begin(events);
    if (!A || lcl_array_is_missing(x) || lcl_array_is_missing(y))
        return refuse_null(A, name);
    lcl_context *ctx = A->range.ctx;
    const struct lcl_pair_plan plan = {
        x, y, A->info.cols, A->info.rows, "x", "y", .rereads = A->info.kron};
    if ((st = lcl_context_expect_product(ctx, name)) < 0)
        return st;
    if ((st = lcl_events_enter(ctx, events)) == LCL_OK &&
        (st = lcl_pair_begin(&v, ctx, &plan)) == LCL_OK)
        st = lcl_apply_buffers(A, v.x, v.y);
    st = lcl_space_end(&A->range, lcl_pair_end(&v, st));
    return st < 0 ? st : lcl_events_mark(ctx, events->done);
}
