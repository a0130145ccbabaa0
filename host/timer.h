// SPDX-License-Identifier: BSD-3-Clause
// Device time between two points of the queue, by the events of two markers.
// Ticks may be coarse (NVIDIA: a microsecond): time batches of launches.
#pragma once

#include <levelcl/context.h>

typedef struct lcl_timer lcl_timer;

// Marks the start. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_timer_start(lcl_timer **out, lcl_context *ctx);

// Marks the end, waits for it, gives the seconds between and frees the timer,
// whatever is returned.
enum lcl_status lcl_timer_stop(lcl_timer **timer, double *seconds);
