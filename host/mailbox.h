// SPDX-License-Identifier: BSD-3-Clause
// Small transfers through pinned memory that a context keeps, only for files in
// host/. They take half the time on a GPU, and a write returns before it is
// complete.
#pragma once

#include "host/context.h"

// Whether a transfer of so many bytes goes through the mailbox.
bool lcl_mailbox_fits(const lcl_context *ctx, size_t bytes);

// A blocking read and an enqueued write, from byte `at` of mem. Return LCL_OK,
// LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_mailbox_read(lcl_context *ctx, cl_mem mem, size_t at,
                                 void *data, size_t bytes);
enum lcl_status lcl_mailbox_write(lcl_context *ctx, cl_mem mem, size_t at,
                                  const void *data, size_t bytes);

// Call before releasing the queue.
void lcl_mailbox_finish(lcl_context *ctx);
