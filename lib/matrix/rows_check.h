// SPDX-License-Identifier: BSD-3-Clause
// Checks of the rows that a rank was given. An entry has `values` numbers: 1,
// those of a block, or 0 for a pattern, whose `val` is not read.
#pragma once

#include <levelcl/matrix.h>

// The sizes and row pointers. Returns LCL_OK; LCL_EFORMAT; LCL_ERANGE (2^31
// rows); LCL_EINVAL (NULL arrays).
enum lcl_status lcl_rows_check_sizes(const struct lcl_rows *A, int values,
                                     const struct lcl_log *log);

// Columns and values of row i. Returns LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_rows_check_row(const struct lcl_rows *A, int64_t i,
                                   int values, const struct lcl_log *log);

// All of them.
enum lcl_status lcl_rows_check(const struct lcl_rows *A, int values,
                               const struct lcl_log *log);
