// SPDX-License-Identifier: BSD-3-Clause
// Programs: built once per spec and context, kept in memory and on disk.
#pragma once

#include "host/spec.h"

#include <levelcl/status.h>

// A kernel of a built program; lives as long as its context.
typedef struct lcl_kernel lcl_kernel;

// Finds, loads or builds the kernel of a spec. Fills spec fields that are zero
// from the context: width, exchange.
// Returns LCL_OK; LCL_EBUILD, with device, options, log and numbered source in
// the log; LCL_ERANGE (more local memory or a larger group than the device
// has); LCL_EDEVICE; LCL_ENOMEM.
enum lcl_status lcl_kernel_get(lcl_kernel **out, lcl_context *ctx,
                               const struct lcl_spec *spec);

void lcl_programs_finish(lcl_context *ctx);

// Source text of a spec as the driver gets it, without a device: defines,
// the headers that it includes, kernel. To be freed with lcl_free(); NULL when
// memory runs out or the source does not exist.
char *lcl_program_source(const struct lcl_spec *spec);
