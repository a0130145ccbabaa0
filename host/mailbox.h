// SPDX-License-Identifier: BSD-3-Clause
// Small transfers through pinned memory that a context keeps, only for files in
// host/: a GPU's driver needs half the time for them, and a write returns
// before it is done.
#pragma once

#include "host/context.h"

// Whether a transfer of so many bytes goes through the mailbox.
bool lcl_mailbox_takes(const lcl_context *ctx, size_t bytes);

// A blocking read and a write that is enqueued, from byte `at` of mem. Return
// LCL_OK, LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_mailbox_read(lcl_context *ctx, cl_mem mem, size_t at,
                                 void *data, size_t bytes);
enum lcl_status lcl_mailbox_write(lcl_context *ctx, cl_mem mem, size_t at,
                                  const void *data, size_t bytes);

// Before the queue is released.
void lcl_mailbox_finish(lcl_context *ctx);
