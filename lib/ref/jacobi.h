// SPDX-License-Identifier: BSD-3-Clause
// Reference of the diagonal preconditioner.
#pragma once

#include <levelcl/matrix.h>

// inv_d[i] = 1 / a_ii, or 1 if a_ii is not stored or has no finite inverse;
// bad[i] is then set. Returns the number of bad rows.
int64_t lcl_ref_jacobi(const struct lcl_csr *A, double *inv_d,
                       unsigned char *bad);

// inv_d[i] = 1 / |a_ii|. If |a_ii| < 0.01 |a_ij| for any j, the larger of
// |a_ii| and sum_j a_ij^2 / |a_jj| takes its place, over all j /= i with |a_jj|
// >= 0.01 |a_ij|. If that is not a normal number, 1.
void lcl_ref_jacobi_absolute(const struct lcl_csr *A, double *inv_d);
