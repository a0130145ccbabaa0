// SPDX-License-Identifier: BSD-3-Clause
// Filling of device buffers.
#include "host/staging.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"
#include "host/parallel.h"

#include <pthread.h>

// At most PIECES threads fill a buffer in place, each PIECE_LEAST bytes or
// more, and FEEDERS threads fill pinned memory, of which each MiB costs half a
// millisecond at its first use.
enum { PIECES = 8, PIECE_LEAST = 1 << 18, FEEDERS = 4 };

// ------------------------------------------------------------------- filling

struct pieces {
    const struct lcl_filling *F;
    int64_t count;
    char *to;
};

static void fill_piece(void *arg, int64_t piece)
{
    const struct pieces *s = arg;
    const int64_t from = lcl_chunk_start(s->F->count, s->count, piece);
    const int64_t end = lcl_chunk_start(s->F->count, s->count, piece + 1);
    if (from < end)
        s->F->fill(s->F->arg, from, end - from,
                   s->to + (size_t)from * s->F->size);
}

static void fill_all(const struct lcl_filling *F, char *to)
{
    const size_t pieces = (size_t)F->count * F->size / PIECE_LEAST + 1;
    struct pieces s = {F, pieces < PIECES ? (int64_t)pieces : PIECES, to};
    lcl_parallel(s.count, fill_piece, &s);
}

// ------------------------------------------------------------------- copied

enum lcl_status lcl_fill_copied(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F)
{
    const size_t bytes = (size_t)F->count * F->size;
    char *host = lcl_malloc(bytes, 1);
    if (!host)
        return lcl_fail_memory(&ctx->cl.log, "the data of a buffer");
    fill_all(F, host);
    const enum lcl_status st =
        LCL_CL(&ctx->cl, clEnqueueWriteBuffer(ctx->queue, mem, CL_TRUE, 0,
                                              bytes, host, 0, NULL, NULL));
    lcl_free(host);
    return st;
}

// ------------------------------------------------------------------- in place

enum lcl_status lcl_fill_mapped(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F)
{
    const size_t bytes = (size_t)F->count * F->size;
    char *host;
    cl_int code;
    const enum lcl_status st =
        LCL_CL_MAKE(&ctx->cl, host,
                    clEnqueueMapBuffer(ctx->queue, mem, CL_TRUE,
                                       CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes,
                                       0, NULL, NULL, &code));
    if (st < 0)
        return st;
    fill_all(F, host);
    return LCL_CL(&ctx->cl, clEnqueueUnmapMemObject(ctx->queue, mem, host, 0,
                                                    NULL, NULL));
}

// ------------------------------------------------------------------- pinned

enum lcl_status lcl_pinned_open(struct lcl_pinned *P, lcl_context *ctx,
                                size_t bytes)
{
    cl_int code;
    enum lcl_status st = LCL_CL_MAKE(
        &ctx->cl, P->mem,
        clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                       bytes, NULL, &code));
    if (st < 0 || (st = lcl_pinned_map(P, ctx, bytes)) < 0)
        return st;
    P->bytes = bytes;
    ctx->memory.pinned_bytes += bytes;
    return LCL_OK;
}

enum lcl_status lcl_pinned_map(struct lcl_pinned *P, lcl_context *ctx,
                               size_t bytes)
{
    cl_int code;
    const enum lcl_status st =
        LCL_CL_MAKE(&ctx->cl, P->host,
                    clEnqueueMapBuffer(ctx->queue, P->mem, CL_TRUE,
                                       CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                       NULL, NULL, &code));
    if (st < 0) {
        ctx->cl.api->clReleaseMemObject(P->mem);
        *P = (struct lcl_pinned){.host = NULL};
    }
    return st;
}

