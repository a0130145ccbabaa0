// SPDX-License-Identifier: BSD-3-Clause
// Reference of the asymmetry.
#pragma once

#include <levelcl/matrix.h>

// *difference = <u, A w> - <w, A u> for the two vectors of properties.cl,
// *scale = the sum over all entries of |a_ij|.
void lcl_ref_symmetry(const struct lcl_csr *A, double *difference,
                      double *scale);
