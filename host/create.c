// SPDX-License-Identifier: BSD-3-Clause
// Context creation and destruction.
#include "host/context.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/blas.h"
#include "host/buffer.h"
#include "host/caps.h"
#include "host/device.h"
#include "host/helper.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/mailbox.h"
#include "host/memory.h"
#include "host/program.h"
#include "host/queue.h"
#include "host/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WIDTH = 1024 };

static enum lcl_status refuse_unfit(const lcl_context *ctx)
{
    if (!ctx->caps.fp64)
        return lcl_fail(&ctx->cl.log, LCL_EUNSUPPORTED,
                        "%s has no double precision (cl_khr_fp64), which every "
                        "solver needs",
                        ctx->caps.name);
    return LCL_OK;
}

// A forced width without an exchange method uses local memory, which works
// everywhere.
static enum lcl_status force(lcl_context *ctx, int width,
                             enum lcl_exchange exchange)
{
    if (width != 0) {
        if (width < 0 || width > MAX_WIDTH || (width & (width - 1)) != 0)
            return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                            "wave width %d: expected a power of two from 1 to "
                            "%d",
                            width, MAX_WIDTH);
        ctx->caps.width = width;
        ctx->caps.exchange =
            width == 1 ? LCL_EXCHANGE_NONE : LCL_EXCHANGE_LOCAL;
    }
    if (exchange != LCL_EXCHANGE_AUTO) {
        if ((exchange == LCL_EXCHANGE_NONE) != (ctx->caps.width == 1))
            return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                            "exchange '%s' does not work with wave width %d",
                            lcl_exchange_name(exchange), ctx->caps.width);
        ctx->caps.exchange = exchange;
    }
    return LCL_OK;
}

static enum lcl_status environment_exchange(const lcl_context *ctx,
                                            enum lcl_exchange *exchange)
{
    const char *text = getenv("LEVELCL_EXCHANGE");
    if (!text || !*text)
        return LCL_OK;
    for (int e = 0; e < LCL_EXCHANGE_COUNT; ++e)
        if (strcmp(text, lcl_exchange_name((enum lcl_exchange)e)) == 0) {
            *exchange = (enum lcl_exchange)e;
            return LCL_OK;
        }
    return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                    "LEVELCL_EXCHANGE=%s: expected auto, none, local, khr, "
                    "intel, nv_ptx or amd",
                    text);
}

static enum lcl_status environment_width(const lcl_context *ctx, int *width)
{
    const char *text = getenv("LEVELCL_WIDTH");
    char *end;
    if (!text || !*text)
        return LCL_OK;
    const long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > MAX_WIDTH)
        return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                        "LEVELCL_WIDTH=%s: expected a power of two from 1 to "
                        "%d",
                        text, MAX_WIDTH);
    *width = (int)value;
    return LCL_OK;
}

static enum lcl_status force_all(lcl_context *ctx,
                                 const struct lcl_context_params *params)
{
    int width = params->width;
    enum lcl_exchange exchange = params->exchange;
    enum lcl_status st = LCL_OK;
    if ((unsigned)exchange >= LCL_EXCHANGE_COUNT)
        return lcl_misuse(&ctx->cl.log,
                          "lcl_context_create: unknown exchange %d",
                          (int)exchange);
    if (width == 0)
        st = environment_width(ctx, &width);
    if (st == LCL_OK && exchange == LCL_EXCHANGE_AUTO)
        st = environment_exchange(ctx, &exchange);
    return st < 0 ? st : force(ctx, width, exchange);
}

static enum lcl_status open_queue(lcl_context *ctx)
{
    cl_int code;
    enum lcl_status st =
        LCL_CL_MAKE(&ctx->cl, ctx->context,
                    clCreateContext(NULL, 1, &ctx->device, NULL, NULL, &code));
    if (st < 0) {
        ctx->context = NULL;
        return st;
    }
    st = LCL_CL_MAKE(&ctx->cl, ctx->queue,
                     clCreateCommandQueue(ctx->context, ctx->device,
                                          CL_QUEUE_PROFILING_ENABLE, &code));
    if (st < 0)
        ctx->queue = NULL;
    return st;
}

