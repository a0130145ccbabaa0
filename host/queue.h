// SPDX-License-Identifier: BSD-3-Clause
// Concurrent kernels on the context's queue and on a second in-order queue,
// created at first use. If the device does not overlap two queues, all kernels
// run on the first.
#pragma once

#include "host/launch.h"

// Later lcl_launch_aux() launches start after all work enqueued on the
// context's queue so far. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_fork(lcl_context *ctx);

// As lcl_launch(); between a fork and the join that follows it.
lcl_launch_fn lcl_launch_aux;

// Blocking write of `bytes` bytes from byte `at` of a buffer of the context;
// after a fork it is not delayed by work enqueued on the context's queue since.
// Returns LCL_OK or LCL_EDEVICE.
enum lcl_status lcl_write_aux(lcl_context *ctx, lcl_buffer *buffer, size_t at,
                              const void *data, size_t bytes);

// Work enqueued later on the context's queue starts after all launches on the
// second queue. Call it after every successful fork, even if launches failed;
// on an error the work on the second queue has finished. Returns as lcl_fork().
enum lcl_status lcl_join(lcl_context *ctx);

// Releases the second queue; for lcl_context_destroy().
void lcl_aux_finish(lcl_context *ctx);
