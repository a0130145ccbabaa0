// SPDX-License-Identifier: BSD-3-Clause
// Reference of lone rows (lib/storage/lone.h).
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Whether row i of A has one entry other than 0, that of the diagonal.
bool lcl_ref_is_lone(const struct lcl_csr *A, int64_t i);

// A with zeros for the couplings to unknowns of lone rows, in val[nnz].
void lcl_ref_set_aside(double *val, const struct lcl_csr *A);

// x_i = b_i / a_ii for lone rows.
void lcl_ref_solve_lone(double *x, const struct lcl_csr *A, const double *b);
