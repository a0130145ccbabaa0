// SPDX-License-Identifier: BSD-3-Clause
// Device capabilities: queried first, then probed.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

// Whether the driver is PoCL.
bool lcl_caps_is_pocl(const struct lcl_caps *caps);

// Fills the fields that queries can determine, without a context.
enum lcl_status lcl_caps_query(const struct lcl_cl *cl, cl_device_id device,
                               struct lcl_caps *caps);

// Replaces the reported values in ctx->caps by the results of trial builds and
// launches: exchange, local memory, atomics, progress, overlapping queues.
// Caches the results on disk for this device and driver.
enum lcl_status lcl_caps_probe(lcl_context *ctx);
