// SPDX-License-Identifier: BSD-3-Clause
// Derives the other modes from y = Op x, for operators whose kernels compute
// nothing else.
#pragma once

#include "host/program.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

// Gets the kernel, which lives as long as the context.
enum lcl_status lcl_modes_kernel(lcl_kernel **out, lcl_context *ctx);

// Completes a mode after v->y = Op x; enqueues nothing for LCL_APPLY.
enum lcl_status lcl_modes_complete(lcl_kernel *kernel,
                                   const struct lcl_space *range,
                                   enum lcl_mode mode,
                                   const struct lcl_operands *v);
