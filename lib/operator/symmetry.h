// SPDX-License-Identifier: BSD-3-Clause
// Whether a matrix on the device is symmetric.
#pragma once

#include "lib/operator/spmv.h"

// Rounding stays far below this, what one entry of a million differs by above.
#define LCL_SYMMETRY_TOLERANCE 1e-10

// |<u, A w> - <w, A u>| for two fixed pseudo-random vectors, relative to the
// sum over all entries of |a_ij| (|u_i w_j| + |w_i u_j|): a matrix whose
// difference is above the tolerance is not symmetric. One pass over A; blocks.
// Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_symmetry_measure(double *difference, lcl_context *ctx,
                                     const struct lcl_device_matrix *D);
