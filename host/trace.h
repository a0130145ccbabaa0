// SPDX-License-Identifier: BSD-3-Clause
// The times of all launches of a run, and of the transfers of
// lcl_buffer_read_at() and lcl_buffer_write_at(), by the device's clock.
#pragma once

#include <levelcl/context.h>

#include <stddef.h>

// The names of transfers.
extern const char lcl_trace_read[], lcl_trace_write[];

// One launch or transfer, in seconds since the first one of the trace started.
struct lcl_span {
    const char *kernel; // valid as long as the context
    int label;
    double start, end;
};

// Keeps the event of each launch and transfer until lcl_trace_end(), under the
// current label, at first 0. Not for contexts with a queue of the caller.
// Returns LCL_OK or LCL_ENOMEM; LCL_EINVAL if a trace has begun.
enum lcl_status lcl_trace_begin(lcl_context *ctx);

// Sets the label of later events and returns the previous one; does nothing
// without a trace.
int lcl_trace_label(lcl_context *ctx, int label);

// Ends the trace, waits for the device and returns *count spans in their order,
// which the caller frees with lcl_free(). Returns LCL_OK,
// LCL_ENOMEM (also if there was no memory for an event) or LCL_EDEVICE; on
// error *spans is NULL. Without a trace there are no spans.
enum lcl_status lcl_trace_end(lcl_context *ctx, struct lcl_span **spans,
                              size_t *count);
