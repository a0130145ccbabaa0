// SPDX-License-Identifier: BSD-3-Clause
// Work of a context on a thread of its own, while its caller does other things.
#pragma once

#include <levelcl/opencl.h>

typedef enum lcl_status lcl_background_fn(void *arg);

// Calls fn(arg) on a thread that blocks all signals. *done, which the caller
// releases, completes when fn has returned and the context is free again: with
// CL_COMPLETE, or with the status that fn returned if that is negative. Only
// for a context that is free. Returns LCL_OK; LCL_EDEVICE or LCL_ENOMEM, and
// then does not call fn.
enum lcl_status lcl_background_start(lcl_context *ctx, lcl_background_fn *fn,
                                     void *arg, cl_event *done);

// Waits for the thread, if there is one; not on the thread itself.
void lcl_background_wait(lcl_context *ctx);

// Whether there is such a thread, and it is not the one that asks.
bool lcl_background_is_busy(const lcl_context *ctx);

// On the thread of a GPU's context, sleeps until the event is complete or has
// failed: drivers spin in clWaitForEvents(), and the caller's program has other
// work for the processor. Else returns at once.
void lcl_background_rest(const lcl_context *ctx, cl_event event);
