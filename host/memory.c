// SPDX-License-Identifier: BSD-3-Clause
// Regions of device memory and their spans.
#include "host/memory.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/background.h"
#include "host/context.h"
#include "host/log.h"
#include "host/pins.h"
#include "host/staging.h"

#include <stdlib.h>
#include <string.h>

// A new region is as large as all others together, within these bounds and a
// REGION_SHARE-th of the device's memory. Idle regions stay up to an
// IDLE_SHARE-th of it.
#define REGION_LEAST ((uint64_t)64 << 20)
#define REGION_MOST  ((uint64_t)1 << 30)
enum { SPAN_LEAST = 4096, REGION_SHARE = 32, IDLE_SHARE = 8 };

// The spans of a region, in order; no two free ones are neighbours.
struct lcl_span {
    struct lcl_region *region;
    struct lcl_span *before, *after;
    size_t at, bytes;
    bool used;
};

struct lcl_region {
    struct lcl_region *next;
    cl_mem mem;
    struct lcl_span *first;
};

// ------------------------------------------------------------------- memory

static enum lcl_status refuse(const lcl_context *ctx, cl_int code, size_t bytes,
                              const char *what)
{
    const bool host = code == CL_OUT_OF_HOST_MEMORY;
    if (!host && code != CL_MEM_OBJECT_ALLOCATION_FAILURE)
        return lcl_cl_status(&ctx->cl, code, "clCreateBuffer", LCL_CL_PLACE);
    return lcl_fail(&ctx->cl.log, host ? LCL_ENOMEM : LCL_EDEVMEM,
                    "out of memory: no room for %s of %zu bytes on %s (%s)",
                    what, bytes, ctx->caps.name, lcl_cl_error_name(code));
}

// PoCL aborts if an allocation that it deferred to the first use fails. With
// CL_MEM_ALLOC_HOST_PTR it allocates at once and returns an error code.
static cl_int create(cl_mem *mem, const lcl_context *ctx, size_t bytes)
{
    const cl_mem_flags place =
        ctx->caps.type == LCL_DEVICE_CPU ? CL_MEM_ALLOC_HOST_PTR : 0;
    cl_int code;
    *mem = ctx->cl.api->clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | place,
                                       bytes, NULL, &code);
    return code;
}

