// SPDX-License-Identifier: BSD-3-Clause
// Probes device capabilities by trial builds and launches.
#include "host/caps.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/kernel.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <string.h>

// PROBE values of probe.cl.
enum { EXCHANGE = 1, LOCAL = 2, WAITS = 3, ADD = 4 };

enum { ITEMS = 64 };

// Probe results cached on disk.
struct findings {
    uint64_t local_bytes;
    int32_t exchange, local_add, progress, queues_overlap, strict_rounding;
    int32_t proven;
};

static bool run_to(lcl_kernel *kernel, lcl_buffer *out, double *result,
                   size_t bytes)
{
    return lcl_buffer_fill(out, 0xff) == LCL_OK &&
           LCL_LAUNCH(kernel, 1, lcl_arg_buffer(out)) == LCL_OK &&
           lcl_buffer_read(out, result, bytes) == LCL_OK;
}

static bool try_exchange(lcl_context *ctx, lcl_buffer *out,
                         enum lcl_exchange exchange)
{
    const int width = ctx->caps.width, group = width > ITEMS ? width : ITEMS;
    const struct lcl_spec spec = {.source = "probe.cl",
                                  .kernel = "exchange",
                                  .group = group,
                                  .defines = {{"PROBE", EXCHANGE}},
                                  .exchange = exchange};
    lcl_kernel *kernel;
    double sum[1024];
    if (lcl_kernel_get(&kernel, ctx, &spec) < 0 ||
        !run_to(kernel, out, sum, (size_t)group * sizeof *sum))
        return false;
    for (int i = 0; i < group; ++i)
        if (sum[i] != 0.5 * width * (width - 1))
            return false;
    return true;
}

static void probe_exchange(lcl_context *ctx, lcl_buffer *out)
{
    if (ctx->caps.width > 1 && !try_exchange(ctx, out, ctx->caps.exchange)) {
        lcl_debug(&ctx->cl.log, "exchange '%s' does not work on this device",
                  lcl_exchange_name(ctx->caps.exchange));
        ctx->caps.exchange = LCL_EXCHANGE_LOCAL;
    }
}

static bool try_local(lcl_context *ctx, lcl_buffer *out, uint64_t bytes)
{
    const int doubles = (int)(bytes / sizeof(double));
    const struct lcl_spec spec = {
        .source = "probe.cl",
        .kernel = "local_memory",
        .group = ctx->caps.width > 1 ? ctx->caps.width : 1,
        .defines = {{"PROBE", LOCAL}, {"LOCAL_DOUBLES", doubles}}};
    const uint64_t claim = ctx->caps.local_bytes;
    lcl_kernel *kernel;
    double last = 0;
    ctx->caps.local_bytes = bytes + 16; // a driver may add a few bytes of its
                                        // own
    if (lcl_kernel_get(&kernel, ctx, &spec) == LCL_OK &&
        run_to(kernel, out, &last, sizeof last) && last == doubles - 1)
        return true;
    ctx->caps.local_bytes = claim;
    return false;
}

// NVIDIA reports 48 KiB, the limit of arrays sized by an argument; arrays of
// static size, the only kind used here, can use all local memory of the chip
// (H200, driver 580: 227 KiB less 8 bytes, 2026-11). On other devices the
// reported value is used.
static void probe_local(lcl_context *ctx, lcl_buffer *out)
{
    static const int kib[] = {227, 163, 99, 64};
    if (ctx->caps.exchange != LCL_EXCHANGE_NV_PTX)
        return;
    for (size_t i = 0; i < sizeof kib / sizeof *kib; ++i) {
        const uint64_t bytes = (uint64_t)kib[i] * 1024 - 64;
        if (bytes > ctx->caps.local_bytes && try_local(ctx, out, bytes)) {
            ctx->caps.local_bytes = bytes;
            return;
        }
    }
}

static bool try_add(lcl_context *ctx, lcl_buffer *out, enum lcl_atomic_add how)
{
    const struct lcl_spec spec = {.source = "probe.cl",
                                  .kernel = "local_add",
                                  .width = ITEMS,
                                  .group = ITEMS,
                                  .defines = {{"PROBE", ADD}},
                                  .exchange = LCL_EXCHANGE_LOCAL,
                                  .add = how};
    lcl_kernel *kernel;
    double sum;
    return lcl_kernel_get(&kernel, ctx, &spec) == LCL_OK &&
           run_to(kernel, out, &sum, sizeof sum) &&
           sum == 0.5 * ITEMS * (ITEMS - 1);
}

