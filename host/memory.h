// SPDX-License-Identifier: BSD-3-Clause
// Memory of buffers. A driver needs tens of microseconds to map memory at its
// first use and as many to release it (H200: 60 and 70 for 64 MiB), which would
// be a third of a set-up. So on GPUs the context keeps large regions, and
// buffers are spans of them (sub-buffers), which take one or two microseconds.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

#include <stddef.h>

struct lcl_span;

// Reads $LEVELCL_POOL. Returns LCL_OK, LCL_EINVAL or LCL_EDEVICE.
enum lcl_status lcl_pool_init(lcl_context *ctx, bool off);
void lcl_pool_finish(lcl_context *ctx);

// Allocates `bytes` > 0 bytes of device memory; *span is NULL if *mem is memory
// of its own. Work in the context's queue may still use the memory. Returns
// LCL_OK, LCL_EDEVMEM, LCL_ENOMEM or LCL_EDEVICE; `what` is for the message.
enum lcl_status lcl_memory_allocate(cl_mem *mem, struct lcl_span **span,
                                    lcl_context *ctx, size_t bytes,
                                    const char *what);
void lcl_memory_release(cl_mem mem, struct lcl_span *span, lcl_context *ctx);
