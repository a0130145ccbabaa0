// SPDX-License-Identifier: BSD-3-Clause
// A solve through the public interface, and the requirements on every report.
#pragma once

#include <levelcl/solver.h>

struct test_solve {
    const struct lcl_csr *A;
    struct lcl_solver_params params;
    lcl_precond *M;
    lcl_solver *S;
    double *x; // zero initially
    struct lcl_report report;
};

// Whether the device has what a solver needs: 64-bit atomics for cg_published.
bool test_solver_works(lcl_context *ctx, enum lcl_solver_type type);

// Creates preconditioner and solver, which must succeed; repaired pivots are
// allowed. `params` may be NULL.
void test_solve_open(struct test_solve *s, lcl_context *ctx,
                     const struct lcl_csr *A,
                     const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *params);

// The same with parameters for the operator.
void test_solve_open_from(struct test_solve *s, lcl_context *ctx,
                          const struct lcl_csr *A,
                          const struct lcl_operator_params *op,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params);

// Solves from s->x. Fails if the call fails or the report is wrong: success
// above the tolerance, a true residual that differs from the host's, a history
// without an entry for the start and each iteration, or a failed solve that
// made x worse.
enum lcl_status test_solve_run(struct test_solve *s, const double *b);

void test_solve_close(struct test_solve *s);

// Solves A x = b, expects this stop and this status and a finite x. Frees A.
void test_expect_stop(lcl_context *ctx, struct lcl_csr A, const double *b,
                      const struct lcl_precond_params *precond,
                      const struct lcl_solver_params *params,
                      enum lcl_stop stop, enum lcl_status status);

// ||b - A x|| / ||b|| on the host.
double test_residual(const struct lcl_csr *A, const double *b, const double *x);

// A x for the x_i of test_known(), freed with free().
double *test_right_side(const struct lcl_csr *A);
double test_known(int64_t i);

// Fails if s->x differs from test_known() by more than the tolerance.
void test_expect_known(const struct test_solve *s, double tolerance);

// Solves P x = A x for the x of test_known() and expects x within 1e-5. Returns
// the number of iterations.
int test_expect_pair_solves(lcl_operator *P, lcl_precond *M,
                            const struct lcl_csr *A, enum lcl_solver_type type);

// A diagonal preconditioner for references: z = D^-1 r; `user` is such a
// struct.
enum { TEST_INVERSE_MAX = 1000 };
struct test_inverse {
    int64_t n;
    double inv_d[TEST_INVERSE_MAX];
};
struct test_inverse test_jacobi_of(const struct lcl_csr *A);
struct test_inverse test_identity_of(const struct lcl_csr *A);
void test_apply_inverse(void *user, const double *r, double *z);

// Fails unless M^-1 A x = x for a random x: M has all the fill of A's factors.
void test_expect_inverse(lcl_precond *M, const struct lcl_csr *A);
