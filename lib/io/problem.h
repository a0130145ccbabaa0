// SPDX-License-Identifier: BSD-3-Clause
// What the generators of built-in problems share.
#pragma once

#include <levelcl/matrix.h>

// Makes the matrix of a name from the numbers in it.
typedef enum lcl_status lcl_problem_make(struct lcl_csr *A, const char *name,
                                         const int64_t *number,
                                         const struct lcl_log *log);

enum lcl_status lcl_problem_fail_range(const char *name,
                                       const struct lcl_log *log);

// Sizes and arrays of a square A; row pointers are all zero.
enum lcl_status lcl_problem_allocate(struct lcl_csr *A, int64_t rows,
                                     int64_t nnz, const struct lcl_log *log);

// "rows:NxL,MxK": N rows of L entries, then M rows of K entries, symmetric
// positive definite.
lcl_problem_make lcl_problem_rows;
