// SPDX-License-Identifier: BSD-3-Clause
// Filling of device buffers, only for files in host/: several threads write
// large data, in place or into pinned memory.
#pragma once

#include "host/context.h"
#include "host/fill.h"

// The `count` elements of `size` bytes to write from the start of a buffer.
struct lcl_filling {
    lcl_fill_fn *fill;
    void *arg;
    size_t size;
    int64_t count;
};

// Returns LCL_OK, LCL_EDEVMEM or LCL_EDEVICE; on error *P holds no memory.
// Close it before releasing the queue.
enum lcl_status lcl_pinned_open(struct lcl_pinned *P, lcl_context *ctx,
                                size_t bytes);
// The same for the existing P->mem, which is released on an error.
enum lcl_status lcl_pinned_map(struct lcl_pinned *P, lcl_context *ctx,
                               size_t bytes);
void lcl_pinned_close(struct lcl_pinned *P, lcl_context *ctx);

// Bytes of pinned memory that a thread fills at a time, and how many such slots
// are transferred at once.
#define LCL_STAGING_SLOT ((size_t)1 << 19)
enum { LCL_STAGING_SLOTS = 8 };

// Fill a buffer through pageable memory; through pinned memory, which the
// context keeps; or in place (mapped). All are blocking and return LCL_OK,
// LCL_ENOMEM, LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_fill_copied(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_staged(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_mapped(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
