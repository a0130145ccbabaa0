// SPDX-License-Identifier: BSD-3-Clause
// References of cl/multilevel/nodes.cl and tentative.cl, on dense arrays.
#pragma once

#include <levelcl/matrix.h>

// Frobenius norms of the blocks of A between nodes of `block` rows, (rows /
// block)^2 of them.
void lcl_ref_node_norms(double *norm, const struct lcl_csr *A, int block);

// F = I - w D_F^-1 A_F, rows^2 values, for `strong` couplings of nodes, (rows /
// block)^2 of them.
void lcl_ref_node_filter(double *F, const struct lcl_csr *A, int block,
                         const unsigned char *strong, double lambda);

// Gram-Schmidt of the columns of Q (rows x count, row by row), whose
// coefficients go to R (count x count): Q_before = Q R. A column that keeps at
// most 1e-10 of its length becomes zero.
void lcl_ref_orthonormalise(double *Q, double *R, int64_t rows, int count);