// The kernels rely on queue order alone for synchronisation.
static enum lcl_status check_queue(const lcl_context *ctx, cl_context context,
                                   cl_command_queue queue)
{
    const struct lcl_cl *cl = &ctx->cl;
    cl_context of_context = NULL;
    cl_device_id of_device = NULL;
    cl_command_queue_properties properties = 0;
    enum lcl_status st;
    if ((st = LCL_CL(cl, clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT,
                                               sizeof of_context, &of_context,
                                               NULL))) < 0 ||
        (st = LCL_CL(cl, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE,
                                               sizeof of_device, &of_device,
                                               NULL))) < 0 ||
        (st = LCL_CL(cl, clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                                               sizeof properties, &properties,
                                               NULL))) < 0)
        return st;
    if (of_context != context || of_device != ctx->device)
        return lcl_fail(&cl->log, LCL_EINVAL,
                        "the queue belongs to another OpenCL %s",
                        of_context != context ? "context" : "device");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return lcl_fail(&cl->log, LCL_EINVAL,
                        "the queue is out-of-order, expected an in-order "
                        "queue");
    return LCL_OK;
}

static enum lcl_status adopt_queue(lcl_context *ctx, cl_context context,
                                   cl_command_queue queue)
{
    enum lcl_status st = check_queue(ctx, context, queue);
    if (st < 0 || (st = LCL_CL(&ctx->cl, clRetainContext(context))) < 0)
        return st;
    ctx->context = context;
    if ((st = LCL_CL(&ctx->cl, clRetainCommandQueue(queue))) == LCL_OK)
        ctx->queue = queue;
    return st;
}

static enum lcl_status begin(lcl_context **out, struct lcl_context_params *p,
                             const struct lcl_context_params *params,
                             const struct lcl_cl_api *api)
{
    static const struct lcl_context_params defaults = LCL_CONTEXT_PARAMS_INIT;
    *p = params ? *params : defaults;
    if (!out)
        return lcl_misuse(&p->log, "lcl_context_create: out is NULL");
    *out = NULL;
    lcl_context *ctx = lcl_calloc(1, sizeof *ctx);
    if (!ctx)
        return lcl_fail_memory(&p->log, "a context");
    ctx->cl.api = api;
    const enum lcl_status st = lcl_echo_init(&ctx->echo, &ctx->cl.log, &p->log);
    ctx->process = getpid();
    ctx->compiling = p->compiling;
    ctx->compiling_user = p->compiling_user;
    if (st < 0)
        lcl_free(ctx);
    else
        *out = ctx;
    return st;
}

// Completes a context whose device is chosen, with the caller's queue or, if
// NULL, a new one. Applies forced values last, so that the disk cache keeps the
// probe's own results.
static enum lcl_status finish(lcl_context *ctx,
                              const struct lcl_context_params *p,
                              cl_context context, cl_command_queue queue)
{
    static const int32_t zero = 0;
    enum lcl_status st;
    if ((st = lcl_caps_query(&ctx->cl, ctx->device, &ctx->caps)) < 0 ||
        (st = refuse_unfit(ctx)) < 0 ||
        (st = queue ? adopt_queue(ctx, context, queue) : open_queue(ctx)) < 0 ||
        (st = lcl_pool_init(ctx, p->no_pool)) < 0 ||
        (st = lcl_cache_init(&ctx->cache, p->cache_dir, p->no_cache,
                             &ctx->cl.log)) < 0 ||
        (st = lcl_caps_probe(ctx)) < 0 || (st = force_all(ctx, p)) < 0 ||
        (st = lcl_buffer_create_from(&ctx->no_stop, ctx, &zero, 1, sizeof zero,
                                     "stopping flag")) < 0)
        return st;
    lcl_helper_init(ctx, p->no_helper);
    ctx->profile = p->profile; // the probe's kernels may wait for each other
    lcl_info(&ctx->cl.log, "device %s (%s), width %d, exchange %s",
             ctx->caps.name, ctx->caps.platform, ctx->caps.width,
             lcl_exchange_name(ctx->caps.exchange));
    return LCL_OK;
}

enum lcl_status lcl_runtime_create(lcl_context **out,
                                   const struct lcl_context_params *params,
                                   const struct lcl_cl_api *api)
{
    struct lcl_context_params p;
    enum lcl_status st = begin(out, &p, params, api);
    if (st < 0)
        return st;
    lcl_context *ctx = *out;
    if ((st = lcl_device_choose(&ctx->cl, p.device, &ctx->device)) < 0 ||
        (st = finish(ctx, &p, NULL, NULL)) < 0)
        lcl_context_destroy(out);
    return st;
}

