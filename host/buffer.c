// SPDX-License-Identifier: BSD-3-Clause
// Device buffers and pinned windows.
#include "host/buffer.h"

#include "host/alloc.h"
#include "host/background.h"
#include "host/context.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/mailbox.h"
#include "host/memory.h"
#include "host/runtime.h"
#include "host/staging.h"
#include "host/trace_launch.h"

#include <string.h>

// Writes of at least this many bytes are worth the one-time cost of pinned
// memory, or where the context has it, its threads.
#define STAGED_LEAST   ((size_t)32 << 20)
#define THREADED_LEAST ((size_t)4 << 20)

// NVIDIA's clEnqueueFillBuffer hangs or faults from 2^31 bytes on (pyopencl
// issue 395): fill at most this many bytes with it and copy them to the rest.
#define FILL_MOST ((size_t)1 << 30)

struct lcl_buffer {
    lcl_context *ctx;
    cl_mem mem;
    struct lcl_span *span; // of the context's memory, or NULL
    size_t at;             // byte of `mem` at which the buffer begins
    size_t bytes;
    bool borrowed, view; // of the caller's buffer, or of the host's memory
};

static void count_buffer(const lcl_buffer *b)
{
    struct lcl_memory_info *info = &b->ctx->memory;
    ++info->buffers;
    info->buffer_bytes += b->bytes;
    info->device_bytes += b->span ? 0 : b->bytes;
    if (info->buffer_bytes > info->buffer_bytes_max)
        info->buffer_bytes_max = info->buffer_bytes;
}

static void discount_buffer(const lcl_buffer *b)
{
    struct lcl_memory_info *info = &b->ctx->memory;
    --info->buffers;
    info->buffer_bytes -= b->bytes;
    info->device_bytes -= b->span ? 0 : b->bytes;
}

struct lcl_memory_info lcl_context_memory(const lcl_context *ctx)
{
    struct lcl_memory_info info = {0};
    if (!ctx)
        return info;
    info = ctx->memory;
    info.device_bytes += ctx->pool.bytes;
    return info;
}

enum lcl_status lcl_buffer_create(lcl_buffer **out, lcl_context *ctx,
                                  int64_t count, size_t size, const char *what)
{
    *out = NULL;
    const uint64_t limit = ctx->caps.max_buffer_bytes;
    if (!lcl_buffer_fits(count, size, limit))
        return lcl_fail(&ctx->cl.log, LCL_EDEVMEM,
                        "%s: %lld elements of %zu bytes exceed the largest "
                        "buffer of %s, %llu bytes",
                        what, (long long)count, size, ctx->caps.name,
                        (unsigned long long)limit);
    lcl_buffer *b = lcl_calloc(1, sizeof *b);
    if (!b)
        return lcl_fail_memory(&ctx->cl.log, what);
    *b = (lcl_buffer){.ctx = ctx, .bytes = (size_t)count * size};
    const enum lcl_status st = lcl_memory_allocate(
        &b->mem, &b->span, ctx, b->bytes ? b->bytes : size, what);
    if (st < 0) {
        lcl_free(b);
        return st;
    }
    count_buffer(b);
    *out = b;
    return LCL_OK;
}

enum lcl_status lcl_buffer_create_from(lcl_buffer **out, lcl_context *ctx,
                                       const void *data, int64_t count,
                                       size_t size, const char *what)
{
    enum lcl_status st = lcl_buffer_create(out, ctx, count, size, what);
    if (st == LCL_OK && (st = lcl_buffer_write(*out, data, (*out)->bytes)) < 0)
        lcl_buffer_destroy(out);
    return st;
}

enum lcl_status lcl_buffers_create(lcl_context *ctx,
                                   const struct lcl_buffer_plan *all,
                                   size_t buffers)
{
    enum lcl_status st = LCL_OK;
    for (size_t i = 0; i < buffers && st == LCL_OK; ++i)
        st = lcl_buffer_create(all[i].out, ctx, all[i].count, all[i].size,
                               all[i].what);
    return st;
}

struct foreign {
    cl_mem_object_type type;
    cl_context context;
    cl_mem_flags flags;
    size_t bytes;
};

