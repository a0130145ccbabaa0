// SPDX-License-Identifier: BSD-3-Clause
// Symmetry test of a matrix on the device.
#pragma once

#include "lib/operator/spmv.h"

// Rounding errors stay far below this; one differing entry in a million exceeds
// it.
#define LCL_SYMMETRY_TOLERANCE 1e-10

// sum[0] = <u, A w> - <w, A u> for two vectors of fixed pseudo-random numbers,
// sum[1] = the sum over all entries of |a_ij| (|u_i w_j| + |w_i u_j|). A matrix
// for which |sum[0]| exceeds the tolerance times sum[1] is not symmetric. One
// pass over A; supports blocks. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM,
// LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_symmetry_sums(double sum[2], lcl_context *ctx,
                                  const struct lcl_device_matrix *D);

// Adds what entry a_ij contributes, on the host.
void lcl_symmetry_add(double sum[2], int64_t i, int64_t j, double a);
