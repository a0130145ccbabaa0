// SPDX-License-Identifier: BSD-3-Clause
// What host/launch.c tells a trace.
#pragma once

#include "host/cl.h"

// Keeps an event of ctx->trace, which is not NULL.
void lcl_trace_launch(lcl_context *ctx, const char *kernel, cl_event event);
