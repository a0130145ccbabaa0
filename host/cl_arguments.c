// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the functions with OpenCL objects: arrays and events of the
// caller.
#include "host/cl_arguments.h"

#include "host/buffer.h"
#include "host/context.h"
#include "host/log.h"

// ------------------------------------------------------------------- arrays

bool lcl_array_is_missing(const struct lcl_array_cl *array)
{
    return !array || !array->mem;
}

enum lcl_status lcl_array_wrap(lcl_buffer **out, lcl_context *ctx,
                               const struct lcl_array_cl *array, int64_t count,
                               size_t size, int access, const char *what)
{
    const enum lcl_status st =
        lcl_buffer_wrap(out, ctx, array->mem, access, what);
    if (st < 0)
        return st;
    const size_t bytes = lcl_buffer_bytes(*out);
    const int64_t at = array->offset;
    if (at < 0 || !lcl_buffer_fits(at, size, bytes) ||
        !lcl_buffer_fits(count, size, bytes - (size_t)at * size)) {
        lcl_buffer_destroy(out);
        return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                        "buffer %s has %zu bytes, expected at least %lld "
                        "entries of %zu bytes from entry %lld on",
                        what, bytes, (long long)count, size, (long long)at);
    }
    lcl_buffer_select(*out, (size_t)at * size, (size_t)count * size);
    return LCL_OK;
}

bool lcl_arrays_overlap(const struct lcl_array_cl *a, int64_t of_a,
                        const struct lcl_array_cl *b, int64_t of_b)
{
    return a->mem == b->mem &&
           (a->offset < b->offset ? b->offset - a->offset < of_a
                                  : a->offset - b->offset < of_b);
}

// Replaces the selected part of a buffer by a copy.
static enum lcl_status replace(lcl_buffer **selected, lcl_context *ctx,
                               const char *what)
{
    const lcl_buffer *given = *selected;
    const int64_t bytes = (int64_t)lcl_buffer_bytes(given);
    lcl_buffer *copy;
    enum lcl_status st = lcl_buffer_create(&copy, ctx, bytes, 1, what);
    if (st == LCL_OK && (st = lcl_buffer_copy(copy, given)) < 0)
        lcl_buffer_destroy(&copy);
    if (st == LCL_OK) {
        lcl_buffer_destroy(selected);
        *selected = copy;
    }
    return st;
}

enum lcl_status lcl_array_take(lcl_buffer **out, lcl_context *ctx,
                               const struct lcl_array_cl *array, int64_t count,
                               size_t size, const char *what)
{
    enum lcl_status st =
        lcl_array_wrap(out, ctx, array, count, size, LCL_ACCESS_READ, what);
    if (st == LCL_OK && array->offset > 0 && (st = replace(out, ctx, what)) < 0)
        lcl_buffer_destroy(out);
    return st;
}

// ------------------------------------------------------------------- pairs

static enum lcl_status wrap_pair(struct lcl_pair *v, lcl_context *ctx,
                                 const struct lcl_pair_plan *p)
{
    const size_t size = sizeof(double);
    const int access = LCL_ACCESS_WRITE | (p->rereads ? LCL_ACCESS_READ : 0);
    const enum lcl_status st = lcl_array_wrap(&v->x, ctx, p->x, p->in, size,
                                              LCL_ACCESS_READ, p->name_of_x);
    return st < 0 ? st
                  : lcl_array_wrap(&v->y, ctx, p->y, p->out, size, access,
                                   p->name_of_y);
}

enum lcl_status lcl_pair_begin(struct lcl_pair *v, lcl_context *ctx,
                               const struct lcl_pair_plan *p)
{
    enum lcl_status st = wrap_pair(v, ctx, p);
    if (st < 0)
        return st;
    const bool overlap = lcl_arrays_overlap(p->x, p->in, p->y, p->out);
    if (overlap && !p->may_overlap)
        return lcl_fail(&ctx->cl.log, LCL_EINVAL, "%s and %s overlap",
                        p->name_of_x, p->name_of_y);
    if ((overlap || p->x->offset > 0) &&
        (st = replace(&v->x, ctx, p->name_of_x)) < 0)
        return st;
    if (p->y->offset == 0)
        return LCL_OK;
    v->result = v->y;
    return lcl_buffer_create(&v->y, ctx, p->out, sizeof(double), p->name_of_y);
}

