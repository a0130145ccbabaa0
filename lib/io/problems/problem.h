// SPDX-License-Identifier: BSD-3-Clause
// Shared by the generators of built-in problems.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Generates the matrix of a name from the numbers in it.
typedef enum lcl_status lcl_problem_make(struct lcl_csr *A, const char *name,
                                         const int64_t *number,
                                         const struct lcl_log *log);

// Whether `name` matches `format`, in which each '#' stands for a number >= 1;
// the numbers are stored in number[0], ...
bool lcl_problem_match(const char *format, char *name, int64_t *number);

enum lcl_status lcl_problem_fail_range(const char *name,
                                       const struct lcl_log *log);

// Sets the sizes and allocates the arrays of a square A; row pointers are all
// zero.
enum lcl_status lcl_problem_allocate(struct lcl_csr *A, int64_t rows,
                                     int64_t nnz, const struct lcl_log *log);

// "rows:NxL,MxK": N rows of L entries, then M rows of K entries, symmetric
// positive definite.
lcl_problem_make lcl_problem_rows;

// Initial state of the random numbers of "kuhn:NX,NY,NZ,B".
#define LCL_KUHN_SEED UINT64_C(88172645463325253)

// The same problem in BSR, from NX, NY, NZ and B and any nonzero state.
enum lcl_status lcl_problem_kuhn(struct lcl_bsr *A, const char *name,
                                 const int64_t *number, uint64_t seed,
                                 const struct lcl_log *log);
