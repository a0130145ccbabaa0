// SPDX-License-Identifier: BSD-3-Clause
// Applications of a preconditioner to OpenCL buffers of the caller.
#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/transposed.h"
#include "lib/precond/precond.h"

#include <levelcl/opencl.h>

typedef enum lcl_status apply_fn(lcl_precond *M, const lcl_buffer *b,
                                 lcl_buffer *x);

typedef enum lcl_status expect_fn(const lcl_context *ctx, const char *function);

static enum lcl_status apply_arrays(lcl_precond *M,
                                    const struct lcl_array_cl *b,
                                    const struct lcl_array_cl *x,
                                    const struct lcl_events_cl *events,
                                    apply_fn *apply, expect_fn *expect,
                                    const char *function)
{
    struct lcl_pair v = {0};
    enum lcl_status st;
    events = lcl_events_begin(events);
    if (!M || lcl_array_is_missing(b) || lcl_array_is_missing(x))
        return lcl_misuse(M ? lcl_context_log(M->op.range.ctx) : NULL,
                          "%s: an argument is NULL", function);
    lcl_context *ctx = M->op.range.ctx;
    const int64_t n = M->op.range.n;
    const struct lcl_pair_plan plan = {
        b, x, n, n, "b", "x", .may_overlap = true};
    if ((st = expect(ctx, function)) < 0)
        return st;
    if ((st = lcl_events_enter(ctx, events)) == LCL_OK &&
        (st = lcl_pair_begin(&v, ctx, &plan)) == LCL_OK)
        st = apply(M, v.x, v.y);
    st = lcl_space_end(&M->op.range, lcl_pair_end(&v, st));
    return st < 0 ? st : lcl_events_mark(ctx, events->done);
}

static enum lcl_status apply_plain(lcl_precond *M, const lcl_buffer *b,
                                   lcl_buffer *x)
{
    return lcl_apply_buffers(&M->op, b, x);
}

static enum lcl_status apply_transpose(lcl_precond *M, const lcl_buffer *b,
                                       lcl_buffer *x)
{
    if (lcl_precond_is_symmetric(M))
        return apply_plain(M, b, x);
    const enum lcl_status st = lcl_precond_transpose(M);
    return st < 0 ? st
                  : lcl_apply_numbered_buffers(&M->transposed->op,
                                               M->matrix->numbering, b, x);
}

enum lcl_status lcl_precond_apply_cl(lcl_precond *M,
                                     const struct lcl_array_cl *b,
                                     const struct lcl_array_cl *x,
                                     const struct lcl_events_cl *events)
{
    return apply_arrays(M, b, x, events, apply_plain,
                        lcl_context_expect_product, "lcl_precond_apply_cl");
}

enum lcl_status lcl_precond_apply_transpose_cl(
    lcl_precond *M, const struct lcl_array_cl *b, const struct lcl_array_cl *x,
    const struct lcl_events_cl *events)
{
    return apply_arrays(M, b, x, events, apply_transpose,
                        lcl_context_expect_free,
                        "lcl_precond_apply_transpose_cl");
}
