// SPDX-License-Identifier: BSD-3-Clause
// Pinned memory for messages to other devices.
#pragma once

#include <levelcl/context.h>

#include <stddef.h>

// *data = at least `bytes` bytes of pinned memory that the context keeps until
// lcl_context_trim(); valid until the next call. Returns LCL_OK,
// LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_context_outbox(void **data, lcl_context *ctx, size_t bytes);
