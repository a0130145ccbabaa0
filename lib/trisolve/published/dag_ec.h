// SPDX-License-Identifier: BSD-3-Clause
// The published edge-centric triangular solves.
#pragma once

#include "lib/trisolve/published/csr_factors.h"
#include "lib/trisolve/trisolve.h"

// The kernels of a method; unused ones are NULL.
struct lcl_dag_ec {
    struct lcl_csr_factors factors;
    lcl_kernel *lower, *scale, *upper, *fused; // scale: x = D^-1 x
};

// Gets the kernels of a method for work-groups of `group` work-items; 0: chosen
// for the device.
enum lcl_status lcl_dag_ec_kernels(struct lcl_dag_ec *E, lcl_context *ctx,
                                   enum lcl_trisolve name, int group);
