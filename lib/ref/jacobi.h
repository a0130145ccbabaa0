// SPDX-License-Identifier: BSD-3-Clause
// Reference of the diagonal preconditioner.
#pragma once

#include <levelcl/matrix.h>

// inv_d[i] = 1 / a_ii, or 1 if a_ii is not stored or has no finite inverse;
// bad[i] is then set. Returns the number of bad rows.
int64_t lcl_ref_jacobi(const struct lcl_csr *A, double *inv_d,
                       unsigned char *bad);
