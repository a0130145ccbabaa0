// SPDX-License-Identifier: BSD-3-Clause
// Keeps events of launches and reads their times.
#include "host/trace.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"
#include "host/queue.h"
#include "host/trace_launch.h"

const char lcl_trace_read[] = "read", lcl_trace_write[] = "write";

struct launch {
    cl_event event;
    const char *kernel;
    int label;
};

struct lcl_trace {
    struct launch *all;
    size_t count, room;
    int label;
    bool full; // no memory for an event
};

// A second queue that exists already records no times.
enum lcl_status lcl_trace_begin(lcl_context *ctx)
{
    if (ctx->trace)
        return lcl_fail(&ctx->cl.log, LCL_EINVAL, "a trace has begun already");
    lcl_aux_finish(ctx);
    ctx->trace = lcl_calloc(1, sizeof *ctx->trace);
    return ctx->trace ? LCL_OK : lcl_fail_memory(&ctx->cl.log, "a trace");
}

int lcl_trace_label(lcl_context *ctx, int label)
{
    struct lcl_trace *T = ctx->trace;
    const int before = T ? T->label : 0;
    if (T)
        T->label = label;
    return before;
}

static bool grow(struct lcl_trace *T)
{
    const size_t room = T->room ? 2 * T->room : 1024;
    struct launch *all = lcl_realloc(T->all, room, sizeof *all);
    if (!all)
        return false;
    T->all = all;
    T->room = room;
    return true;
}

void lcl_trace_launch(lcl_context *ctx, const char *kernel, cl_event event)
{
    struct lcl_trace *T = ctx->trace;
    if (T->count == T->room && !grow(T)) {
        T->full = true;
        return;
    }
    ctx->cl.api->clRetainEvent(event);
    T->all[T->count++] = (struct launch){event, kernel, T->label};
}

void lcl_trace_transfer(lcl_context *ctx, bool to_host, cl_event event)
{
    if (!event)
        return;
    lcl_trace_launch(ctx, to_host ? lcl_trace_read : lcl_trace_write, event);
    ctx->cl.api->clReleaseEvent(event);
}

static enum lcl_status read_time(const lcl_context *ctx, cl_event event,
                                 cl_profiling_info what, cl_ulong *time)
{
    return LCL_CL(&ctx->cl, clGetEventProfilingInfo(event, what, sizeof *time,
                                                    time, NULL));
}

static enum lcl_status read_spans(lcl_context *ctx, const struct lcl_trace *T,
                                  struct lcl_span *spans)
{
    cl_ulong first = 0;
    enum lcl_status st = LCL_OK;
    for (size_t k = 0; k < T->count && st == LCL_OK; ++k) {
        const struct launch *l = &T->all[k];
        cl_ulong start = 0, end = 0;
        if ((st = LCL_CL(&ctx->cl, clWaitForEvents(1, &l->event))) < 0 ||
            (st = read_time(ctx, l->event, CL_PROFILING_COMMAND_START,
                            &start)) < 0 ||
            (st = read_time(ctx, l->event, CL_PROFILING_COMMAND_END, &end)) < 0)
            break;
        if (k == 0)
            first = start;
        spans[k] = (struct lcl_span){l->kernel, l->label,
                                     1e-9 * ((double)start - (double)first),
                                     1e-9 * ((double)end - (double)first)};
    }
    return st;
}

static void finish(lcl_context *ctx)
{
    struct lcl_trace *T = ctx->trace;
    for (size_t k = 0; k < T->count; ++k)
        ctx->cl.api->clReleaseEvent(T->all[k].event);
    lcl_free(T->all);
    lcl_free(T);
    ctx->trace = NULL;
}

enum lcl_status lcl_trace_end(lcl_context *ctx, struct lcl_span **spans,
                              size_t *count)
{
    const struct lcl_trace *T = ctx->trace;
    enum lcl_status st = LCL_ENOMEM;
    *spans = NULL;
    *count = 0;
    if (!T)
        return LCL_OK;
    struct lcl_span *out = lcl_malloc(T->count + 1, sizeof *out);
    if (out && !T->full)
        st = read_spans(ctx, T, out);
    else
        lcl_fail_memory(&ctx->cl.log, "a trace");
    if (st == LCL_OK) {
        *spans = out;
        *count = T->count;
    } else {
        lcl_free(out);
    }
    finish(ctx);
    return st;
}
