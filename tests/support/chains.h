// SPDX-License-Identifier: BSD-3-Clause
// Chains of methods in tests.
#pragma once

#include <levelcl/chain.h>

// A chain for A, and a random right-hand side.
struct test_run {
    struct lcl_csr A; // taken over
    lcl_operator *op;
    lcl_chain *C;
    double *b, *x;
    struct lcl_report report;
};

void test_run_open(struct test_run *r, lcl_context *ctx, struct lcl_csr A,
                   const struct lcl_precond_params *precond,
                   const struct lcl_solver_params *solver);
void test_run_close(struct test_run *r);

// Of the current method.
enum lcl_precond_type test_run_precond(const struct test_run *r);
enum lcl_solver_type test_run_solver(const struct test_run *r);

// Solves from x = 0 and checks the report; returns the number of attempts.
int test_run_solve(struct test_run *r, enum lcl_status expected);

// A with its values times `factor`.
struct lcl_csr test_scaled(struct lcl_csr A, double factor);

// A Laplacian of 1100 rows whose lower triangle is larger than the upper one.
struct lcl_csr test_unsymmetric(void);
