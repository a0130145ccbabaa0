// SPDX-License-Identifier: BSD-3-Clause
// Device time between two points of the queue.
#include "host/timer.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"

struct lcl_timer {
    lcl_context *ctx;
    cl_event start, end;
};

static enum lcl_status mark(lcl_context *ctx, cl_event *event)
{
    const enum lcl_status st = LCL_CL(
        &ctx->cl, clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, event));
    if (st < 0)
        *event = NULL;
    return st;
}

enum lcl_status lcl_timer_start(lcl_timer **out, lcl_context *ctx)
{
    lcl_timer *t = *out = lcl_calloc(1, sizeof *t);
    if (!t)
        return lcl_fail_memory(&ctx->cl.log, "a timer");
    t->ctx = ctx;
    const enum lcl_status st = mark(ctx, &t->start);
    if (st < 0) {
        lcl_free(t);
        *out = NULL;
    }
    return st;
}

static enum lcl_status read_times(const lcl_timer *t, double *seconds)
{
    const struct lcl_cl *cl = &t->ctx->cl;
    cl_ulong from = 0, to = 0;
    enum lcl_status st;
    if ((st = LCL_CL(cl, clWaitForEvents(1, &t->end))) < 0 ||
        (st = LCL_CL(cl,
                     clGetEventProfilingInfo(t->start, CL_PROFILING_COMMAND_END,
                                             sizeof from, &from, NULL))) < 0 ||
        (st = LCL_CL(cl,
                     clGetEventProfilingInfo(t->end, CL_PROFILING_COMMAND_END,
                                             sizeof to, &to, NULL))) < 0)
        return st;
    *seconds = 1e-9 * (double)(to - from);
    return LCL_OK;
}

enum lcl_status lcl_timer_stop(lcl_timer **timer, double *seconds)
{
    lcl_timer *t = *timer;
    const struct lcl_cl_api *api = t->ctx->cl.api;
    enum lcl_status st = mark(t->ctx, &t->end);
    if (st == LCL_OK) {
        st = read_times(t, seconds);
        api->clReleaseEvent(t->end);
    }
    api->clReleaseEvent(t->start);
    lcl_free(t);
    *timer = NULL;
    return st;
}
