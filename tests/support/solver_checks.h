// SPDX-License-Identifier: BSD-3-Clause
// Requirements on every solver, for any method and preconditioner, and the
// systems of these tests. `precond` and `params` are passed to
// test_solve_open(). Failures here fail the test.
#pragma once

#include "tests/support/solving.h"

// ------------------------------------------------------------------ systems

// All subdomains have the same size, because each size requires another kernel.
enum { TEST_PART_ROWS = 120 };
#define TEST_PARTS                                                             \
 .partition = {                                                                \
     .type = LCL_PARTITION_NATURAL,                                            \
     .rows = TEST_PART_ROWS,                                                   \
 }

struct lcl_precond_params test_ic0(enum lcl_coarse coarse);

// Blocks of 3 on a grid of 504 cells, symmetric and diagonally dominant.
struct lcl_csr test_block_grid(void);

// 1000 cells, unsymmetric, with a varying diagonal, so that Jacobi has an
// effect.
struct lcl_csr test_uneven_grid(void);

// The last row is zero but b is not: the residual cannot get below b there.
enum { TEST_INCONSISTENT_ROWS = 36 };
struct lcl_csr test_inconsistent(double b[TEST_INCONSISTENT_ROWS]);

// ------------------------------------------------------------------ solutions

// Opens s, solves for test_right_side() and expects its x. The caller closes s.
void test_solve_known(struct test_solve *s, lcl_context *ctx,
                      const struct lcl_csr *A,
                      const struct lcl_precond_params *precond,
                      const struct lcl_solver_params *params);

// The same, then solves once more from zero.
void test_expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                        const struct lcl_precond_params *precond,
                        const struct lcl_solver_params *params);

// Two solvers, one of which solves twice, agree bitwise.
void test_expect_reproducible(lcl_context *ctx, const struct lcl_csr *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *params);

// Near the solution fewer iterations suffice; from the solution none, and x
// stays unchanged.
void test_expect_start_used(lcl_context *ctx, const struct lcl_csr *A,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params);

// x = b takes one iteration, for one equation and for 50.
void test_expect_identity_at_once(lcl_context *ctx,
                                  const struct lcl_precond_params *precond,
                                  const struct lcl_solver_params *params);

// The result of a reference for test_right_side().
struct test_reference {
    const double *history;
    int iterations;
    int first; // number of entries to compare, before rounding errors grow
    double tolerance; // of each, relative
    int least, most;  // allowed numbers of iterations on a device
};

void test_expect_reference(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *precond,
                           const struct lcl_solver_params *params,
                           const struct test_reference *reference);

// ------------------------------------------------------------------ stops

// A zero right-hand side gives zero for any initial x.
void test_expect_zero_rhs(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params);

// A right-hand side with a NaN is an error.
void test_expect_nan_refused(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// Squares of 1e200 end the solve as not finite.
void test_expect_overflow(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params);

// Every limit from 1 to 12 is respected at any point of a cycle of the method:
// x has the residual that the history gives for its iteration, and a tolerance
// just below that residual is not reported as success.
void test_expect_limits_kept(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// The monitor receives plausible numbers and stops the solve at its second
// call.
void test_expect_monitor_heeded(lcl_context *ctx,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *params);

// atol and rtol are distinguished.
void test_expect_absolute_tolerance(lcl_context *ctx,
                                    const struct lcl_precond_params *precond,
                                    const struct lcl_solver_params *params);

// rtol below the rounding error is not reported as success, but x is as
// accurate as possible.
void test_expect_unreachable(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// test_inconsistent() is not reported as success; test_solve_run() checks the
// report.
void test_expect_no_success(lcl_context *ctx,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params);

// The method takes the same steps for -A, with preconditioners of -A too.
void test_expect_negative_alike(lcl_context *ctx, struct lcl_csr *A,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *params);
