// SPDX-License-Identifier: BSD-3-Clause
// Kernel creation, arguments and launches.
#include "host/launch.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/helper.h"
#include "host/interop.h"
#include "host/kernel.h"
#include "host/log.h"
#include "host/trace_launch.h"

#include <stdio.h>
#include <time.h>

// PoCL compiles a kernel when its first launch starts, and again for the first
// grid with this many work-items.
enum { LARGE_GRID = 65535 };

static size_t kernel_info(lcl_context *ctx, cl_kernel kernel,
                          cl_kernel_work_group_info what)
{
    cl_ulong value = 0; // one of the two queries returns size_t, which has the
                        // same width here
    ctx->cl.api->clGetKernelWorkGroupInfo(kernel, ctx->device, what,
                                          sizeof value, &value, NULL);
    return (size_t)value;
}

// Checked before the first enqueue: PoCL aborts on too much local memory.
static enum lcl_status check_limits(lcl_context *ctx, cl_kernel kernel,
                                    const struct lcl_spec *spec)
{
    const size_t local = kernel_info(ctx, kernel, CL_KERNEL_LOCAL_MEM_SIZE);
    size_t group = kernel_info(ctx, kernel, CL_KERNEL_WORK_GROUP_SIZE);
    if (group > (size_t)ctx->caps.max_group_size)
        group = (size_t)ctx->caps.max_group_size;
    if (local > ctx->caps.local_bytes)
        return lcl_fail(&ctx->cl.log, LCL_ERANGE,
                        "%s needs %zu bytes of local memory, %s has %llu",
                        spec->kernel, local, ctx->caps.name,
                        (unsigned long long)ctx->caps.local_bytes);
    if ((size_t)spec->group > group)
        return lcl_fail(&ctx->cl.log, LCL_ERANGE,
                        "%s needs work-groups of %d work-items, %s supports "
                        "%zu",
                        spec->kernel, spec->group, ctx->caps.name, group);
    return LCL_OK;
}

enum lcl_status lcl_kernel_make(struct lcl_kernel **out, lcl_context *ctx,
                                cl_program program, const struct lcl_spec *spec)
{
    cl_int code;
    struct lcl_kernel *k = lcl_calloc(1, sizeof *k);
    if (!k)
        return lcl_fail_memory(&ctx->cl.log, "a kernel");
    *k = (struct lcl_kernel){.ctx = ctx, .group = spec->group};
    snprintf(k->name, sizeof k->name, "%s", spec->kernel);
    enum lcl_status st = LCL_CL_MAKE(
        &ctx->cl, k->kernel, clCreateKernel(program, spec->kernel, &code));
    if (st < 0) {
        lcl_free(k);
        return st;
    }
    if ((st = check_limits(ctx, k->kernel, spec)) < 0) {
        lcl_kernel_free(ctx, k);
        return st;
    }
    *out = k;
    return LCL_OK;
}

void lcl_kernel_free(lcl_context *ctx, struct lcl_kernel *kernel)
{
    ctx->cl.api->clReleaseKernel(kernel->kernel);
    lcl_free(kernel);
}

const char *lcl_kernel_name(const struct lcl_kernel *kernel)
{
    return kernel->name;
}

static enum lcl_status set_arg(lcl_kernel *k, cl_uint index,
                               const struct lcl_arg *arg)
{
    if (arg->bytes > 0)
        return LCL_CL(&k->ctx->cl, clSetKernelArg(k->kernel, index, arg->bytes,
                                                  &arg->value));
    const cl_mem mem = lcl_buffer_mem(arg->buffer);
    return LCL_CL(&k->ctx->cl,
                  clSetKernelArg(k->kernel, index, sizeof mem, &mem));
}

