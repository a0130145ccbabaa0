// SPDX-License-Identifier: BSD-3-Clause
// How buffers are filled, for the files of host/ alone: several threads write
// what is large, in place or into pinned memory.
#pragma once

#include "host/buffer.h"
#include "host/cl.h"

// Elements of `size` bytes that a buffer is to hold, from its start on.
struct lcl_filling {
    lcl_fill_fn *fill;
    void *arg;
    size_t size;
    int64_t count;
};

// Two halves of pinned memory, one on its way to the device while the other is
// filled. All zero until first used.
struct lcl_staging {
    cl_mem pinned;
    char *host;
};

// Through ordinary memory, through pinned memory, and in place. All are
// blocking and return LCL_OK, LCL_ENOMEM, LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_fill_copied(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_staged(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);
enum lcl_status lcl_fill_mapped(lcl_context *ctx, cl_mem mem,
                                const struct lcl_filling *F);

// Before the queue is gone.
void lcl_staging_finish(lcl_context *ctx);
