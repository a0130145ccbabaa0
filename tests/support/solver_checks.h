// SPDX-License-Identifier: BSD-3-Clause
// What every solver must do, whatever its method and its preconditioner, and
// the systems it is tried on. `precond` and `params` are those of
// test_solve_open(). What fails here fails the test.
#pragma once

#include "tests/support/solving.h"

// ------------------------------------------------------------------ systems

// All subdomains are of one size: each size is another kernel to compile.
enum { TEST_PART_ROWS = 120 };
#define TEST_PARTS                                                             \
 .partition = {                                                                \
     .type = LCL_PARTITION_NATURAL,                                            \
     .rows = TEST_PART_ROWS,                                                   \
 }

struct lcl_precond_params test_ic0(enum lcl_coarse coarse);

// Blocks of 3 on a grid of 504 cells, symmetric and diagonally dominant.
struct lcl_csr test_block_grid(void);

// 1000 cells, unsymmetric, the diagonal varied: Jacobi does something.
struct lcl_csr test_uneven_grid(void);

// A last row of zeros that b contradicts: no residual is smaller than b there.
enum { TEST_INCONSISTENT_ROWS = 36 };
struct lcl_csr test_inconsistent(double b[TEST_INCONSISTENT_ROWS]);

// ------------------------------------------------------------------ solutions

// Opens s, solves for test_right_side() and expects its x. The caller closes s.
void test_solve_known(struct test_solve *s, lcl_context *ctx,
                      const struct lcl_csr *A,
                      const struct lcl_precond_params *precond,
                      const struct lcl_solver_params *params);

// The same and, from zero, once more.
void test_expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                        const struct lcl_precond_params *precond,
                        const struct lcl_solver_params *params);

// Two solvers, one of which solves twice, agree bit for bit.
void test_expect_reproducible(lcl_context *ctx, const struct lcl_csr *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *params);

// Near the solution fewer iterations do, from the solution none, which leaves x
// as it is.
void test_expect_start_used(lcl_context *ctx, const struct lcl_csr *A,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params);

// x = b takes one iteration, with one equation and with 50.
void test_expect_identity_at_once(lcl_context *ctx,
                                  const struct lcl_precond_params *precond,
                                  const struct lcl_solver_params *params);

// What a reference found for test_right_side().
struct test_reference {
    const double *history;
    int iterations;
    int first;        // entries to compare: rounding has not grown yet
    double tolerance; // of each, relative
    int least, most;  // iterations that a device may take
};

void test_expect_reference(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *precond,
                           const struct lcl_solver_params *params,
                           const struct test_reference *reference);

// ------------------------------------------------------------------ stops

// A right side of zeros gives zeros, whatever x was.
void test_expect_zero_rhs(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params);

// A right side with a NaN is an error.
void test_expect_nan_refused(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// Squares of 1e200 end the solve as not finite.
void test_expect_overflow(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params);

// Every limit from 1 to 12 is met, wherever in a cycle of the method that is: x
// has the residual that the history gives for its iteration, and a tolerance
// just below it is no success.
void test_expect_limits_kept(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// The monitor, which is told numbers that make sense, stops at its second call.
void test_expect_monitor_heeded(lcl_context *ctx,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *params);

// atol is told apart from rtol.
void test_expect_absolute_tolerance(lcl_context *ctx,
                                    const struct lcl_precond_params *precond,
                                    const struct lcl_solver_params *params);

// rtol below what rounding allows is no success, but x is as good as can be.
void test_expect_unreachable(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params);

// test_inconsistent() is no success; test_solve_run() lets no lie pass.
void test_expect_no_success(lcl_context *ctx,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params);
