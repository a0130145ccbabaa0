// SPDX-License-Identifier: BSD-3-Clause
// Hooks of host/launch.c and host/buffer.c for a trace.
#pragma once

#include "host/cl.h"

// Keeps an event of ctx->trace, which is not NULL.
void lcl_trace_launch(lcl_context *ctx, const char *kernel, cl_event event);

// Owns and keeps the event of a transfer to or from the host; NULL: no event
// was requested.
void lcl_trace_transfer(lcl_context *ctx, bool to_host, cl_event event);
