// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the functions with OpenCL objects: arrays and events of the
// caller.
#pragma once

#include "host/interop.h"

#include <levelcl/opencl.h>

// Whether an array of the caller is NULL or has no buffer.
bool lcl_array_is_missing(const struct lcl_array_cl *array);

// As lcl_buffer_wrap() for `count` entries of `size` bytes of an array, which
// are selected as by lcl_buffer_select(). Returns LCL_EINVAL also if the buffer
// does not have them.
enum lcl_status lcl_array_wrap(lcl_buffer **out, lcl_context *ctx,
                               const struct lcl_array_cl *array, int64_t count,
                               size_t size, int access, const char *what);

// The same to read, for kernels that skip no entries: with an offset, *out is a
// copy. Returns also LCL_EDEVMEM and LCL_EDEVICE.
enum lcl_status lcl_array_take(lcl_buffer **out, lcl_context *ctx,
                               const struct lcl_array_cl *array, int64_t count,
                               size_t size, const char *what);

// Whether `of_a` entries of a and `of_b` of b have memory in common; the
// offsets are not negative.
bool lcl_arrays_overlap(const struct lcl_array_cl *a, int64_t of_a,
                        const struct lcl_array_cl *b, int64_t of_b);

// Two arrays of doubles of the caller for y = f(x).
struct lcl_pair_plan {
    const struct lcl_array_cl *x, *y;
    int64_t in, out; // doubles
    const char *name_of_x, *name_of_y;
    bool rereads;     // f also reads y
    bool may_overlap; // f then reads a copy of x
};

// All zero at first. An array with an offset is replaced by a copy, since
// kernels skip no entries.
struct lcl_pair {
    lcl_buffer *x, *y;
    lcl_buffer *result; // the caller's y, if y is a copy
};

// Wraps or copies the arrays. Statuses as lcl_array_take(); LCL_EINVAL also if
// they overlap and may not. The caller calls lcl_pair_end() also on error.
enum lcl_status lcl_pair_begin(struct lcl_pair *v, lcl_context *ctx,
                               const struct lcl_pair_plan *plan);

// Finishes *v; before, unless st is an error, enqueues the copy of y to the
// caller's. Returns st or the error of the copy.
enum lcl_status lcl_pair_end(struct lcl_pair *v, enum lcl_status st);

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

// Both for the events of a call that waits at once.
enum lcl_status lcl_events_enter(const lcl_context *ctx,
                                 const struct lcl_events_cl *events);

// Copies `count` events from wait to kept, and retains them; the second
// function releases them.
void lcl_events_retain(const lcl_context *ctx, cl_uint count,
                       const cl_event *wait, cl_event *kept);
void lcl_events_release(const lcl_context *ctx, cl_uint count,
                        const cl_event *kept);

// *done completes with all work enqueued so far, which is flushed; `done` may
// be NULL. Returns LCL_OK, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_events_mark(lcl_context *ctx, cl_event *done);
