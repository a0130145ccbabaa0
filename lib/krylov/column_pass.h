// SPDX-License-Identifier: BSD-3-Clause
// Solves several columns of lcl_solver_solve_many() together.
#pragma once

#include "lib/krylov/krylov.h"

// Columns of the caller: column j is at b[j * ldb] and x[j * ldx].
struct lcl_given_columns {
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
    int count;
};

// Checks sizes and values for a public function; collective. Returns LCL_OK,
// LCL_EINVAL, LCL_ERANGE or LCL_EFORMAT.
enum lcl_status lcl_columns_check(const lcl_operator *A,
                                  const struct lcl_given_columns *c,
                                  const char *function);

// Solves at most `columns` (2, 4 or 8) columns with passes over the matrix and
// the preconditioner that they share; they must have been checked; reports[j]
// and its history, which the caller frees, are set, and x where it improved.
// Returns the first status of a column that is not LCL_OK; LCL_EUNSUPPORTED
// without a message and without a change if such passes do not suit S, the
// device or a column; or an error of lcl_solver_solve().
enum lcl_status lcl_column_pass(lcl_solver *S,
                                const struct lcl_given_columns *given,
                                int columns, struct lcl_report *reports,
                                double **histories);
