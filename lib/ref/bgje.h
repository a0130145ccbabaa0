// SPDX-License-Identifier: BSD-3-Clause
// Reference of batched inversion.
#pragma once

// X = A^-1 for a row-major m x m matrix, by Gauss-Jordan elimination with row
// exchanges: Anzt, Dongarra, Flegar, Quintana-Orti, Parallel Computing 81
// (2019), Figure 1. `perm` has space for m numbers; X may be A. Returns 0, or
// the one-based step whose pivot is not finite or has no finite inverse; also m
// if an entry of the inverse overflows. If not 0, X is invalid.
int lcl_ref_bgje(double *X, const double *A, int *perm, int m);