// Tries the reported method first, then compare and swap.
static void probe_add(lcl_context *ctx, lcl_buffer *out)
{
    const enum lcl_atomic_add claim = ctx->caps.local_add;
    ctx->caps.local_add = LCL_ATOMIC_ADD_NONE;
    if (claim != LCL_ATOMIC_ADD_NONE && try_add(ctx, out, claim))
        ctx->caps.local_add = claim;
    else if (ctx->caps.int64_atomics && try_add(ctx, out, LCL_ATOMIC_ADD_CAS))
        ctx->caps.local_add = LCL_ATOMIC_ADD_CAS;
}

static bool try_progress(lcl_kernel *kernel, lcl_buffer *out, lcl_buffer *flag,
                         int stride)
{
    double ended[2 * ITEMS];
    if (lcl_buffer_fill(flag, 0) < 0 || lcl_buffer_fill(out, 0xff) < 0 ||
        LCL_LAUNCH(kernel, 2, lcl_arg_buffer(out), lcl_arg_buffer(flag),
                   lcl_arg_int(stride)) < 0 ||
        lcl_buffer_read(out, ended, sizeof ended) < 0)
        return false;
    for (int i = 0; i < 2 * ITEMS; ++i)
        if (ended[i] != 1)
            return false;
    return true;
}

static enum lcl_status get_waiting(lcl_kernel **out, lcl_context *ctx,
                                   const char *name)
{
    const struct lcl_spec spec = {.source = "probe.cl",
                                  .kernel = name,
                                  .width = 1,
                                  .exchange = LCL_EXCHANGE_NONE,
                                  .group = ITEMS,
                                  .defines = {{"PROBE", WAITS}}};
    return lcl_kernel_get(out, ctx, &spec);
}

static void probe_progress(lcl_context *ctx, lcl_buffer *out, lcl_buffer *flag)
{
    lcl_kernel *kernel;
    ctx->caps.progress = LCL_PROGRESS_NONE;
    if (get_waiting(&kernel, ctx, "progress") < 0 ||
        !try_progress(kernel, out, flag, ITEMS))
        return;
    ctx->caps.progress = try_progress(kernel, out, flag, 1)
                             ? LCL_PROGRESS_WAVE
                             : LCL_PROGRESS_GROUP;
}

// Launches the waiting kernel on the context's queue and the kernel that sets
// the flag on another queue, after using both queues once (NVIDIA runs the
// first launches of a queue alone).
static bool see_overlap(lcl_context *ctx, cl_command_queue second,
                        lcl_kernel *wait, lcl_kernel *set, lcl_buffer *out,
                        lcl_buffer *flag)
{
    cl_command_queue first = ctx->queue;
    double seen = 0;
    for (int round = 0; round < 2; ++round) {
        if (lcl_buffer_fill(flag, 0) < 0 || lcl_context_wait(ctx) < 0 ||
            LCL_LAUNCH(wait, 1, lcl_arg_buffer(out), lcl_arg_buffer(flag)) <
                0 ||
            lcl_context_flush(ctx) < 0)
            return false;
        ctx->queue = second;
        const enum lcl_status st = LCL_LAUNCH(set, 1, lcl_arg_buffer(flag));
        const enum lcl_status done = lcl_context_wait(ctx);
        ctx->queue = first;
        if (st < 0 || done < 0 || lcl_buffer_read(out, &seen, sizeof seen) < 0)
            return false;
    }
    return seen == 1;
}

static void probe_queues(lcl_context *ctx, lcl_buffer *out, lcl_buffer *flag)
{
    lcl_kernel *wait, *set;
    cl_int code;
    if (get_waiting(&wait, ctx, "wait_for_flag") < 0 ||
        get_waiting(&set, ctx, "set_flag") < 0)
        return;
    cl_command_queue second =
        ctx->cl.api->clCreateCommandQueue(ctx->context, ctx->device, 0, &code);
    if (code != CL_SUCCESS)
        return;
    ctx->caps.queues_overlap = see_overlap(ctx, second, wait, set, out, flag);
    ctx->cl.api->clReleaseCommandQueue(second);
}

// The square of 1 + 2^-30 less its leading terms, and the number as a float.
// Compilers may drop the rounding to float; without fma() in hardware some
// round the product. Without a result the claim stays.
static void probe_rounding(lcl_context *ctx, lcl_buffer *out)
{
    const struct lcl_spec spec = {.source = "rounding.cl",
                                  .kernel = "rounding",
                                  .width = 1,
                                  .exchange = LCL_EXCHANGE_NONE,
                                  .group = 1};
    double x[] = {1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29};
    lcl_kernel *kernel;
    if (lcl_kernel_get(&kernel, ctx, &spec) == LCL_OK &&
        lcl_buffer_write(out, x, sizeof x) == LCL_OK &&
        LCL_LAUNCH(kernel, 1, lcl_arg_buffer(out), lcl_arg_long(1)) == LCL_OK &&
        lcl_buffer_read(out, x, sizeof x) == LCL_OK)
        ctx->caps.strict_rounding = x[0] == 0x1p-60 && x[1] == 1;
}

