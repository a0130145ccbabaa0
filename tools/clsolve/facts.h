// SPDX-License-Identifier: BSD-3-Clause
// Properties of a matrix.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Rows count from 1, as in the file; 0: no such row.
struct facts {
    int64_t row_min; // entries of the shortest and of the longest row
    int64_t row_max;
    int64_t zero_rows; // rows without a nonzero entry
    int64_t first_zero_row;
    int64_t missing_diagonals;
    int64_t first_missing_diagonal;
    int64_t negative_diagonals;
    int64_t positive_diagonals;

    bool pattern_symmetric; // facts_symmetry()
    double asymmetry;       // max |a_ij - a_ji| / max |a_ij|
};

// Sets all fields except the symmetry, in one pass over the rows.
void facts_rows(struct facts *facts, const struct lcl_csr *A);

// Sets the symmetry of a square A, in one pass over the entries. Returns LCL_OK
// or LCL_ENOMEM.
enum lcl_status facts_symmetry(struct facts *facts, const struct lcl_csr *A);