enum lcl_status lcl_runtime_create_cl(lcl_context **out, cl_context context,
                                      cl_device_id device,
                                      cl_command_queue queue,
                                      const struct lcl_context_params *params,
                                      const struct lcl_cl_api *api)
{
    struct lcl_context_params p;
    enum lcl_status st = begin(out, &p, params, api);
    if (st < 0)
        return st;
    lcl_context *ctx = *out;
    if (!context || !device || !queue) {
        lcl_context_destroy(out);
        return lcl_misuse(&p.log, "lcl_context_create_cl: an argument is NULL");
    }
    ctx->device = device;
    if ((st = lcl_device_expect_process(&p.log)) < 0 ||
        (st = finish(ctx, &p, context, queue)) < 0)
        lcl_context_destroy(out);
    return st;
}

void lcl_context_destroy(lcl_context **context)
{
    if (!context || !*context)
        return;
    lcl_context *ctx = *context;
    if (!lcl_context_lets_go(ctx, context, "lcl_context_destroy"))
        return;
    lcl_helper_finish(ctx);
    lcl_aux_finish(ctx);
    lcl_mailbox_finish(ctx);
    lcl_buffer_destroy(&ctx->no_stop);
    if (ctx->queue)
        ctx->cl.api->clFinish(ctx->queue);
    lcl_blas_forget(ctx);
    lcl_programs_finish(ctx);
    lcl_pool_finish(ctx);
    lcl_cache_finish(&ctx->cache);
    if (ctx->queue)
        ctx->cl.api->clReleaseCommandQueue(ctx->queue);
    if (ctx->context)
        ctx->cl.api->clReleaseContext(ctx->context);
    lcl_free(ctx);
    *context = NULL;
}

const struct lcl_caps *lcl_context_caps(const lcl_context *ctx)
{
    return ctx ? &ctx->caps : NULL;
}

void lcl_context_set_limit(lcl_context *ctx, const struct lcl_limit *L)
{
    ctx->limit = L ? *L : (struct lcl_limit){.deadline = 0};
}

bool lcl_context_limit_launches(lcl_context *ctx, bool launches)
{
    const bool before = ctx->limit.launches;
    ctx->limit.launches = launches;
    return before;
}

const struct lcl_limit *lcl_context_limit(const lcl_context *ctx)
{
    return &ctx->limit;
}

const struct lcl_log *lcl_context_log(const lcl_context *ctx)
{
    return ctx ? &ctx->cl.log : NULL;
}

enum lcl_log_level lcl_context_set_log_level(lcl_context *ctx,
                                             enum lcl_log_level level)
{
    const enum lcl_log_level before = ctx->cl.log.level;
    ctx->cl.log.level = level;
    return before;
}

double lcl_context_seconds(const lcl_context *ctx, enum lcl_phase phase)
{
    return ctx && (unsigned)phase < LCL_PHASE_COUNT
               ? lcl_clock_seconds(&ctx->clock, phase)
               : 0;
}

struct lcl_task_info lcl_context_task(const lcl_context *ctx,
                                      enum lcl_task task)
{
    static const struct lcl_task_info none;
    return ctx && (unsigned)task < LCL_TASK_COUNT ? ctx->clock.task[task]
                                                  : none;
}

struct lcl_build_info lcl_context_builds(const lcl_context *ctx)
{
    struct lcl_build_info builds = {0};
    if (!ctx)
        return builds;
    builds = ctx->builds;
    builds.kept = lcl_programs_are_kept(ctx);
    return builds;
}

enum lcl_status lcl_context_wait(lcl_context *ctx)
{
    const enum lcl_status st = LCL_CL(&ctx->cl, clFinish(ctx->queue));
    if (st == LCL_OK)
        lcl_cl_checked(&ctx->cl);
    return st;
}

enum lcl_status lcl_context_flush(lcl_context *ctx)
{
    return LCL_CL(&ctx->cl, clFlush(ctx->queue));
}

static void settle(lcl_context *ctx)
{
    if (ctx->profile)
        (void)lcl_context_wait(ctx);
}

void lcl_task_enter(lcl_context *ctx, enum lcl_task task)
{
    settle(ctx);
    lcl_clock_enter(&ctx->clock, task);
}

void lcl_task_next(lcl_context *ctx, enum lcl_task task)
{
    settle(ctx);
    lcl_clock_next(&ctx->clock, task);
}

void lcl_task_leave(lcl_context *ctx)
{
    settle(ctx);
    lcl_clock_leave(&ctx->clock);
}

void lcl_task_bytes(lcl_context *ctx, uint64_t bytes)
{
    lcl_clock_count(&ctx->clock, bytes, 0);
}
