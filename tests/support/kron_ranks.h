// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on several ranks: threads of a team, each with a context
// and consecutive block rows.
#pragma once

#include "tests/support/krons.h"
#include "tests/support/ranks.h"

struct test_kron_ranks {
    int size;
    lcl_team *team;
    lcl_context *ctx[TEST_RANKS];
    const struct lcl_kron *K;
    struct test_kron_part part[TEST_RANKS];
    // of each rank, made by the functions below
    lcl_operator *op[TEST_RANKS];
    lcl_precond *M[TEST_RANKS];
    lcl_solver *S[TEST_RANKS];
    enum lcl_status status[TEST_RANKS]; // of the last call below
};

// Contexts on the default device; about equally many block rows for each.
// Messages of rank r go to log[r]; NULL: nowhere.
void test_kron_ranks_open(struct test_kron_ranks *R, int size,
                          const struct lcl_kron *K, const struct lcl_log *log);
void test_kron_ranks_close(struct test_kron_ranks *R);

// Take the rows of K again.
void test_kron_ranks_split(struct test_kron_ranks *R);

// Make the operators, preconditioners and solvers of all ranks; destroy them.
enum lcl_status test_kron_ranks_operators(
    struct test_kron_ranks *R, const struct lcl_operator_params *params);
enum lcl_status test_kron_ranks_solvers(struct test_kron_ranks *R,
                                        const struct lcl_precond_params *M,
                                        const struct lcl_solver_params *S);
void test_kron_ranks_drop(struct test_kron_ranks *R);

// Gives the operators the values of R->part.
enum lcl_status test_kron_ranks_update(struct test_kron_ranks *R);

// y = K x, for whole vectors.
enum lcl_status test_kron_ranks_apply(struct test_kron_ranks *R,
                                      const double *x, double *y);
// Solves from x.
enum lcl_status test_kron_ranks_solve(struct test_kron_ranks *R,
                                      const double *b, double *x);

// Fails unless the last call returned `status` on all ranks.
void test_kron_ranks_expect(const struct test_kron_ranks *R,
                            enum lcl_status status);