static enum lcl_status query(struct foreign *f, const lcl_context *ctx,
                             cl_mem mem)
{
    const struct lcl_cl *cl = &ctx->cl;
    enum lcl_status st;
    if ((st = LCL_CL(cl, clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof f->type,
                                            &f->type, NULL))) < 0 ||
        (st = LCL_CL(cl,
                     clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof f->context,
                                        &f->context, NULL))) < 0 ||
        (st = LCL_CL(cl, clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof f->flags,
                                            &f->flags, NULL))) < 0)
        return st;
    return LCL_CL(cl, clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof f->bytes,
                                         &f->bytes, NULL));
}

static enum lcl_status check(const struct foreign *f, const lcl_context *ctx,
                             int access, const char *what)
{
    const char *fault =
        f->type != CL_MEM_OBJECT_BUFFER ? "is an image, not a buffer"
        : f->context != ctx->context    ? "belongs to another OpenCL context"
        : access & LCL_ACCESS_WRITE && f->flags & CL_MEM_READ_ONLY
            ? "must be writable, but was created as CL_MEM_READ_ONLY"
        : access & LCL_ACCESS_READ && f->flags & CL_MEM_WRITE_ONLY
            ? "must be readable, but was created as CL_MEM_WRITE_ONLY"
            : NULL;
    return fault
               ? lcl_fail(&ctx->cl.log, LCL_EINVAL, "buffer %s %s", what, fault)
               : LCL_OK;
}

enum lcl_status lcl_buffer_view(lcl_buffer **out, lcl_context *ctx,
                                const void *data, size_t bytes, bool writes,
                                const char *what)
{
    const cl_mem_flags access = writes ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    const cl_mem_flags flags = access | CL_MEM_USE_HOST_PTR;
    cl_int code;
    lcl_buffer *b = *out = lcl_calloc(1, sizeof *b);
    if (!b)
        return lcl_fail_memory(&ctx->cl.log, what);
    *b = (lcl_buffer){.ctx = ctx, .bytes = bytes, .view = true};
    const enum lcl_status st = LCL_CL_MAKE(
        &ctx->cl, b->mem,
        clCreateBuffer(ctx->context, flags, bytes, (void *)data, &code));
    if (st < 0) {
        lcl_free(b);
        *out = NULL;
    }
    return st;
}

enum lcl_status lcl_buffer_map(const void **data, const lcl_buffer *b,
                               bool wait)
{
    const lcl_context *ctx = b->ctx;
    cl_int code;
    *data = NULL;
    if (b->bytes == 0)
        return LCL_OK;
    const enum lcl_status st = LCL_CL_MAKE(
        &ctx->cl, *data,
        clEnqueueMapBuffer(ctx->queue, b->mem, wait ? CL_TRUE : CL_FALSE,
                           CL_MAP_READ, 0, b->bytes, 0, NULL, NULL, &code));
    if (st < 0)
        *data = NULL;
    return st;
}

enum lcl_status lcl_buffer_unmap(const lcl_buffer *b, const void *data)
{
    const lcl_context *ctx = b->ctx;
    return data ? LCL_CL(&ctx->cl,
                         clEnqueueUnmapMemObject(ctx->queue, b->mem,
                                                 (void *)data, 0, NULL, NULL))
                : LCL_OK;
}

enum lcl_status lcl_buffer_show(lcl_buffer *view)
{
    const void *data;
    const enum lcl_status st = lcl_buffer_map(&data, view, true);
    return st < 0 ? st : lcl_buffer_unmap(view, data);
}

enum lcl_status lcl_buffer_wrap(lcl_buffer **out, lcl_context *ctx, cl_mem mem,
                                int access, const char *what)
{
    struct foreign f;
    *out = NULL;
    enum lcl_status st = query(&f, ctx, mem);
    if (st < 0 || (st = check(&f, ctx, access, what)) < 0)
        return st;
    lcl_buffer *b = lcl_calloc(1, sizeof *b);
    if (!b)
        return lcl_fail_memory(&ctx->cl.log, what);
    *b = (lcl_buffer){
        .ctx = ctx, .mem = mem, .bytes = f.bytes, .borrowed = true};
    *out = b;
    return LCL_OK;
}

void lcl_buffer_destroy(lcl_buffer **buffer)
{
    lcl_buffer *b = *buffer;
    if (!b)
        return;
    if (b->view) {
        b->ctx->cl.api->clReleaseMemObject(b->mem);
    } else if (!b->borrowed) {
        discount_buffer(b);
        lcl_memory_release(b->mem, b->span, b->ctx);
    }
    lcl_free(b);
    *buffer = NULL;
}

const lcl_buffer *lcl_context_no_stop(const lcl_context *ctx)
{
    return ctx->no_stop;
}

