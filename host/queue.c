// SPDX-License-Identifier: BSD-3-Clause
// The second queue, and synchronisation between it and the first.
#include "host/queue.h"

#include "host/context.h"
#include "host/interop.h"
#include "host/kernel.h"

static enum lcl_status open_aux(lcl_context *ctx)
{
    cl_int code;
    if (ctx->aux)
        return LCL_OK;
    const enum lcl_status st =
        LCL_CL_MAKE(&ctx->cl, ctx->aux,
                    clCreateCommandQueue(
                        ctx->context, ctx->device,
                        ctx->trace ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    if (st < 0)
        ctx->aux = NULL;
    return st;
}

// Makes `later` wait for the work on `earlier`, and flushes `earlier`:
// otherwise the device might never start the work that `later` waits for.
static enum lcl_status follow(lcl_context *ctx, cl_command_queue later,
                              cl_command_queue earlier)
{
    const struct lcl_cl *cl = &ctx->cl;
    cl_event done;
    enum lcl_status st =
        LCL_CL(cl, clEnqueueMarkerWithWaitList(earlier, 0, NULL, &done));
    if (st < 0)
        return st;
    if ((st = LCL_CL(cl, clFlush(earlier))) == LCL_OK)
        st = LCL_CL(cl, clEnqueueBarrierWithWaitList(later, 1, &done, NULL));
    cl->api->clReleaseEvent(done);
    return st;
}

enum lcl_status lcl_fork(lcl_context *ctx)
{
    if (!ctx->caps.queues_overlap)
        return LCL_OK;
    const enum lcl_status st = open_aux(ctx);
    return st < 0 ? st : follow(ctx, ctx->aux, ctx->queue);
}

enum lcl_status lcl_join(lcl_context *ctx)
{
    if (!ctx->aux)
        return LCL_OK;
    const enum lcl_status st = follow(ctx, ctx->queue, ctx->aux);
    if (st < 0)
        ctx->cl.api->clFinish(ctx->aux);
    return st;
}

void lcl_aux_finish(lcl_context *ctx)
{
    if (!ctx->aux)
        return;
    ctx->cl.api->clFinish(ctx->aux);
    ctx->cl.api->clReleaseCommandQueue(ctx->aux);
    ctx->aux = NULL;
}

enum lcl_status lcl_write_aux(lcl_context *ctx, lcl_buffer *buffer, size_t at,
                              const void *data, size_t bytes)
{
    return bytes == 0
               ? LCL_OK
               : LCL_CL(&ctx->cl,
                        clEnqueueWriteBuffer(ctx->aux ? ctx->aux : ctx->queue,
                                             lcl_buffer_mem(buffer), CL_TRUE,
                                             at, bytes, data, 0, NULL, NULL));
}

enum lcl_status lcl_launch_aux(lcl_kernel *k, int64_t groups,
                               const struct lcl_arg *args, int count)
{
    lcl_context *ctx = k->ctx;
    return lcl_kernel_enqueue(ctx->aux ? ctx->aux : ctx->queue, k, groups, args,
                              count);
}
