// SPDX-License-Identifier: BSD-3-Clause
// Work of a context on a thread of its own.
#include "host/background.h"

#include "host/context.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"

#include <time.h>

enum { IDLE = 0, STARTING, RUNNING };

// Once the state is IDLE, the caller may use and even destroy the data behind
// `arg`, and start another thread, which joins this one.
static void *run(void *arg)
{
    lcl_context *ctx = arg;
    struct lcl_background *B = &ctx->background;
    const struct lcl_cl_api *api = ctx->cl.api;
    cl_event done = B->done;
    B->self = pthread_self();
    atomic_store(&B->state, RUNNING);
    const enum lcl_status st = B->fn(B->arg);
    atomic_store(&B->state, IDLE);
    api->clSetUserEventStatus(done, st < 0 ? (cl_int)st : CL_COMPLETE);
    api->clReleaseEvent(done);
    return NULL;
}

static bool is_own_thread(const struct lcl_background *B)
{
    return atomic_load(&B->state) == RUNNING &&
           pthread_equal(B->self, pthread_self());
}

void lcl_background_wait(lcl_context *ctx)
{
    struct lcl_background *B = &ctx->background;
    if (is_own_thread(B) || !B->joinable)
        return;
    B->joinable = false;
    // a callback of *done may run on the thread itself
    if (pthread_equal(B->thread, pthread_self()))
        pthread_detach(B->thread);
    else
        pthread_join(B->thread, NULL);
}

// Releases both references to an event that no thread will complete. The event
// gets a status first: NVIDIA's driver crashes or hangs if a user event is
// released without one (580, 2026-11).
static void drop(const struct lcl_cl_api *api, cl_event *done)
{
    api->clSetUserEventStatus(*done, (cl_int)LCL_ENOMEM);
    api->clReleaseEvent(*done);
    api->clReleaseEvent(*done);
    *done = NULL;
}

enum lcl_status lcl_background_start(lcl_context *ctx, lcl_background_fn *fn,
                                     void *arg, cl_event *done)
{
    struct lcl_background *B = &ctx->background;
    const struct lcl_cl *cl = &ctx->cl;
    cl_int code;
    lcl_background_wait(ctx);
    const enum lcl_status st =
        LCL_CL_MAKE(cl, *done, clCreateUserEvent(ctx->context, &code));
    if (st < 0)
        return st;
    cl->api->clRetainEvent(*done);
    B->fn = fn;
    B->arg = arg;
    B->done = *done;
    atomic_store(&B->state, STARTING);
    B->joinable = lcl_thread_start(&B->thread, run, ctx);
    if (B->joinable)
        return LCL_OK;
    atomic_store(&B->state, IDLE);
    drop(cl->api, done);
    return lcl_fail_memory(&cl->log, "a thread");
}

void lcl_background_rest(const lcl_context *ctx, cl_event event)
{
    const struct timespec pause = {0, 20000};
    cl_int status = CL_QUEUED;
    if (ctx->caps.type != LCL_DEVICE_GPU || !is_own_thread(&ctx->background))
        return;
    while (ctx->cl.api->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                       sizeof status, &status,
                                       NULL) == CL_SUCCESS &&
           status > CL_COMPLETE)
        nanosleep(&pause, NULL);
}

bool lcl_background_is_busy(const lcl_context *ctx)
{
    const struct lcl_background *B = &ctx->background;
    return atomic_load(&B->state) != IDLE && !is_own_thread(B);
}
