// SPDX-License-Identifier: BSD-3-Clause
// Enumerating and choosing devices.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

// Lists all devices of all platforms in the loader's order; the caller frees
// *devices with lcl_free(). Skips platforms without devices.
enum lcl_status lcl_device_list(const struct lcl_cl *cl, cl_device_id **devices,
                                int *count);

// Every use of OpenCL begins with this, or with the list. Returns LCL_OK;
// LCL_EPROCESS in a child of the process that used OpenCL first.
enum lcl_status lcl_device_expect_process(const struct lcl_log *log);

// Selects the device that `wanted` names. NULL or "": the first GPU with fp64,
// else the first CPU; a number: that index; otherwise part of a device's or
// platform's name.
enum lcl_status lcl_device_choose(const struct lcl_cl *cl, const char *wanted,
                                  cl_device_id *device);
