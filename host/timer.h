// SPDX-License-Identifier: BSD-3-Clause
// Device time between two points of the queue, from the events of two markers.
// The timer may be coarse (NVIDIA: one microsecond), so time batches of
// launches.
#pragma once

#include <levelcl/context.h>

typedef struct lcl_timer lcl_timer;

// Marks the start. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_timer_start(lcl_timer **out, lcl_context *ctx);

// Marks the end, waits for it, sets *seconds to the time between and frees the
// timer, even on error.
enum lcl_status lcl_timer_stop(lcl_timer **timer, double *seconds);
