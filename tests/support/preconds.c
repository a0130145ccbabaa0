// SPDX-License-Identifier: BSD-3-Clause
// A preconditioner with an operator of its own.
#include "tests/support/preconds.h"

#include "tests/support/test.h"

#include "lib/precond/precond.h"

#include <math.h>

static enum lcl_status finish(lcl_precond **M, enum lcl_status st,
                              lcl_operator *A,
                              const struct lcl_precond_params *params)
{
    *M = NULL;
    if (st < 0)
        return st;
    st = lcl_precond_create(M, A, params);
    if (st < 0)
        lcl_operator_destroy(&A);
    return st;
}

enum lcl_status test_precond_create_from(
    lcl_precond **M, lcl_context *ctx, const struct lcl_csr *A,
    const struct lcl_operator_params *op,
    const struct lcl_precond_params *params)
{
    lcl_operator *P;
    const enum lcl_status st = lcl_operator_create(&P, ctx, A, op);
    return finish(M, st, P, params);
}

enum lcl_status test_precond_create(lcl_precond **M, lcl_context *ctx,
                                    const struct lcl_csr *A,
                                    const struct lcl_precond_params *params)
{
    return test_precond_create_from(M, ctx, A, NULL, params);
}

enum lcl_status test_precond_create_bsr(lcl_precond **M, lcl_context *ctx,
                                        const struct lcl_bsr *A,
                                        const struct lcl_precond_params *params)
{
    lcl_operator *P;
    const enum lcl_status st = lcl_operator_create_bsr(&P, ctx, A, NULL);
    return finish(M, st, P, params);
}

enum lcl_status test_precond_create_kron(
    lcl_precond **M, lcl_context *ctx, const struct lcl_kron *K,
    enum lcl_kron_type type, const struct lcl_precond_params *params)
{
    const struct lcl_operator_params op = {.kron = type};
    lcl_operator *P;
    const enum lcl_status st = lcl_operator_create_kron(&P, ctx, K, &op);
    return finish(M, st, P, params);
}

lcl_operator *test_precond_operator(const lcl_precond *M)
{
    return M->A;
}

void test_precond_destroy(lcl_precond **M)
{
    if (!*M)
        return;
    lcl_operator *A = (*M)->A;
    lcl_precond_destroy(M);
    lcl_operator_destroy(&A);
}

enum lcl_status test_precond_update(lcl_precond *M, const double *val)
{
    const enum lcl_status st = lcl_operator_update(M->A, val);
    return st < 0 ? st : lcl_precond_update(M);
}

enum lcl_status test_precond_update_kron(lcl_precond *M,
                                         const struct lcl_kron *K)
{
    const enum lcl_status st = lcl_operator_update_kron(M->A, K);
    return st < 0 ? st : lcl_precond_update(M);
}

enum lcl_status test_solver_create(lcl_solver **S, lcl_precond *M,
                                   const struct lcl_solver_params *params)
{
    return lcl_solver_create(S, M->A, M, params);
}

void test_precond_expect_refused(lcl_context *ctx, const struct lcl_csr *A,
                                 const struct lcl_precond_params *params,
                                 enum lcl_status expected)
{
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, ctx, A, params), expected);
    assert_null(M);
}

void test_precond_apply(lcl_precond *M, const double *b, double *x, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        x[i] = NAN;
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
}
