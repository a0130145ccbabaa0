// SPDX-License-Identifier: BSD-3-Clause
// Filling of device buffers.
#include "host/staging.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"
#include "host/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

// At most PIECES threads fill a buffer in place, each PIECE_LEAST bytes or
// more. Pinned memory, of which each MiB costs half a millisecond at its first
// use, has room for two transfers.
enum { PIECES = 8, PIECE_LEAST = 1 << 18, SLOTS = LCL_STAGING_SLOTS };

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
    const enum lcl_status st = LCL_CL_MAKE(
        &ctx->cl, P->mem,
        clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                       bytes, NULL, &code));
    return st < 0 ? st : lcl_pinned_map(P, ctx, bytes);
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
        return st;
    }
    P->bytes = bytes;
    ctx->memory.pinned_bytes += bytes;
    return LCL_OK;
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

// A piece is SLOTS parts, which as many threads fill while the piece before is
// transferred. An enqueue takes tens of microseconds, more while other devices
// do the same: pieces of one part would wait for it.
struct half {
    int64_t pieces; // sent from here so far
    int64_t filled; // parts of the next one
    cl_event sent;  // the last one; NULL: none
};

struct transfer {
    lcl_context *ctx;
    cl_mem mem;
    const struct lcl_filling *F;
    int64_t each, parts;  // elements of a part
    atomic_llong next;    // part to fill
    pthread_mutex_t lock; // for what follows and the queue
    pthread_cond_t changed;
    struct half half[2];
    enum lcl_status st;
};

static struct half *half_of(struct transfer *t, int64_t piece)
{
    return &t->half[piece % 2];
}

static char *slot_of(const struct transfer *t, int64_t part)
{
    return t->ctx->staging.host +
           (size_t)(part % (2 * SLOTS) * t->each) * t->F->size;
}

static int64_t end_of(const struct transfer *t, int64_t part)
{
    const int64_t end = (part + 1) * t->each;
    return end < t->F->count ? end : t->F->count;
}

static void note_failure(struct transfer *t, enum lcl_status st)
{
    pthread_mutex_lock(&t->lock);
    if (t->st == LCL_OK)
        t->st = st;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static bool wait_for(struct transfer *t, cl_event sent)
{
    const struct lcl_cl *cl = &t->ctx->cl;
    const cl_int code = sent ? cl->api->clWaitForEvents(1, &sent) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        return true;
    note_failure(t, lcl_cl_status(cl, code, "clWaitForEvents()", LCL_CL_PLACE));
    return false;
}

// Waits for the transfer of the piece before the given one in its half. Returns
// whether all is well.
static bool await(struct transfer *t, int64_t piece)
{
    const struct half *h = half_of(t, piece);
    pthread_mutex_lock(&t->lock);
    while (t->st == LCL_OK && h->pieces < piece / 2)
        pthread_cond_wait(&t->changed, &t->lock);
    const bool good = t->st == LCL_OK;
    const cl_event sent = h->sent;
    pthread_mutex_unlock(&t->lock);
    return good && wait_for(t, sent);
}

static void release(struct transfer *t, struct half *h)
{
    if (h->sent)
        t->ctx->cl.api->clReleaseEvent(h->sent);
    h->sent = NULL;
}

static enum lcl_status send(struct transfer *t, int64_t piece)
{
    struct half *h = half_of(t, piece);
    const int64_t part = piece * SLOTS, first = part * t->each;
    const int64_t last = part + h->filled - 1;
    const size_t size = t->F->size;
    release(t, h);
    const enum lcl_status st =
        LCL_CL(&t->ctx->cl,
               clEnqueueWriteBuffer(t->ctx->queue, t->mem, CL_FALSE,
                                    (size_t)first * size,
                                    (size_t)(end_of(t, last) - first) * size,
                                    slot_of(t, part), 0, NULL, &h->sent));
    return st < 0 ? st : LCL_CL(&t->ctx->cl, clFlush(t->ctx->queue));
}

static int64_t parts_of(const struct transfer *t, int64_t piece)
{
    const int64_t left = t->parts - piece * SLOTS;
    return left < SLOTS ? left : SLOTS;
}

// A part of the piece is filled; sends a whole one.
static void note_filled(struct transfer *t, int64_t piece)
{
    struct half *h = half_of(t, piece);
    pthread_mutex_lock(&t->lock);
    if (++h->filled == parts_of(t, piece)) {
        if (t->st == LCL_OK)
            t->st = send(t, piece);
        h->filled = 0;
        ++h->pieces;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
}

static void feed(void *arg, int64_t feeder)
{
    struct transfer *t = arg;
    const struct lcl_filling *F = t->F;
    (void)feeder;
    for (int64_t part; (part = atomic_fetch_add(&t->next, 1)) < t->parts;) {
        const int64_t piece = part / SLOTS, first = part * t->each;
        if (!await(t, piece))
            return;
        F->fill(F->arg, first, end_of(t, part) - first, slot_of(t, part));
        note_filled(t, piece);
    }
}

static enum lcl_status transfer(struct transfer *t)
{
    const int64_t feeders = t->parts < SLOTS ? t->parts : SLOTS;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    lcl_parallel(feeders, feed, t);
    for (int k = 0; k < 2; ++k) {
        wait_for(t, t->half[k].sent);
        release(t, &t->half[k]);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    return t->st;
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
    t.parts = (F->count + t.each - 1) / t.each;
    const enum lcl_status st =
        P->host ? LCL_OK
                : lcl_pinned_open(P, ctx, 2 * SLOTS * LCL_STAGING_SLOT);
    return st < 0 ? st : transfer(&t);
}
