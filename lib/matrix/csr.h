// SPDX-License-Identifier: BSD-3-Clause
// Looking into host matrices.
#pragma once

#include <levelcl/matrix.h>

// Checks all of A but its values; `what` is how messages call the matrix.
// Returns LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_csr_check_pattern(const struct lcl_csr *A, const char *what,
                                      const struct lcl_log *log);

// The first of `count` values that is NaN or infinite, or -1.
int64_t lcl_find_not_finite(const double *val, int64_t count);

// The row of entry k of A.
int64_t lcl_csr_row_of(const struct lcl_csr *A, int64_t k);

// The first entry of row i from column j on, or where the next row starts.
int64_t lcl_csr_seek(const struct lcl_csr *A, int64_t i, int64_t j);

// Where entry (i, j) of A is stored, or -1: columns of a row ascend.
int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j);
