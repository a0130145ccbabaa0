// SPDX-License-Identifier: BSD-3-Clause
// Reference of block-Jacobi for Kronecker systems.
#pragma once

#include <levelcl/kron.h>

// D = A (x) M_ii + tau B (x) L_ii for block row i, row-major: row r s + j is
// row r of the block in stage j. At most LCL_DIAGONAL_BLOCK_MAX rows.
void lcl_ref_kron_block(double *D, const struct lcl_kron *K, int64_t i);

// y = D^-1 x for all block rows, vectors ordered as in struct lcl_kron. Blocks
// without an inverse are replaced by the identity; returns their number.
int64_t lcl_ref_kron_block_jacobi(const struct lcl_kron *K, const double *x,
                                  double *y);