// Sets the results of the probes on PoCL without running them: it has as many
// threads as compute units, each of which runs work-items one after another in
// ascending order.
static void assume_pocl(struct lcl_caps *caps)
{
    caps->local_add =
        caps->int64_atomics ? LCL_ATOMIC_ADD_CAS : LCL_ATOMIC_ADD_NONE;
    caps->progress = LCL_PROGRESS_WAVE;
    caps->queues_overlap = caps->compute_units > 1;
}

static char *probe_key(const lcl_context *ctx, char *key, size_t size)
{
    const struct lcl_caps *c = &ctx->caps;
    snprintf(key, size, "probe 3 of levelcl %s\n%s\n%s\n%s\n%s\n%s\n%d",
             LCL_VERSION, c->platform, c->name, c->vendor, c->version,
             c->driver, (int)c->type);
    return key;
}

static void store(lcl_context *ctx, const struct findings *f)
{
    char key[1024];
    lcl_cache_store(&ctx->cache, probe_key(ctx, key, sizeof key), f, sizeof *f);
}

static bool load(lcl_context *ctx, struct findings *f)
{
    char key[1024];
    size_t bytes;
    void *blob =
        lcl_cache_load(&ctx->cache, probe_key(ctx, key, sizeof key), &bytes);
    const bool found = blob && bytes == sizeof *f;
    if (found)
        memcpy(f, blob, sizeof *f);
    lcl_free(blob);
    return found;
}

static void remember(lcl_context *ctx)
{
    const struct findings f = {
        .local_bytes = ctx->caps.local_bytes,
        .exchange = ctx->caps.exchange,
        .local_add = ctx->caps.local_add,
        .progress = ctx->caps.progress,
        .queues_overlap = ctx->caps.queues_overlap,
        .strict_rounding = ctx->caps.strict_rounding,
    };
    store(ctx, &f);
}

static bool recall(lcl_context *ctx)
{
    struct findings f;
    if (!load(ctx, &f))
        return false;
    ctx->caps.local_bytes = f.local_bytes;
    ctx->caps.exchange = (enum lcl_exchange)f.exchange;
    ctx->caps.local_add = (enum lcl_atomic_add)f.local_add;
    ctx->caps.progress = (enum lcl_progress)f.progress;
    ctx->caps.queues_overlap = f.queues_overlap;
    ctx->caps.strict_rounding = f.strict_rounding;
    ctx->proven = f.proven;
    return true;
}

// Runs all probes without logging: a failed trial is a result, not an error. At
// debug level all messages are logged.
static void try_everything(lcl_context *ctx, lcl_buffer *out, lcl_buffer *flag)
{
    const struct lcl_log log = ctx->cl.log;
    if (log.level < LCL_LOG_DEBUG)
        ctx->cl.log.fn = NULL;
    if (ctx->caps.width == 1 && lcl_caps_is_pocl(&ctx->caps)) {
        assume_pocl(&ctx->caps);
    } else {
        probe_exchange(ctx, out);
        probe_local(ctx, out);
        probe_add(ctx, out);
        probe_progress(ctx, out, flag);
        probe_queues(ctx, out, flag);
    }
    probe_rounding(ctx, out);
    ctx->cl.log = log;
}

enum lcl_status lcl_caps_probe(lcl_context *ctx)
{
    lcl_buffer *out = NULL, *flag = NULL;
    enum lcl_status st;
    if (recall(ctx))
        return LCL_OK;
    if ((st = lcl_buffer_create(&out, ctx, 1024, sizeof(double),
                                "probe results")) < 0 ||
        (st = lcl_buffer_create(&flag, ctx, 2 * ITEMS, sizeof(int32_t),
                                "probe flags")) < 0)
        goto out;
    try_everything(ctx, out, flag);
    remember(ctx);
out:
    lcl_buffer_destroy(&flag);
    lcl_buffer_destroy(&out);
    return st;
}

bool lcl_context_proven(const lcl_context *ctx)
{
    return ctx->proven;
}

// Changes only the flag in the stored results: the context may have forced
// capabilities.
void lcl_context_note_proven(lcl_context *ctx)
{
    struct findings f;
    ctx->proven = true;
    if (!load(ctx, &f))
        return;
    f.proven = true;
    store(ctx, &f);
}
