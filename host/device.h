// SPDX-License-Identifier: BSD-3-Clause
// Enumerating and choosing devices.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

// All devices of all platforms in the loader's order, to be freed with
// lcl_free(). A platform without devices is skipped.
enum lcl_status lcl_device_list(const struct lcl_cl *cl, cl_device_id **devices,
                                int *count);

// The device that `wanted` means: NULL or "" the first GPU with fp64, else the
// first CPU; a number; else a part of a device's or platform's name.
enum lcl_status lcl_device_choose(const struct lcl_cl *cl, const char *wanted,
                                  cl_device_id *device);
