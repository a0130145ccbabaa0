// SPDX-License-Identifier: BSD-3-Clause
// Reference of the boundary rows of a distributed operator.
#pragma once

#include <levelcl/matrix.h>

// y[row[r]] = sum of a_rj x_j over row r of A, where column j < n is x[j] and
// the others are ghost[j - n]. Returns the sum over these rows i of w_i times
// the change of y_i; without w 0.
double lcl_ref_halo(const struct lcl_csr *A, const int32_t *row, int64_t n,
                    const double *x, const double *ghost, const double *w,
                    double *y);
