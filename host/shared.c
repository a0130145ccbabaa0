// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host that kernels and host use at the same time.
#include "host/shared.h"

#include "host/interop.h"
#include "host/pins.h"

#include <string.h>

enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what)
{
    const size_t bytes = (size_t)count * sizeof *S->words;
    *S = (struct lcl_shared){.ctx = ctx};
    const enum lcl_status st = lcl_pin_take(&S->piece, ctx, bytes);
    if (st < 0)
        return st;
    const struct lcl_pinned *P = &S->piece->pinned;
    memset(P->host, 0, bytes);
    S->words = (volatile uint64_t *)(void *)P->host;
    return lcl_buffer_wrap(&S->buffer, ctx, P->mem,
                           LCL_ACCESS_READ | LCL_ACCESS_WRITE, what);
}

void lcl_shared_finish(struct lcl_shared *S)
{
    if (!S->piece)
        return;
    lcl_buffer_destroy(&S->buffer);
    lcl_pin_keep(S->ctx, S->piece);
    *S = (struct lcl_shared){.ctx = NULL};
}