void lcl_pinned_close(struct lcl_pinned *P, lcl_context *ctx)
{
    if (!P->host)
        return;
    ctx->cl.api->clEnqueueUnmapMemObject(ctx->queue, P->mem, P->host, 0, NULL,
                                         NULL);
    ctx->cl.api->clFinish(ctx->queue);
    ctx->cl.api->clReleaseMemObject(P->mem);
    ctx->memory.pinned_bytes -= P->bytes;
    *P = (struct lcl_pinned){.host = NULL};
}

// ------------------------------------------------------------------- staged

// Threads take turns at pieces of one slot each; a thread fills one of its two
// slots while the other is transferred.
struct transfer {
    lcl_context *ctx;
    cl_mem mem;
    const struct lcl_filling *F;
    int64_t each, feeders; // elements of a slot
    pthread_mutex_t lock;  // for the queue and for st
    enum lcl_status st;
};

static enum lcl_status send(lcl_context *ctx, cl_mem mem, size_t at,
                            const char *from, size_t bytes, cl_event *sent)
{
    const enum lcl_status st =
        LCL_CL(&ctx->cl, clEnqueueWriteBuffer(ctx->queue, mem, CL_FALSE, at,
                                              bytes, from, 0, NULL, sent));
    return st < 0 ? st : LCL_CL(&ctx->cl, clFlush(ctx->queue));
}

// Sends the elements from `first` on, unless an earlier transfer failed.
static bool send_slot(struct transfer *t, int64_t first, int64_t count,
                      const char *slot, cl_event *sent)
{
    const size_t size = t->F->size;
    pthread_mutex_lock(&t->lock);
    if (t->st == LCL_OK)
        t->st = send(t->ctx, t->mem, (size_t)first * size, slot,
                     (size_t)count * size, sent);
    const bool good = t->st == LCL_OK;
    pthread_mutex_unlock(&t->lock);
    return good;
}

// Waits until a slot has been transferred.
static void await(struct transfer *t, cl_event *sent)
{
    const struct lcl_cl_api *api = t->ctx->cl.api;
    if (!*sent)
        return;
    const cl_int code = api->clWaitForEvents(1, sent);
    pthread_mutex_lock(&t->lock);
    api->clReleaseEvent(*sent);
    if (t->st == LCL_OK)
        t->st =
            lcl_cl_status(&t->ctx->cl, code, "clWaitForEvents()", LCL_CL_PLACE);
    pthread_mutex_unlock(&t->lock);
    *sent = NULL;
}

static void feed(void *arg, int64_t feeder)
{
    struct transfer *t = arg;
    const struct lcl_filling *F = t->F;
    char *slots = t->ctx->staging.host + 2 * feeder * LCL_STAGING_SLOT;
    cl_event sent[2] = {NULL, NULL};
    bool good = true;
    int half = 0;
    for (int64_t first = feeder * t->each; first < F->count && good;
         first += t->feeders * t->each, half = !half) {
        const int64_t left = F->count - first;
        const int64_t count = left < t->each ? left : t->each;
        char *slot = slots + (size_t)half * LCL_STAGING_SLOT;
        await(t, &sent[half]);
        F->fill(F->arg, first, count, slot);
        good = send_slot(t, first, count, slot, &sent[half]);
    }
    for (int i = 0; i < 2; ++i)
        await(t, &sent[i]);
}

enum lcl_status lcl_fill_staged(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F)
{
    struct lcl_pinned *P = &ctx->staging;
    struct transfer t = {
        .ctx = ctx,
        .mem = mem,
        .F = F,
        .each = (int64_t)(LCL_STAGING_SLOT / F->size),
    };
    if (!P->host) {
        const enum lcl_status st =
            lcl_pinned_open(P, ctx, 2 * FEEDERS * LCL_STAGING_SLOT);
        if (st < 0)
            return st;
    }
    const int64_t fills = (F->count + t.each - 1) / t.each;
    t.feeders = fills < FEEDERS ? fills : FEEDERS;
    pthread_mutex_init(&t.lock, NULL);
    lcl_parallel(t.feeders, feed, &t);
    pthread_mutex_destroy(&t.lock);
    return t.st;
}
