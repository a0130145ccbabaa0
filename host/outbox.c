// SPDX-License-Identifier: BSD-3-Clause
// Pinned memory for messages to other devices.
#include "host/outbox.h"

#include "host/staging.h"

enum lcl_status lcl_context_outbox(void **data, lcl_context *ctx, size_t bytes)
{
    struct lcl_pinned *P = &ctx->outbox;
    size_t room = LCL_STAGING_SLOT;
    while (room < bytes)
        room *= 2;
    enum lcl_status st = LCL_OK;
    if (P->host && P->bytes < bytes)
        lcl_pinned_close(P, ctx);
    if (!P->host)
        st = lcl_pinned_open(P, ctx, room);
    *data = P->host;
    return st;
}
