// SPDX-License-Identifier: BSD-3-Clause
// Chains of methods in tests.
#include "tests/support/chains.h"

#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include "lib/operator/operator.h"

#include <math.h>
#include <stdlib.h>

void test_run_open(struct test_run *r, lcl_context *ctx, struct lcl_csr A,
                   const struct lcl_precond_params *precond,
                   const struct lcl_solver_params *solver)
{
    *r = (struct test_run){
        .A = A, .b = test_random_vector(A.rows, 9), .x = test_vector(A.rows)};
    assert_int_equal(lcl_operator_create(&r->op, ctx, &A, NULL), LCL_OK);
    assert_true(lcl_chain_create(&r->C, r->op, precond, solver) >= LCL_OK);
}

void test_run_close(struct test_run *r)
{
    lcl_chain_destroy(&r->C);
    assert_null(r->C);
    lcl_operator_destroy(&r->op);
    test_csr_finish(&r->A);
    free(r->b);
    free(r->x);
}

enum lcl_precond_type test_run_precond(const struct test_run *r)
{
    return lcl_precond_info(lcl_chain_precond(r->C))->type;
}

enum lcl_solver_type test_run_solver(const struct test_run *r)
{
    return lcl_solver_info(lcl_chain_solver(r->C))->type;
}

// CG with a multiplicative correction applies it to x before it iterates, and
// with prescribed unknowns solves for these.
static bool corrects_first(const struct test_run *r)
{
    const lcl_precond *M = lcl_chain_precond(r->C);
    return (M && lcl_precond_info(M)->coarse.type == LCL_COARSE_MULT) ||
           r->op->look.aside;
}

int test_run_solve(struct test_run *r, enum lcl_status expected)
{
    const struct lcl_attempt *a;
    int count = 0, iterations = 0;
    for (int64_t i = 0; i < r->A.rows; ++i)
        r->x[i] = 0;
    assert_int_equal(lcl_chain_solve(r->C, r->b, r->x, &r->report), expected);
    for (; (a = lcl_chain_attempt(r->C, count)); ++count) {
        iterations += a->iterations;
        assert_true(a->true_residual <= 1);
    }
    assert_int_equal(iterations, r->report.iterations);
    assert_int_equal(iterations + 1, r->report.history_count);
    assert_true(r->report.history[0] == 1 || corrects_first(r));
    const double residual = test_residual(&r->A, r->b, r->x);
    assert_true(fabs(residual - r->report.true_residual) <=
                1e-9 + 1e-6 * residual);
    if (expected == LCL_OK)
        assert_true(residual <= 1e-8 * (1 + 1e-6));
    a = lcl_chain_attempt(r->C, count - 1);
    assert_int_equal(a->status, expected);
    assert_int_equal(a->solver, test_run_solver(r));
    assert_int_equal(a->precond, test_run_precond(r));
    return count;
}

struct lcl_csr test_scaled(struct lcl_csr A, double factor)
{
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= factor;
    return A;
}

struct lcl_csr test_unsymmetric(void)
{
    struct lcl_csr A = test_laplacian(11, 10, 10);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] < i ? 1.3 : 1;
    return A;
}
