// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the host: what CPUs use, and the reference
// of the device's kernels.
#pragma once

#include <levelcl/status.h>

#include <stdbool.h>
#include <stdint.h>

// X = A^-1 for n x n numbers by rows; rows of both are `stride` apart. An
// unknown without a pivot above 4 n epsilon times the largest entry of its
// column is pinned: its row of X is zero, and so is the column of the equation
// that is left over. *pinned tells how many.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_host_inverse(double *X, const double *A, int64_t n,
                                 int64_t stride, int64_t *pinned);

// The limit of pivots relative to the largest entry of their column.
double lcl_pivot_limit(int64_t n);
