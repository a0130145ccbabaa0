// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the functions with OpenCL objects: arrays and events of the
// caller.
#pragma once

#include "host/interop.h"

#include <levelcl/opencl.h>

// lcl_buffer_wrap() for `count` doubles of an array, selected by
// lcl_buffer_select(). Returns LCL_EINVAL also if the buffer is too small for
// them.
enum lcl_status lcl_array_wrap(lcl_buffer **out, lcl_context *ctx,
                               const struct lcl_array_cl *array, int64_t count,
                               int access, const char *what);

// Two different buffers of the caller.
struct lcl_pair {
    lcl_buffer *x, *y;
};

// Wraps x, of at least `in` doubles, to be read, and y, of at least `out`, to
// be written or, if `accumulates`, also read. Statuses as lcl_array_wrap(). The
// caller finishes *v, all zero at first, also on error.
enum lcl_status lcl_pair_wrap(struct lcl_pair *v, lcl_context *ctx, cl_mem x,
                              int64_t in, cl_mem y, int64_t out,
                              bool accumulates);
void lcl_pair_finish(struct lcl_pair *v);

// Sets *events->done to NULL; the result is `events`, or no events for NULL.
const struct lcl_events_cl *lcl_events_begin(
    const struct lcl_events_cl *events);

// Checks the wait list. Returns LCL_OK or LCL_EINVAL.
enum lcl_status lcl_events_check(const lcl_context *ctx,
                                 const struct lcl_events_cl *events);

// Waits for the events. Returns LCL_OK or LCL_EDEVICE (also if the work of one
// has failed).
enum lcl_status lcl_events_wait(const lcl_context *ctx, cl_uint count,
                                const cl_event *wait);

// Copies `count` events from wait to kept and retains them; the second function
// releases them.
void lcl_events_retain(const lcl_context *ctx, cl_uint count,
                       const cl_event *wait, cl_event *kept);
void lcl_events_release(const lcl_context *ctx, cl_uint count,
                        const cl_event *kept);

// *done completes with all work enqueued so far, which is flushed; `done` may
// be NULL. Returns LCL_OK, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_events_mark(lcl_context *ctx, cl_event *done);
