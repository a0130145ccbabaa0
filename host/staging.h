// SPDX-License-Identifier: BSD-3-Clause
// How buffers are filled, for the files of host/ alone: several threads write
// what is large, in place or into pinned memory.
#pragma once

#include "host/context.h"
#include "host/fill.h"

// Elements of `size` bytes that a buffer is to hold, from its start on.
struct lcl_filling {
    lcl_fill_fn *fill;
    void *arg;
    size_t size;
    int64_t count;
};

// Returns LCL_OK, LCL_EDEVMEM or LCL_EDEVICE; on error there is none. To be
// closed before the queue is gone.
enum lcl_status lcl_pinned_open(struct lcl_pinned *P, lcl_context *ctx,
                                size_t bytes);
void lcl_pinned_close(struct lcl_pinned *P, lcl_context *ctx);

// Of two halves of pinned memory one is on its way to the device while the
// other is filled. 512 MiB reach an H200 in 27 ms by halves of 8 MiB, in 67 ms
// when the driver copies from pageable memory; larger halves take longer to be
// pinned.
#define LCL_STAGING_HALF ((size_t)8 << 20)

// Through ordinary memory; through pinned memory, which the context keeps; in
// place. All are blocking and return LCL_OK, LCL_ENOMEM, LCL_EDEVMEM or
// LCL_EDEVICE.
enum lcl_status lcl_fill_copied(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_staged(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_mapped(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