size_t lcl_buffer_bytes(const lcl_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

void lcl_buffer_select(lcl_buffer *b, size_t at, size_t bytes)
{
    b->at = at;
    b->bytes = bytes;
}

int64_t lcl_buffer_first(const lcl_buffer *b)
{
    return b ? (int64_t)(b->at / sizeof(double)) : 0;
}

cl_command_queue lcl_context_queue(const lcl_context *ctx)
{
    return ctx->queue;
}

cl_mem lcl_buffer_mem(const lcl_buffer *buffer)
{
    return buffer ? buffer->mem : NULL;
}

static void copy_bytes(void *arg, int64_t first, int64_t count, void *to)
{
    const char *const *from = arg;
    memcpy(to, *from + first, (size_t)count);
}

static void enter_upload(const lcl_buffer *b, size_t bytes)
{
    lcl_task_enter(b->ctx, LCL_TASK_UPLOAD);
    lcl_task_bytes(b->ctx, bytes);
}

static bool is_large(const lcl_buffer *b, size_t bytes)
{
    return bytes >= (b->ctx->staging.host ? THREADED_LEAST : STAGED_LEAST);
}

static enum lcl_status fill(lcl_buffer *b, const struct lcl_filling *F)
{
    const size_t bytes = (size_t)F->count * F->size;
    enter_upload(b, bytes);
    const enum lcl_status st =
        b->ctx->caps.type == LCL_DEVICE_CPU ? lcl_fill_mapped(b->ctx, b->mem, F)
        : is_large(b, bytes)                ? lcl_fill_staged(b->ctx, b->mem, F)
                             : lcl_fill_copied(b->ctx, b->mem, F);
    lcl_task_leave(b->ctx);
    return st;
}

enum lcl_status lcl_buffer_fill_by(lcl_buffer *b, size_t size, lcl_fill_fn *fn,
                                   void *arg)
{
    const int64_t count = (int64_t)(b->bytes / size);
    return count == 0 ? LCL_OK
                      : fill(b, &(struct lcl_filling){fn, arg, size, count});
}

static void narrow(void *arg, int64_t first, int64_t count, void *to)
{
    const int64_t *from = *(const int64_t *const *)arg + first;
    uint32_t *out = to;
    for (int64_t k = 0; k < count; ++k)
        out[k] = (uint32_t)from[k];
}

enum lcl_status lcl_buffer_create_narrow(lcl_buffer **out, lcl_context *ctx,
                                         const int64_t *data, int64_t count,
                                         const char *what)
{
    const size_t size = sizeof(uint32_t);
    enum lcl_status st = lcl_buffer_create(out, ctx, count, size, what);
    if (st == LCL_OK &&
        (st = lcl_buffer_fill_by(*out, size, narrow, &data)) < 0)
        lcl_buffer_destroy(out);
    return st;
}

enum lcl_status lcl_buffer_write(lcl_buffer *b, const void *data, size_t bytes)
{
    if (is_large(b, bytes))
        return fill(
            b, &(struct lcl_filling){copy_bytes, &data, 1, (int64_t)bytes});
    enter_upload(b, bytes);
    const enum lcl_status st = lcl_buffer_write_at(b, 0, data, bytes);
    lcl_task_leave(b->ctx);
    return st;
}

static enum lcl_status write_at(lcl_buffer *b, size_t at, const void *data,
                                size_t bytes)
{
    lcl_context *ctx = b->ctx;
    cl_event event = NULL;
    const enum lcl_status st =
        LCL_CL(&ctx->cl,
               clEnqueueWriteBuffer(ctx->queue, b->mem, CL_TRUE, at, bytes,
                                    data, 0, NULL, ctx->trace ? &event : NULL));
    lcl_trace_transfer(ctx, false, event);
    return st;
}

static enum lcl_status read_at(const lcl_buffer *b, size_t at, void *data,
                               size_t bytes)
{
    lcl_context *ctx = b->ctx;
    cl_event event = NULL;
    const enum lcl_status st =
        LCL_CL(&ctx->cl,
               clEnqueueReadBuffer(ctx->queue, b->mem, CL_TRUE, at, bytes, data,
                                   0, NULL, ctx->trace ? &event : NULL));
    lcl_trace_transfer(ctx, true, event);
    return st;
}

enum lcl_status lcl_buffer_write_at(lcl_buffer *b, size_t at, const void *data,
                                    size_t bytes)
{
    return bytes == 0 ? LCL_OK
           : lcl_mailbox_fits(b->ctx, bytes)
               ? lcl_mailbox_write(b->ctx, b->mem, at, data, bytes)
               : write_at(b, at, data, bytes);
}

enum lcl_status lcl_buffer_read_at(const lcl_buffer *b, size_t at, void *data,
                                   size_t bytes)
{
    if (bytes == 0)
        return LCL_OK;
    const enum lcl_status st =
        lcl_mailbox_fits(b->ctx, bytes)
            ? lcl_mailbox_read(b->ctx, b->mem, at, data, bytes)
            : read_at(b, at, data, bytes);
    if (st == LCL_OK)
        lcl_cl_checked(&b->ctx->cl);
    return st;
}

enum lcl_status lcl_buffer_read(const lcl_buffer *b, void *data, size_t bytes)
{
    return lcl_buffer_read_at(b, 0, data, bytes);
}

enum lcl_status lcl_buffer_fill(lcl_buffer *b, unsigned char byte)
{
    const size_t filled = b->bytes < FILL_MOST ? b->bytes : FILL_MOST;
    if (b->bytes == 0)
        return LCL_OK;
    enum lcl_status st =
        LCL_CL(&b->ctx->cl, clEnqueueFillBuffer(b->ctx->queue, b->mem, &byte, 1,
                                                0, filled, 0, NULL, NULL));
    for (size_t at = filled; at < b->bytes && st == LCL_OK; at += filled) {
        const size_t left = b->bytes - at;
        st = LCL_CL(&b->ctx->cl,
                    clEnqueueCopyBuffer(b->ctx->queue, b->mem, b->mem, 0, at,
                                        left < filled ? left : filled, 0, NULL,
                                        NULL));
    }
    return st;
}

enum lcl_status lcl_buffer_copy(lcl_buffer *to, const lcl_buffer *from)
{
    const size_t bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
    if (bytes == 0)
        return LCL_OK;
    return LCL_CL(&to->ctx->cl,
                  clEnqueueCopyBuffer(to->ctx->queue, from->mem, to->mem,
                                      from->at, to->at, bytes, 0, NULL, NULL));
}

// ------------------------------------------------------------------- windows

struct lcl_window {
    const lcl_buffer *source;
    struct lcl_pinned pinned; // both halves
    cl_event event[2];
    unsigned posted, taken;
};

enum lcl_status lcl_window_create(lcl_window **out, const lcl_buffer *buffer)
{
    *out = NULL;
    lcl_window *w = lcl_calloc(1, sizeof *w);
    if (!w)
        return lcl_fail_memory(&buffer->ctx->cl.log, "a read window");
    w->source = buffer;
    const enum lcl_status st =
        lcl_pinned_open(&w->pinned, buffer->ctx, 2 * buffer->bytes);
    if (st < 0) {
        lcl_free(w);
        return st;
    }
    *out = w;
    return LCL_OK;
}

void lcl_window_destroy(lcl_window **window)
{
    lcl_window *w = *window;
    if (!w)
        return;
    while (w->taken < w->posted) {
        const void *data;
        (void)lcl_window_fetch(w, &data);
    }
    lcl_pinned_close(&w->pinned, w->source->ctx);
    lcl_free(w);
    *window = NULL;
}

enum lcl_status lcl_window_post(lcl_window *w)
{
    lcl_context *ctx = w->source->ctx;
    const size_t bytes = w->source->bytes, half = w->posted % 2;
    enum lcl_status st = LCL_CL(
        &ctx->cl, clEnqueueReadBuffer(ctx->queue, w->source->mem, CL_FALSE, 0,
                                      bytes, w->pinned.host + half * bytes, 0,
                                      NULL, &w->event[half]));
    if (st < 0)
        return st;
    if ((st = LCL_CL(&ctx->cl, clFlush(ctx->queue))) < 0) {
        ctx->cl.api->clReleaseEvent(w->event[half]);
        return st;
    }
    ++w->posted;
    return LCL_OK;
}

enum lcl_status lcl_window_fetch(lcl_window *w, const void **data)
{
    lcl_context *ctx = w->source->ctx;
    const size_t half = w->taken++ % 2;
    *data = w->pinned.host + half * w->source->bytes;
    lcl_background_rest(ctx, w->event[half]);
    const enum lcl_status st =
        LCL_CL(&ctx->cl, clWaitForEvents(1, &w->event[half]));
    ctx->cl.api->clReleaseEvent(w->event[half]);
    return st;
}
