// SPDX-License-Identifier: BSD-3-Clause
// A solve through the public interface, and the requirements on every report.
#include "tests/support/solving.h"
#include "tests/support/device.h"
#include "tests/support/preconds.h"

#include "lib/ref/jacobi.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>

bool test_solver_works(lcl_context *ctx, enum lcl_solver_type type)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    return type != LCL_SOLVER_CG_PUBLISHED || caps->int64_atomics ||
           caps->local_add == LCL_ATOMIC_ADD_NV_PTX;
}

void test_solve_open(struct test_solve *s, lcl_context *ctx,
                     const struct lcl_csr *A,
                     const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *params)
{
    test_solve_open_from(s, ctx, A, NULL, precond, params);
}

void test_solve_open_from(struct test_solve *s, lcl_context *ctx,
                          const struct lcl_csr *A,
                          const struct lcl_operator_params *op,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params)
{
    *s = (struct test_solve){.A = A};
    if (params)
        s->params = *params;
    s->x = calloc((size_t)A->rows, sizeof *s->x);
    assert_non_null(s->x);
    assert_true(test_precond_create_from(&s->M, ctx, A, op, precond) >= 0);
    assert_int_equal(test_solver_create(&s->S, s->M, params), LCL_OK);
}

static double norm(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += v[i] * v[i];
    return sqrt(sum);
}

double test_residual(const struct lcl_csr *A, const double *b, const double *x)
{
    double *r = calloc((size_t)A->rows, sizeof *r);
    assert_non_null(r);
    lcl_csr_multiply(A, x, r);
    for (int64_t i = 0; i < A->rows; ++i)
        r[i] = b[i] - r[i];
    const double residual = norm(A->rows, r) / norm(A->rows, b);
    free(r);
    return residual;
}

static void expect_history(const struct lcl_report *report)
{
    if (report->stop == LCL_STOP_ZERO_RHS)
        return;
    assert_int_equal(report->history_count, report->iterations + 1);
    const double last = report->history[report->iterations];
    if (isfinite(last))
        assert_true(report->residual == last);
}

// Bound of the effect of rounding on || b - A x || / || b ||: rounding errors
// of the products, in the order of || |A| |x| ||, and of the sum.
static double rounding_of(const struct test_solve *s, double norm_b,
                          double residual)
{
    const struct lcl_csr *A = s->A;
    double sum = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double row = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            row += fabs(A->val[k] * s->x[A->col_ind[k]]);
        sum += row * row;
    }
    return 1e-10 * residual + 1e-14 * (1 + sqrt(sum) / norm_b);
}

// `start` is the residual of the initial x.
static void expect_honest(const struct test_solve *s, const double *b,
                          double start, enum lcl_status status)
{
    const struct lcl_report *report = &s->report;
    const double norm_b = norm(s->A->rows, b);
    const double rtol = s->params.rtol > 0 ? s->params.rtol : 1e-8;
    assert_int_equal(report->stop > 0, status == LCL_OK);
    if (report->stop == LCL_STOP_ZERO_RHS)
        return;
    const double residual = test_residual(s->A, b, s->x);
    const double rounding = rounding_of(s, norm_b, residual);
    if (isfinite(residual) &&
        !(fabs(residual - report->true_residual) <= rounding))
        fail_msg("true residual: got %g, expected %g", report->true_residual,
                 residual);
    const double allowed = fmax(rtol, s->params.atol / norm_b);
    if (status == LCL_OK && !(report->true_residual <= allowed))
        fail_msg("success at %.17g, which is above %.17g",
                 report->true_residual, allowed);
    if (status != LCL_OK && !(residual <= start + rounding))
        fail_msg("x has a residual of %g after a failure, %g at the start",
                 residual, start);
}

enum lcl_status test_solve_run(struct test_solve *s, const double *b)
{
    const double start = test_residual(s->A, b, s->x);
    const enum lcl_status status = lcl_solver_solve(s->S, b, s->x, &s->report);
    assert_true(status >= 0);
    expect_history(&s->report);
    expect_honest(s, b, start, status);
    return status;
}

void test_solve_close(struct test_solve *s)
{
    lcl_solver_destroy(&s->S);
    test_precond_destroy(&s->M);
    free(s->x);
    *s = (struct test_solve){0};
}

void test_expect_stop(lcl_context *ctx, struct lcl_csr A, const double *b,
                      const struct lcl_precond_params *precond,
                      const struct lcl_solver_params *params,
                      enum lcl_stop stop, enum lcl_status status)
{
    struct test_solve s;
    test_solve_open(&s, ctx, &A, precond, params);
    assert_int_equal(test_solve_run(&s, b), status);
    if (s.report.stop != stop)
        fail_msg("got %s, expected %s", lcl_stop_name(s.report.stop),
                 lcl_stop_name(stop));
    for (int64_t i = 0; i < A.rows; ++i)
        assert_true(isfinite(s.x[i]));
    test_solve_close(&s);
    test_csr_finish(&A);
}

double test_known(int64_t i)
{
    return (double)(1 + i % 7);
}

double *test_right_side(const struct lcl_csr *A)
{
    double *x = calloc((size_t)A->rows, sizeof *x);
    double *b = calloc((size_t)A->rows, sizeof *b);
    assert_non_null(x);
    assert_non_null(b);
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] = test_known(i);
    lcl_csr_multiply(A, x, b);
    free(x);
    return b;
}

void test_expect_known(const struct test_solve *s, double tolerance)
{
    for (int64_t i = 0; i < s->A->rows; ++i)
        if (!(fabs(s->x[i] - test_known(i)) < tolerance))
            fail_msg("x[%lld]: got %g, expected %g within %g", (long long)i,
                     s->x[i], test_known(i), tolerance);
}

int test_expect_pair_solves(lcl_operator *P, lcl_precond *M,
                            const struct lcl_csr *A, enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type};
    double *b = test_right_side(A);
    struct test_solve s = {.A = A, .x = test_vector(A->rows)};
    assert_int_equal(lcl_solver_create(&s.S, P, M, &params), LCL_OK);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_expect_known(&s, 1e-5);
    const int iterations = s.report.iterations;
    lcl_solver_destroy(&s.S);
    free(s.x);
    free(b);
    return iterations;
}

struct test_inverse test_jacobi_of(const struct lcl_csr *A)
{
    struct test_inverse D = {.n = A->rows};
    unsigned char bad[TEST_INVERSE_MAX];
    assert_true(D.n <= TEST_INVERSE_MAX);
    lcl_ref_jacobi(A, D.inv_d, bad);
    return D;
}

struct test_inverse test_identity_of(const struct lcl_csr *A)
{
    struct test_inverse D = {.n = A->rows};
    assert_true(D.n <= TEST_INVERSE_MAX);
    for (int64_t i = 0; i < D.n; ++i)
        D.inv_d[i] = 1;
    return D;
}

void test_apply_inverse(void *user, const double *r, double *z)
{
    const struct test_inverse *D = user;
    for (int64_t i = 0; i < D->n; ++i)
        z[i] = D->inv_d[i] * r[i];
}

void test_expect_inverse(lcl_precond *M, const struct lcl_csr *A)
{
    const int64_t n = A->rows;
    double *x = test_random_vector(n, 4), *b = test_vector(n);
    double *y = test_vector(n);
    lcl_csr_multiply(A, x, b);
    assert_int_equal(lcl_precond_apply(M, b, y), LCL_OK);
    test_expect_near("x", y, x, n, 1e-8);
    free(x);
    free(b);
    free(y);
}
