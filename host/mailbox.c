// SPDX-License-Identifier: BSD-3-Clause
// Small transfers through pinned memory: slot 0 for reads, the others for
// writes in turn.
#include "host/mailbox.h"

#include "host/staging.h"

#include <string.h>

enum { SLOT_BYTES = 32 * 1024 };

bool lcl_mailbox_fits(const lcl_context *ctx, size_t bytes)
{
    return ctx->pool.on && bytes <= SLOT_BYTES;
}

static enum lcl_status open(lcl_context *ctx)
{
    struct lcl_mailbox *M = &ctx->mailbox;
    return M->pinned.host
               ? LCL_OK
               : lcl_pinned_open(&M->pinned, ctx,
                                 (size_t)(1 + LCL_MAILBOX_WRITES) * SLOT_BYTES);
}

enum lcl_status lcl_mailbox_read(lcl_context *ctx, cl_mem mem, size_t at,
                                 void *data, size_t bytes)
{
    enum lcl_status st = open(ctx);
    if (st < 0 || (st = LCL_CL(&ctx->cl, clEnqueueReadBuffer(
                                             ctx->queue, mem, CL_TRUE, at,
                                             bytes, ctx->mailbox.pinned.host, 0,
                                             NULL, NULL))) < 0)
        return st;
    memcpy(data, ctx->mailbox.pinned.host, bytes);
    return LCL_OK;
}

// Waits for the write before the last LCL_MAILBOX_WRITES ones.
static enum lcl_status await(lcl_context *ctx, cl_event *event)
{
    if (!*event)
        return LCL_OK;
    const enum lcl_status st = LCL_CL(&ctx->cl, clWaitForEvents(1, event));
    ctx->cl.api->clReleaseEvent(*event);
    *event = NULL;
    return st;
}

enum lcl_status lcl_mailbox_write(lcl_context *ctx, cl_mem mem, size_t at,
                                  const void *data, size_t bytes)
{
    struct lcl_mailbox *M = &ctx->mailbox;
    const unsigned slot = M->writes++ % LCL_MAILBOX_WRITES;
    enum lcl_status st;
    if ((st = open(ctx)) < 0 || (st = await(ctx, &M->event[slot])) < 0)
        return st;
    char *host = M->pinned.host + (size_t)(1 + slot) * SLOT_BYTES;
    memcpy(host, data, bytes);
    return LCL_CL(&ctx->cl,
                  clEnqueueWriteBuffer(ctx->queue, mem, CL_FALSE, at, bytes,
                                       host, 0, NULL, &M->event[slot]));
}

void lcl_mailbox_finish(lcl_context *ctx)
{
    for (int slot = 0; slot < LCL_MAILBOX_WRITES; ++slot)
        (void)await(ctx, &ctx->mailbox.event[slot]);
    lcl_pinned_close(&ctx->mailbox.pinned, ctx);
}
