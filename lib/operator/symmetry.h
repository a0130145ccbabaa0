// SPDX-License-Identifier: BSD-3-Clause
// Symmetry test of a matrix on the device.
#pragma once

#include "lib/operator/spmv.h"

// Rounding errors stay far below this; one differing entry in a million exceeds
// it.
#define LCL_SYMMETRY_TOLERANCE 1e-10

// Computes |<u, A w> - <w, A u>| for two fixed pseudo-random vectors, relative
// to the sum over all entries of |a_ij| (|u_i w_j| + |w_i u_j|). A matrix whose
// difference exceeds the tolerance is not symmetric. One pass over A; supports
// blocks. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_symmetry_measure(double *difference, lcl_context *ctx,
                                     const struct lcl_device_matrix *D);
