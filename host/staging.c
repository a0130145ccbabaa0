// SPDX-License-Identifier: BSD-3-Clause
// Filling of device buffers.
#include "host/staging.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"
#include "host/parallel.h"

// Each fill is split into at most PIECES pieces, one per thread, of about
// PIECE_LEAST bytes or more.
enum { PIECES = 8, PIECE_LEAST = 1 << 18 };

// ------------------------------------------------------------------- filling

struct stretch {
    const struct lcl_filling *F;
    int64_t first, count, pieces;
    char *to;
};

static void fill_piece(void *arg, int64_t piece)
{
    const struct stretch *s = arg;
    const int64_t from = lcl_chunk_start(s->count, s->pieces, piece);
    const int64_t end = lcl_chunk_start(s->count, s->pieces, piece + 1);
    if (from < end)
        s->F->fill(s->F->arg, s->first + from, end - from,
                   s->to + (size_t)from * s->F->size);
}

static void fill_stretch(const struct lcl_filling *F, int64_t first,
                         int64_t count, char *to)
{
    const size_t pieces = (size_t)count * F->size / PIECE_LEAST + 1;
    struct stretch s = {F, first, count,
                        pieces < PIECES ? (int64_t)pieces : PIECES, to};
    lcl_parallel(s.pieces, fill_piece, &s);
}

// ------------------------------------------------------------------- copied

enum lcl_status lcl_fill_copied(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F)
{
    const size_t bytes = (size_t)F->count * F->size;
    char *host = lcl_malloc(bytes, 1);
    if (!host)
        return lcl_fail_memory(&ctx->cl.log, "the data of a buffer");
    fill_stretch(F, 0, F->count, host);
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
    fill_stretch(F, 0, F->count, host);
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
    if (st < 0)
        return st;
    st = LCL_CL_MAKE(&ctx->cl, P->host,
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
    *P = (struct lcl_pinned){.host = NULL};
}

// ------------------------------------------------------------------- staged

// Waits until the transfer from one half has finished.
static enum lcl_status await(lcl_context *ctx, cl_event *sent)
{
    if (!*sent)
        return LCL_OK;
    const enum lcl_status st = LCL_CL(&ctx->cl, clWaitForEvents(1, sent));
    ctx->cl.api->clReleaseEvent(*sent);
    *sent = NULL;
    return st;
}

static enum lcl_status send(lcl_context *ctx, cl_mem mem, size_t at,
                            const char *from, size_t bytes, cl_event *sent)
{
    const enum lcl_status st =
        LCL_CL(&ctx->cl, clEnqueueWriteBuffer(ctx->queue, mem, CL_FALSE, at,
                                              bytes, from, 0, NULL, sent));
    return st < 0 ? st : LCL_CL(&ctx->cl, clFlush(ctx->queue));
}

enum lcl_status lcl_fill_staged(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F)
{
    const int64_t most = (int64_t)(LCL_STAGING_HALF / F->size);
    cl_event sent[2] = {NULL, NULL};
    struct lcl_pinned *P = &ctx->staging;
    enum lcl_status st =
        P->host ? LCL_OK : lcl_pinned_open(P, ctx, 2 * LCL_STAGING_HALF);
    int half = 0;
    for (int64_t first = 0; first < F->count && st == LCL_OK;
         first += most, half = !half) {
        const int64_t left = F->count - first,
                      count = left < most ? left : most;
        char *to = P->host + (half ? LCL_STAGING_HALF : 0);
        if ((st = await(ctx, &sent[half])) < 0)
            break;
        fill_stretch(F, first, count, to);
        st = send(ctx, mem, (size_t)first * F->size, to,
                  (size_t)count * F->size, &sent[half]);
    }
    for (int i = 0; i < 2; ++i) {
        const enum lcl_status last = await(ctx, &sent[i]);
        st = st < 0 ? st : last;
    }
    return st;
}
