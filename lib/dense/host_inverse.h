// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the host: used for CPUs, and the reference
// for the device kernels.
#pragma once

#include <levelcl/status.h>

#include <stdbool.h>
#include <stdint.h>

// X = A^-1 for n x n matrices in row-major order with row stride `stride`. An
// unknown without a pivot above 4 n epsilon times the largest entry of its
// column is pinned: its row of X is zero, and so is the column of the equation
// left over. *pinned is the number of pinned unknowns. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_host_inverse(double *X, const double *A, int64_t n,
                                 int64_t stride, int64_t *pinned);

// The pivot limit, relative to the largest entry of the column.
double lcl_pivot_limit(int64_t n);