// Uses the memory once, because drivers defer the allocation until then.
static cl_int create_used(cl_mem *mem, const lcl_context *ctx, size_t bytes)
{
    static const cl_uint zero = 0;
    cl_int code = create(mem, ctx, bytes);
    if (code != CL_SUCCESS)
        return code;
    code = ctx->cl.api->clEnqueueFillBuffer(
        ctx->queue, *mem, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        ctx->cl.api->clReleaseMemObject(*mem);
    return code;
}

// ------------------------------------------------------------------- regions

static bool is_idle(const struct lcl_region *R)
{
    return !R->first->used && !R->first->after;
}

// Releases a region of one free span, *at in the list.
static void drop(lcl_context *ctx, struct lcl_region **at)
{
    struct lcl_region *R = *at;
    *at = R->next;
    ctx->pool.bytes -= R->first->bytes;
    ctx->pool.idle -= R->first->bytes;
    ctx->cl.api->clReleaseMemObject(R->mem);
    lcl_free(R->first);
    lcl_free(R);
}

static void trim(lcl_context *ctx, uint64_t most)
{
    struct lcl_region **at = &ctx->pool.regions;
    while (*at && ctx->pool.idle > most)
        if (is_idle(*at))
            drop(ctx, at);
        else
            at = &(*at)->next;
}

static void trim_all(lcl_context *ctx)
{
    lcl_pinned_close(&ctx->staging, ctx);
    lcl_pinned_close(&ctx->outbox, ctx);
    lcl_pins_trim(ctx);
    trim(ctx, 0);
}

void lcl_context_trim(lcl_context *ctx)
{
    lcl_context *same = ctx;
    if (ctx && lcl_context_lets_go(ctx, &same, "lcl_context_trim"))
        trim_all(ctx);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static size_t usual_bytes(const lcl_context *ctx)
{
    const uint64_t bytes =
        ctx->pool.bytes > REGION_LEAST ? ctx->pool.bytes : REGION_LEAST;
    return (size_t)least(least(bytes, REGION_MOST),
                         least(ctx->caps.global_bytes / REGION_SHARE,
                               ctx->caps.max_buffer_bytes) &
                             ~(uint64_t)(ctx->pool.align - 1));
}

// Adds a region. On error the caller still owns its memory.
static enum lcl_status keep_region(lcl_context *ctx, cl_mem mem, size_t bytes)
{
    struct lcl_pool *P = &ctx->pool;
    struct lcl_region *R = lcl_calloc(1, sizeof *R);
    struct lcl_span *whole = lcl_calloc(1, sizeof *whole);
    if (!R || !whole) {
        lcl_free(R);
        lcl_free(whole);
        return lcl_fail_memory(&ctx->cl.log, "device memory");
    }
    *whole = (struct lcl_span){.region = R, .bytes = bytes};
    *R = (struct lcl_region){P->regions, mem, whole};
    P->regions = R;
    P->bytes += bytes;
    P->idle += bytes;
    return LCL_OK;
}

// If memory is short, releases idle regions and allocates no more than needed.
static enum lcl_status add_region(lcl_context *ctx, size_t needed,
                                  const char *what)
{
    const size_t usual = usual_bytes(ctx);
    size_t bytes = usual > needed ? usual : needed;
    cl_mem mem;
    cl_int code = create_used(&mem, ctx, bytes);
    if (code != CL_SUCCESS) {
        ctx->cl.api->clFinish(ctx->queue);
        trim_all(ctx);
        bytes = needed;
        code = create_used(&mem, ctx, bytes);
    }
    if (code != CL_SUCCESS)
        return refuse(ctx, code, needed, what);
    const enum lcl_status st = keep_region(ctx, mem, bytes);
    if (st < 0)
        ctx->cl.api->clReleaseMemObject(mem);
    return st;
}

// --------------------------------------------------------------------- spans

// The smallest free span of at least `bytes`, or NULL.
static struct lcl_span *find(const struct lcl_pool *P, size_t bytes)
{
    struct lcl_span *best = NULL;
    for (struct lcl_region *R = P->regions; R; R = R->next)
        for (struct lcl_span *s = R->first; s; s = s->after)
            if (!s->used && s->bytes >= bytes &&
                (!best || s->bytes < best->bytes))
                best = s;
    return best;
}

// Shortens s; the rest becomes a new free span.
static enum lcl_status split(struct lcl_span *s, size_t bytes,
                             const struct lcl_log *log)
{
    if (s->bytes == bytes)
        return LCL_OK;
    struct lcl_span *rest = lcl_malloc(1, sizeof *rest);
    if (!rest)
        return lcl_fail_memory(log, "device memory");
    *rest = (struct lcl_span){.region = s->region,
                              .before = s,
                              .after = s->after,
                              .at = s->at + bytes,
                              .bytes = s->bytes - bytes};
    if (rest->after)
        rest->after->before = rest;
    s->after = rest;
    s->bytes = bytes;
    return LCL_OK;
}

// Appends the next span to s.
static void unite(struct lcl_span *s)
{
    struct lcl_span *gone = s->after;
    s->bytes += gone->bytes;
    s->after = gone->after;
    if (s->after)
        s->after->before = s;
    lcl_free(gone);
}

static void release(lcl_context *ctx, struct lcl_span *s)
{
    struct lcl_region *R = s->region;
    s->used = false;
    if (s->after && !s->after->used)
        unite(s);
    if (s->before && !s->before->used)
        unite(s->before);
    if (!is_idle(R))
        return;
    ctx->pool.idle += R->first->bytes;
    trim(ctx, ctx->caps.global_bytes / IDLE_SHARE);
}

static enum lcl_status allocate_span(cl_mem *mem, struct lcl_span **out,
                                     lcl_context *ctx, size_t bytes,
                                     const char *what)
{
    const size_t mask = ctx->pool.align - 1;
    const size_t rounded =
        bytes > SIZE_MAX - mask ? bytes : (bytes + mask) & ~mask;
    cl_int code;
    enum lcl_status st;
    struct lcl_span *s = find(&ctx->pool, rounded);
    if (!s) {
        if ((st = add_region(ctx, rounded, what)) < 0)
            return st;
        s = ctx->pool.regions->first;
    }
    const bool idle = is_idle(s->region);
    const size_t whole = s->bytes;
    if ((st = split(s, rounded, &ctx->cl.log)) < 0)
        return st;
    s->used = true;
    if (idle)
        ctx->pool.idle -= whole;
    const cl_buffer_region place = {s->at, bytes};
    st = LCL_CL_MAKE(&ctx->cl, *mem,
                     clCreateSubBuffer(s->region->mem, CL_MEM_READ_WRITE,
                                       CL_BUFFER_CREATE_TYPE_REGION, &place,
                                       &code));
    if (st < 0)
        release(ctx, s);
    else
        *out = s;
    return st;
}

// -------------------------------------------------------------------- context

static enum lcl_status choose(bool *on, const lcl_context *ctx, bool off)
{
    const char *text = getenv("LEVELCL_POOL");
    *on = ctx->caps.type != LCL_DEVICE_CPU && !off;
    if (!text || !*text)
        return LCL_OK;
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return lcl_fail(&ctx->cl.log, LCL_EINVAL,
                        "LEVELCL_POOL=%s: expected 0 or 1", text);
    *on = *text == '1';
    return LCL_OK;
}

enum lcl_status lcl_pool_init(lcl_context *ctx, bool off)
{
    cl_uint bits = 0;
    bool on;
    enum lcl_status st;
    if ((st = choose(&on, ctx, off)) < 0 ||
        (st = LCL_CL(&ctx->cl,
                     clGetDeviceInfo(ctx->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                                     sizeof bits, &bits, NULL))) < 0)
        return st;
    ctx->pool = (struct lcl_pool){.on = on, .align = SPAN_LEAST};
    while (ctx->pool.align < bits / 8)
        ctx->pool.align *= 2;
    return LCL_OK;
}

void lcl_pool_finish(lcl_context *ctx)
{
    trim_all(ctx);
}

// -------------------------------------------------------------------- buffers

enum lcl_status lcl_memory_allocate(cl_mem *mem, struct lcl_span **span,
                                    lcl_context *ctx, size_t bytes,
                                    const char *what)
{
    *span = NULL;
    if (ctx->pool.on)
        return allocate_span(mem, span, ctx, bytes, what);
    const cl_int code = create(mem, ctx, bytes);
    return code == CL_SUCCESS ? LCL_OK : refuse(ctx, code, bytes, what);
}

void lcl_memory_release(cl_mem mem, struct lcl_span *span, lcl_context *ctx)
{
    ctx->cl.api->clReleaseMemObject(mem);
    if (span)
        release(ctx, span);
}
