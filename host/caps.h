// SPDX-License-Identifier: BSD-3-Clause
// What a device can do: first asked, then tried.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

// Fills what queries alone can tell, without a context.
enum lcl_status lcl_caps_query(const struct lcl_cl *cl, cl_device_id device,
                               struct lcl_caps *caps);

// Replaces the claims in ctx->caps by what trial builds and launches show:
// exchange, local memory, atomics, progress, overlapping queues. Remembered on
// disk for this device and driver.
enum lcl_status lcl_caps_probe(lcl_context *ctx);
