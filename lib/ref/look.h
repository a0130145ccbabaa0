// SPDX-License-Identifier: BSD-3-Clause
// Reference of the look at a matrix.
#pragma once

#include <levelcl/matrix.h>

// The sums over all rows of cl/operator/look.cl, LOOK_SUMS of them.
void lcl_ref_look(const struct lcl_csr *A, double *sums);
