// SPDX-License-Identifier: BSD-3-Clause
// Systems on several ranks: threads of a team, each with a context and
// consecutive rows of a matrix.
#pragma once

#include "lib/comm/team.h"

#include <levelcl/solver.h>

enum { TEST_RANKS = 5 };

struct test_ranks {
    int size;
    lcl_team *team;
    lcl_context *ctx[TEST_RANKS];
    const struct lcl_csr *A;
    struct lcl_rows rows[TEST_RANKS];
    // of each rank, made by the functions below
    lcl_operator *op[TEST_RANKS];
    lcl_precond *M[TEST_RANKS];
    lcl_solver *S[TEST_RANKS];
    enum lcl_status status[TEST_RANKS]; // of the last call below
};

// Contexts of test_context(). Rank r has the rows from[r] .. from[r+1]-1;
// NULL: about equally many.
void test_ranks_open(struct test_ranks *R, int size, const struct lcl_csr *A,
                     const int64_t *from);
void test_ranks_close(struct test_ranks *R);

// Copies the rows first .. first + rows - 1 of A. Freed with
// test_rows_finish().
struct lcl_rows test_rows_of(const struct lcl_csr *A, int64_t first,
                             int64_t rows);
void test_rows_finish(struct lcl_rows *rows);

// The rows from[r] .. from[r+1]-1 of A for each rank r; NULL: about equally
// many.
void test_rows_split(struct lcl_rows *rows, int size, const struct lcl_csr *A,
                     const int64_t *from);

// Make the operators, preconditioners and solvers of all ranks; destroy them.
enum lcl_status test_ranks_operators(struct test_ranks *R,
                                     const struct lcl_operator_params *params);
enum lcl_status test_ranks_solvers(struct test_ranks *R,
                                   const struct lcl_precond_params *precond,
                                   const struct lcl_solver_params *params);
void test_ranks_drop(struct test_ranks *R);

// Calls fn(arg, rank) on all ranks, as do all functions below.
enum lcl_status test_ranks_run(struct test_ranks *R, lcl_team_fn *fn,
                               void *arg);

// Fails unless the last call returned `status` on all ranks.
void test_ranks_expect(const struct test_ranks *R, enum lcl_status status);

// Gives the operators the values of A in `val`, and updates the
// preconditioners.
enum lcl_status test_ranks_update(struct test_ranks *R, const double *val);

// y = A x on all ranks, for whole vectors.
enum lcl_status test_ranks_apply(struct test_ranks *R, const double *x,
                                 double *y);

// Solves from x; fails unless all ranks report the same bits. `report` is that
// of rank 0.
enum lcl_status test_ranks_solve(struct test_ranks *R, const double *b,
                                 double *x, struct lcl_report *report);

// New values of A: a_ij becomes s_i a_ij s_j, where s has no pattern.
void test_rescale(const struct lcl_csr *A);

// Solves for a random right-hand side; fails unless all ranks find the
// solution. Returns the number of iterations.
int test_ranks_expect_solved(struct test_ranks *R);
