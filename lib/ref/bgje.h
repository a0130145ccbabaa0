// SPDX-License-Identifier: BSD-3-Clause
// Reference of batched inversion.
#pragma once

// X = A^-1 for an m x m matrix by rows, by Gauss-Jordan elimination with rows
// exchanged: Anzt, Dongarra, Flegar, Quintana-Orti, Parallel Computing 81
// (2019), Figure 1. `perm` is room for m numbers; X may be A. Returns 0, or the
// step, from 1 on, whose pivot is not finite or has no finite inverse; m, too,
// where an entry of the inverse overflows: X is then of no use.
int lcl_ref_bgje(double *X, const double *A, int *perm, int m);
