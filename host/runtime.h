// SPDX-License-Identifier: BSD-3-Clause
// Context functions for lib/, without OpenCL types.
#pragma once

#include <levelcl/context.h>

// The OpenCL functions in use; see host/cl.h.
struct lcl_cl_api;
extern const struct lcl_cl_api lcl_cl_loader;

// Creates a context without the self-test. `api` is &lcl_cl_loader except in
// tests. Statuses as lcl_context_create().
enum lcl_status lcl_runtime_create(lcl_context **out,
                                   const struct lcl_context_params *params,
                                   const struct lcl_cl_api *api);

const struct lcl_log *lcl_context_log(const lcl_context *ctx);

// The limit of set-ups, host/limit.h; NULL: none. What L points to must live
// until it is replaced.
struct lcl_limit;
void lcl_context_set_limit(lcl_context *ctx, const struct lcl_limit *L);
const struct lcl_limit *lcl_context_limit(const lcl_context *ctx);
// Whether launches end by it from now on. Returns whether they did before.
bool lcl_context_limit_launches(lcl_context *ctx, bool launches);

static inline bool lcl_context_is_cpu(const lcl_context *ctx)
{
    return lcl_context_caps(ctx)->type == LCL_DEVICE_CPU;
}

// Sets the log level and returns the previous one: for attempts whose failure
// is not an error.
enum lcl_log_level lcl_context_set_log_level(lcl_context *ctx,
                                             enum lcl_log_level level);

// Whether the device has passed its self-test. lcl_context_note_proven() stores
// that on disk for this device, driver and library version.
bool lcl_context_proven(const lcl_context *ctx);
void lcl_context_note_proven(lcl_context *ctx);

// Every public function that uses a device calls one of these first. Returns
// LCL_OK; LCL_EPROCESS in a child of fork(); LCL_EBUSY while another thread
// uses the context in the background (host/background.h), or inside a callback
// on this thread (host/access.h); there expect_product() still allows products,
// if the callback is one that computes products.
enum lcl_status lcl_context_expect_free(const lcl_context *ctx,
                                        const char *function);
enum lcl_status lcl_context_expect_product(const lcl_context *ctx,
                                           const char *function);
// Before ranks agree whether all of their contexts are free: LCL_OK unless
// other ranks cannot be in the same call, since this one is in a child process
// or in a function of the caller.
enum lcl_status lcl_context_expect_collective(const lcl_context *ctx,
                                              const char *function);

// Waits until all enqueued work is done.
enum lcl_status lcl_context_wait(lcl_context *ctx);
// Submits enqueued work to the device without waiting.
enum lcl_status lcl_context_flush(lcl_context *ctx);

// Begin and end a task; lcl_task_next() ends the innermost open task and begins
// another in its place, or does nothing if no task is open. A context with
// `profile` waits for the device; the next call reports a lost device.
void lcl_task_enter(lcl_context *ctx, enum lcl_task task);
void lcl_task_next(lcl_context *ctx, enum lcl_task task);
void lcl_task_leave(lcl_context *ctx);
// Adds the least traffic of some work, each array once, to the innermost open
// task.
void lcl_task_bytes(lcl_context *ctx, uint64_t bytes);
