// SPDX-License-Identifier: BSD-3-Clause
// Programs: built once per spec and context, cached in memory and on disk.
#pragma once

#include "host/spec.h"

#include <levelcl/status.h>

// A kernel of a built program; lives as long as its context.
typedef struct lcl_kernel lcl_kernel;

// Finds, loads or builds the kernel of a spec. If width or exchange of the spec
// is zero, uses the context's.
// Returns LCL_OK; LCL_EBUILD, which logs the compiler's lines and the lines of
// the source around those that they name, at debug level the device, options
// and the whole source, or names a parameter unknown to the source; LCL_ERANGE
// (more local memory or a larger work-group than the device supports);
// LCL_EDEVICE; LCL_ENOMEM.
enum lcl_status lcl_kernel_get(lcl_kernel **out, lcl_context *ctx,
                               const struct lcl_spec *spec);

// The same for several kernels of one source, whose names replace spec->kernel.
struct lcl_kernel_plan {
    lcl_kernel **out;
    const char *name;
};
enum lcl_status lcl_kernels_get(lcl_context *ctx, const struct lcl_spec *spec,
                                const struct lcl_kernel_plan *all,
                                size_t kernels);

// Whether later contexts find compiled programs.
bool lcl_programs_are_kept(const lcl_context *ctx);

void lcl_programs_finish(lcl_context *ctx);
