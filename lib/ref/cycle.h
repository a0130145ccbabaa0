// SPDX-License-Identifier: BSD-3-Clause
// References of the matrix of a level of a V-cycle and of steps with it.
#pragma once

#include "lib/multilevel/cycle_matrix.h"

// val = the values of A scaled to a unit diagonal, as cl/multilevel/cycle.cl
// stores them; rest (rows) = the change of the row sums by storing. Returns the
// largest sum of absolute errors of a row.
double lcl_ref_cycle_store(const struct lcl_csr *A,
                           enum lcl_factor_storage storage, double *val,
                           double *rest);

// out = a step with A that reads b, x and y, where diagonals are raised by
// `rest`; lambda as in struct lcl_cycle_vectors.
void lcl_ref_cycle_step(const struct lcl_csr *A, const double *rest,
                        enum lcl_cycle_step step, double lambda,
                        const double *b, const double *x, const double *y,
                        double *out);
