// SPDX-License-Identifier: BSD-3-Clause
// The published synchronisation-free triangular solve.
#pragma once

#include "lib/trisolve/published/csr_factors.h"
#include "lib/trisolve/trisolve.h"

struct lcl_spin_loop {
    struct lcl_csr_factors factors;
    lcl_kernel *lower, *upper;
    lcl_buffer *done;  // n: flags of the rows
    lcl_buffer *order; // n, uint16: the rows of each subdomain as the matrix
                       // has them, counted from its first row
};

// Gets the kernels for work-groups of `group` work-items; 0: chosen for the
// device.
enum lcl_status lcl_spin_loop_kernels(struct lcl_spin_loop *S, lcl_context *ctx,
                                      int group);
