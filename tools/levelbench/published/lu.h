// SPDX-License-Identifier: BSD-3-Clause
// Inverses of dense matrices by LU with partial pivoting in plain sequential C,
// in two steps as by the LAPACK routines getrf and getri.
#pragma once

#include <stdbool.h>

// inverse = A^-1 for matrices of n x n values by rows, n at most 64; overwrites
// A. Returns whether all pivots are nonzero.
bool lu_invert_fp64(int n, double *A, double *inverse);
bool lu_invert_fp32(int n, float *A, float *inverse);