enum lcl_status lcl_pair_end(struct lcl_pair *v, enum lcl_status st)
{
    if (st >= 0 && v->result) {
        const enum lcl_status got = lcl_buffer_copy(v->result, v->y);
        st = got < 0 ? got : st;
    }
    lcl_buffer_destroy(&v->x);
    lcl_buffer_destroy(&v->y);
    lcl_buffer_destroy(&v->result);
    return st;
}

// ------------------------------------------------------------------- events

static enum lcl_status check_event(const lcl_context *ctx, cl_uint k,
                                   cl_event event)
{
    cl_context of_context = NULL;
    const cl_int code =
        event
            ? ctx->cl.api->clGetEventInfo(event, CL_EVENT_CONTEXT,
                                          sizeof of_context, &of_context, NULL)
            : CL_INVALID_EVENT;
    if (code != CL_SUCCESS)
        return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                        "event %u of the wait list is not valid: %s",
                        (unsigned)k, lcl_cl_error_name(code));
    return of_context == ctx->context
               ? LCL_OK
               : lcl_fail(&ctx->cl.log, LCL_EINVAL,
                          "event %u of the wait list belongs to another OpenCL "
                          "context",
                          (unsigned)k);
}

const struct lcl_events_cl *lcl_events_begin(const struct lcl_events_cl *events)
{
    static const struct lcl_events_cl none = {0};
    if (events && events->done)
        *events->done = NULL;
    return events ? events : &none;
}

enum lcl_status lcl_events_check(const lcl_context *ctx,
                                 const struct lcl_events_cl *events)
{
    enum lcl_status st = LCL_OK;
    if (events->count > 0 && !events->wait)
        return lcl_misuse(&ctx->cl.log, "a wait list of %u events is NULL",
                          (unsigned)events->count);
    for (cl_uint k = 0; k < events->count && st == LCL_OK; ++k)
        st = check_event(ctx, k, events->wait[k]);
    return st;
}

// Whether an event has failed, whatever clWaitForEvents() has returned.
static bool has_failed(const lcl_context *ctx, cl_uint count,
                       const cl_event *wait)
{
    for (cl_uint k = 0; k < count; ++k) {
        cl_int status = CL_COMPLETE;
        ctx->cl.api->clGetEventInfo(wait[k], CL_EVENT_COMMAND_EXECUTION_STATUS,
                                    sizeof status, &status, NULL);
        if (status < 0)
            return true;
    }
    return false;
}

enum lcl_status lcl_events_wait(const lcl_context *ctx, cl_uint count,
                                const cl_event *wait)
{
    if (count == 0)
        return LCL_OK;
    const cl_int code = ctx->cl.api->clWaitForEvents(count, wait);
    if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
        has_failed(ctx, count, wait))
        return lcl_fail(&ctx->cl.log, LCL_EDEVICE,
                        "the work of an event in the wait list has failed");
    return lcl_cl_status(&ctx->cl, code, "clWaitForEvents", LCL_CL_PLACE);
}

enum lcl_status lcl_events_enter(const lcl_context *ctx,
                                 const struct lcl_events_cl *events)
{
    const enum lcl_status st = lcl_events_check(ctx, events);
    return st < 0 ? st : lcl_events_wait(ctx, events->count, events->wait);
}

void lcl_events_retain(const lcl_context *ctx, cl_uint count,
                       const cl_event *wait, cl_event *kept)
{
    for (cl_uint k = 0; k < count; ++k) {
        kept[k] = wait[k];
        ctx->cl.api->clRetainEvent(kept[k]);
    }
}

void lcl_events_release(const lcl_context *ctx, cl_uint count,
                        const cl_event *kept)
{
    for (cl_uint k = 0; k < count; ++k)
        ctx->cl.api->clReleaseEvent(kept[k]);
}

enum lcl_status lcl_events_mark(lcl_context *ctx, cl_event *done)
{
    const struct lcl_cl *cl = &ctx->cl;
    cl_event marker;
    enum lcl_status st;
    if (!done)
        return LCL_OK;
    if ((st = LCL_CL(cl, clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL,
                                                     &marker))) < 0)
        return st;
    if ((st = LCL_CL(cl, clFlush(ctx->queue))) < 0)
        cl->api->clReleaseEvent(marker);
    else
        *done = marker;
    return st;
}
