// SPDX-License-Identifier: BSD-3-Clause
// A preconditioner with an operator of its own, as one object: most tests need
// no more.
#pragma once

#include <levelcl/kron.h>
#include <levelcl/solver.h>

// Create the operator, then M; on error nothing is left and *M is NULL.
enum lcl_status test_precond_create(lcl_precond **M, lcl_context *ctx,
                                    const struct lcl_csr *A,
                                    const struct lcl_precond_params *params);
// The operator has parameters, too.
enum lcl_status test_precond_create_from(
    lcl_precond **M, lcl_context *ctx, const struct lcl_csr *A,
    const struct lcl_operator_params *op,
    const struct lcl_precond_params *params);
enum lcl_status test_precond_create_bsr(
    lcl_precond **M, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_precond_params *params);
enum lcl_status test_precond_create_kron(
    lcl_precond **M, lcl_context *ctx, const struct lcl_kron *K,
    enum lcl_kron_type type, const struct lcl_precond_params *params);

// Destroys the operator as well; *M may be NULL.
void test_precond_destroy(lcl_precond **M);

lcl_operator *test_precond_operator(const lcl_precond *M);

// New values for the operator, then for M.
enum lcl_status test_precond_update(lcl_precond *M, const double *val);
enum lcl_status test_precond_update_kron(lcl_precond *M,
                                         const struct lcl_kron *K);

// A solver for both.
enum lcl_status test_solver_create(lcl_solver **S, lcl_precond *M,
                                   const struct lcl_solver_params *params);

// Fails unless the preconditioner is refused with this status.
void test_precond_expect_refused(lcl_context *ctx, const struct lcl_csr *A,
                                 const struct lcl_precond_params *params,
                                 enum lcl_status expected);

// x = M^-1 b; elements that M does not write are NaN.
void test_precond_apply(lcl_precond *M, const double *b, double *x, int64_t n);
