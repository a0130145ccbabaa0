// SPDX-License-Identifier: BSD-3-Clause
// Work of a context on a thread of its own, while its caller does other things.
#pragma once

#include <levelcl/opencl.h>

typedef enum lcl_status lcl_background_fn(void *arg);

// Calls fn(arg) on a thread that blocks all signals. *done, which the caller
// releases, completes once fn has returned and the context is free again: with
// CL_COMPLETE, or with the status of fn if it is negative. Only for a context
// that is free. Returns LCL_OK; LCL_EDEVICE or LCL_ENOMEM, and then does not
// call fn.
enum lcl_status lcl_background_start(lcl_context *ctx, lcl_background_fn *fn,
                                     void *arg, cl_event *done);

// Waits for the thread, if there is one; must not be called on the thread
// itself.
void lcl_background_wait(lcl_context *ctx);

// Whether such a thread is running and is not the calling thread.
bool lcl_background_is_busy(const lcl_context *ctx);

// On the background thread of a GPU's context, sleeps until the event is
// complete or has failed: drivers spin in clWaitForEvents(), and the caller's
// program needs the processor. On other threads returns at once.
void lcl_background_rest(const lcl_context *ctx, cl_event event);
