// SPDX-License-Identifier: BSD-3-Clause
// Shared by the generators of built-in problems.
#pragma once

#include "lib/matrix/rows.h"

#include <levelcl/matrix.h>

#include <stdbool.h>

// The numbers in the name of a problem.
struct lcl_numbers {
    int64_t whole[4];
    double real;
};

// The result of a generator: A, or the rows of a rank if `rows` is not NULL and
// the generator can make them on their own.
struct lcl_problem_out {
    struct lcl_csr *A;
    struct lcl_rows *rows;
    struct lcl_share share;
};

// Generates the matrix of a name from the numbers in it.
typedef enum lcl_status lcl_problem_make(const struct lcl_problem_out *to,
                                         const char *name,
                                         const struct lcl_numbers *of,
                                         const struct lcl_log *log);

// Whether `name` matches `format`, in which each '#' matches a whole number >=
// 1 and '~', once at most, a number from 1e-100 to 1e100; stores the numbers.
// An exponent's d or D in `name` becomes e.
bool lcl_problem_match(const char *format, char *name,
                       struct lcl_numbers *numbers);

enum lcl_status lcl_problem_fail_range(const char *name,
                                       const struct lcl_log *log);

// Sets the sizes and allocates the arrays of a square A; row pointers are all
// zero.
enum lcl_status lcl_problem_allocate(struct lcl_csr *A, int64_t rows,
                                     int64_t nnz, const struct lcl_log *log);

// "rows:NxL,MxK": N rows of L entries, then M rows of K entries, symmetric
// positive definite.
lcl_problem_make lcl_problem_rows;

// Finite volumes on N x N x N cells (volumes.c).
lcl_problem_make lcl_problem_aniso, lcl_problem_jump, lcl_problem_recirculating;
// The same, complex.
lcl_problem_make lcl_problem_helmholtz;
// Black oil in N x N x N cells (reservoir.c).
lcl_problem_make lcl_problem_blackoil;
// Trilinear elements on N x N x N cubes (hexahedra.c).
lcl_problem_make lcl_problem_q1, lcl_problem_elasticity;

// Coordinates of the nodes of elasticity:N, before they are numbered.
enum lcl_status lcl_problem_elasticity_nodes(struct lcl_dense *X,
                                             const char *name, int64_t n,
                                             const struct lcl_log *log);

// Initial state of the random numbers of "kuhn:NX,NY,NZ,B".
#define LCL_KUHN_SEED UINT64_C(88172645463325253)

// The same problem in BSR, from NX, NY, NZ and B and any nonzero state.
enum lcl_status lcl_problem_kuhn(struct lcl_bsr *A, const char *name,
                                 const int64_t *number, uint64_t seed,
                                 const struct lcl_log *log);