static enum lcl_status start(cl_command_queue queue, lcl_kernel *k,
                             size_t global, size_t local, cl_event *event)
{
    lcl_context *ctx = k->ctx;
    cl_event own = NULL;
    cl_event *const out = event || !ctx->trace ? event : &own;
    const enum lcl_status st =
        LCL_CL(&ctx->cl, clEnqueueNDRangeKernel(queue, k->kernel, 1, NULL,
                                                &global, &local, 0, NULL, out));
    if (st < 0)
        return st;
    lcl_cl_launched(&ctx->cl, k->name);
    if (ctx->trace)
        lcl_trace_launch(ctx, k->name, *out);
    if (own)
        ctx->cl.api->clReleaseEvent(own);
    return LCL_OK;
}

// Waits until the driver starts a launch, not until it ends: the kernel may be
// waiting for another queue.
static enum lcl_status await_start(lcl_context *ctx, cl_event launch)
{
    const struct timespec nap = {.tv_nsec = 50 * 1000};
    cl_int state = CL_QUEUED;
    for (;;) {
        const enum lcl_status st = LCL_CL(
            &ctx->cl, clGetEventInfo(launch, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                     sizeof state, &state, NULL));
        if (st < 0 || (state <= CL_RUNNING && state >= CL_COMPLETE))
            return st;
        if (state < 0)
            return lcl_cl_status(&ctx->cl, state,
                                 "the first launch of a kernel", LCL_CL_PLACE);
        nanosleep(&nap, NULL);
    }
}

// Waits for earlier launches first, so that they do not count as compilation.
static enum lcl_status compile(cl_command_queue queue, lcl_kernel *k,
                               size_t global, size_t local)
{
    lcl_context *ctx = k->ctx;
    cl_event launch;
    enum lcl_status st = LCL_CL(&ctx->cl, clFinish(queue));
    if (st < 0)
        return st;
    lcl_announce_compilation(ctx);
    lcl_clock_enter(&ctx->clock, LCL_TASK_COMPILE);
    const double since = lcl_now();
    const struct lcl_helper_look look = lcl_helper_before(ctx);
    st = start(queue, k, global, local, &launch);
    if (st == LCL_OK) {
        if ((st = LCL_CL(&ctx->cl, clFlush(queue))) == LCL_OK)
            st = await_start(ctx, launch);
        ctx->cl.api->clReleaseEvent(launch);
    }
    lcl_clock_leave(&ctx->clock);
    lcl_debug(&ctx->cl.log, "compiled kernel %s in %.3f s", k->name,
              lcl_now() - since);
    lcl_helper_after(ctx, &look);
    k->compiled[global >= LARGE_GRID] = st == LCL_OK;
    return st;
}

static enum lcl_status submit(cl_command_queue queue, lcl_kernel *k,
                              size_t global, size_t local)
{
    if (k->ctx->caps.type == LCL_DEVICE_CPU &&
        !k->compiled[global >= LARGE_GRID])
        return compile(queue, k, global, local);
    return start(queue, k, global, local, NULL);
}

enum lcl_status lcl_kernel_enqueue(cl_command_queue queue, lcl_kernel *k,
                                   int64_t groups, const struct lcl_arg *args,
                                   int count)
{
    const size_t local = (size_t)k->group;
    if (groups == 0)
        return LCL_OK;
    if (groups < 0 || groups > lcl_launch_most(k->group))
        return lcl_fail(&k->ctx->cl.log, LCL_ERANGE,
                        "%s: %lld work-groups of %d work-items, expected at "
                        "most 2^31 - 1 work-items",
                        k->name, (long long)groups, k->group);
    enum lcl_status st = LCL_OK;
    if (k->ctx->limit.launches)
        st = lcl_limit_look(&k->ctx->limit, &k->ctx->cl.log);
    for (int i = 0; i < count && st == LCL_OK; ++i)
        st = set_arg(k, (cl_uint)i, &args[i]);
    if (st < 0)
        return st;
    lcl_clock_count(&k->ctx->clock, 0, 1);
    return submit(queue, k, (size_t)groups * local, local);
}

enum lcl_status lcl_launch(lcl_kernel *k, int64_t groups,
                           const struct lcl_arg *args, int count)
{
    return lcl_kernel_enqueue(k->ctx->queue, k, groups, args, count);
}
