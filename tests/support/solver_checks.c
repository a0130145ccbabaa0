// SPDX-License-Identifier: BSD-3-Clause
// Requirements on every solver, for any method and preconditioner.
#include "tests/support/solver_checks.h"

#include "tests/support/device.h"
#include "tests/support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ systems

struct lcl_precond_params test_ic0(enum lcl_coarse coarse)
{
    return (struct lcl_precond_params){
        .type = LCL_PRECOND_IC0, TEST_PARTS, .coarse = coarse};
}

struct lcl_csr test_block_grid(void)
{
    struct lcl_csr grid = test_laplacian(9, 8, 7);
    struct lcl_csr A = test_expand_blocks(&grid, 3);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = 40;
    test_csr_finish(&grid);
    return A;
}

struct lcl_csr test_uneven_grid(void)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + (double)(k % 5) / 100;
    return A;
}

struct lcl_csr test_inconsistent(double b[TEST_INCONSISTENT_ROWS])
{
    enum { LAST = TEST_INCONSISTENT_ROWS - 1 };
    struct lcl_csr A = test_laplacian(6, 6, 1);
    for (int i = 0; i <= LAST; ++i)
        b[i] = 1;
    for (int64_t k = A.row_ptr[LAST]; k < A.row_ptr[LAST + 1]; ++k)
        A.val[k] = 0;
    return A;
}

// ------------------------------------------------------------------ solutions

static void solve_from_zero(struct test_solve *s, const double *b)
{
    memset(s->x, 0, (size_t)s->A->rows * sizeof *s->x);
    assert_int_equal(test_solve_run(s, b), LCL_OK);
}

void test_solve_known(struct test_solve *s, lcl_context *ctx,
                      const struct lcl_csr *A,
                      const struct lcl_precond_params *precond,
                      const struct lcl_solver_params *params)
{
    double *b = test_right_side(A);
    test_solve_open(s, ctx, A, precond, params);
    solve_from_zero(s, b);
    // deflated CG starts with the correction
    if (lcl_precond_info(s->M)->coarse.type != LCL_COARSE_MULT)
        assert_true(s->report.history[0] == 1);
    test_expect_known(s, 1e-6);
    free(b);
}

void test_expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                        const struct lcl_precond_params *precond,
                        const struct lcl_solver_params *params)
{
    double *b = test_right_side(A);
    struct test_solve s;
    test_solve_known(&s, ctx, A, precond, params);
    solve_from_zero(&s, b);
    test_expect_known(&s, 1e-6);
    test_solve_close(&s);
    free(b);
}

static void expect_same_solve(const struct test_solve *got,
                              const struct test_solve *expected)
{
    assert_int_equal(got->report.iterations, expected->report.iterations);
    test_expect_same("history", got->report.history, expected->report.history,
                     expected->report.history_count);
    test_expect_same("x", got->x, expected->x, expected->A->rows);
}

void test_expect_reproducible(lcl_context *ctx, const struct lcl_csr *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *params)
{
    double *b = test_right_side(A);
    struct test_solve first, second;
    test_solve_open(&first, ctx, A, precond, params);
    test_solve_open(&second, ctx, A, precond, params);
    solve_from_zero(&first, b);
    for (int again = 0; again < 2; ++again) {
        solve_from_zero(&second, b);
        expect_same_solve(&second, &first);
    }
    test_solve_close(&first);
    test_solve_close(&second);
    free(b);
}

void test_expect_start_used(lcl_context *ctx, const struct lcl_csr *A,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params)
{
    double *b = test_right_side(A), *x = test_vector(A->rows);
    struct test_solve s;
    test_solve_known(&s, ctx, A, precond, params);
    const int from_zero = s.report.iterations;
    for (int64_t i = 0; i < A->rows; ++i)
        s.x[i] *= 1 + 1e-6;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_in_range(s.report.iterations, 1, from_zero - 1);
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] = s.x[i] = test_known(i);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, 0);
    test_expect_same("x", s.x, x, A->rows);
    test_solve_close(&s);
    free(b);
    free(x);
}

static void expect_at_once(lcl_context *ctx,
                           const struct lcl_precond_params *precond,
                           const struct lcl_solver_params *params,
                           const double *b, int64_t n)
{
    struct lcl_csr A = test_identity(n);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, precond, params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, 1);
    assert_int_equal(s.report.stop, LCL_STOP_RTOL);
    assert_true(s.report.history[0] == 1);
    test_expect_near("x", s.x, b, n, 1e-14);
    test_solve_close(&s);
    test_csr_finish(&A);
}

void test_expect_identity_at_once(lcl_context *ctx,
                                  const struct lcl_precond_params *precond,
                                  const struct lcl_solver_params *params)
{
    enum { N = 50 };
    const double few_equal[N] = {[7] = 1, [31] = 1};
    double *b = test_random_vector(N, 1);
    expect_at_once(ctx, precond, params, b, 1);
    expect_at_once(ctx, precond, params, b, N);
    expect_at_once(ctx, precond, params, few_equal, N);
    free(b);
}

static void expect_history(const struct lcl_report *report,
                           const struct test_reference *reference)
{
    const double *expected = reference->history, *got = report->history;
    for (int i = 0; i < reference->first && i <= reference->iterations; ++i)
        if (!(fabs(got[i] - expected[i]) <= reference->tolerance * expected[i]))
            fail_msg("history[%d]: got %.17g, expected %.17g", i, got[i],
                     expected[i]);
}

void test_expect_reference(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *precond,
                           const struct lcl_solver_params *params,
                           const struct test_reference *reference)
{
    double *b = test_right_side(A);
    struct test_solve s;
    test_solve_open(&s, ctx, A, precond, params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    expect_history(&s.report, reference);
    assert_in_range(s.report.iterations, reference->least, reference->most);
    test_solve_close(&s);
    free(b);
}

// ------------------------------------------------------------------ stops

static struct lcl_solver_params copy_of(const struct lcl_solver_params *params)
{
    return params ? *params : (struct lcl_solver_params){0};
}

void test_expect_zero_rhs(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params)
{
    const double b[20] = {0};
    struct lcl_csr A = test_laplacian(5, 4, 1);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, precond, params);
    s.x[3] = 7;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.stop, LCL_STOP_ZERO_RHS);
    assert_int_equal(s.report.iterations, 0);
    test_expect_same("x", s.x, b, 20);
    test_solve_close(&s);
    test_csr_finish(&A);
}

void test_expect_nan_refused(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params)
{
    const double b[] = {1, NAN, 1};
    struct lcl_csr A = test_identity(3);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, precond, params);
    assert_int_equal(lcl_solver_solve(s.S, b, s.x, NULL), LCL_EFORMAT);
    test_solve_close(&s);
    test_csr_finish(&A);
}

void test_expect_overflow(lcl_context *ctx,
                          const struct lcl_precond_params *precond,
                          const struct lcl_solver_params *params)
{
    const double dense[] = {1e200, 1, 1, 1e-200}, b[] = {1, 1};
    test_expect_stop(ctx, test_csr_from_dense(2, dense), b, precond, params,
                     LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

static void expect_at_limit(const struct test_solve *s)
{
    const struct lcl_report *report = &s->report;
    const int limit = s->params.max_iters, cycle = s->params.restart;
    assert_int_equal(report->stop, LCL_STOP_MAX_ITERS);
    assert_int_equal(report->iterations, limit);
    assert_int_equal(report->restarts, cycle > 0 ? (limit - 1) / cycle : 0);
    const double expected = report->history[report->x_iteration];
    if (!(fabs(report->true_residual - expected) <= 1e-12))
        fail_msg("limit %d, x of iteration %d: residual %g, expected %g", limit,
                 report->x_iteration, report->true_residual, expected);
}

// A tolerance just below the residual at the limit is not met.
static void expect_limit_is_no_success(lcl_context *ctx,
                                       const struct lcl_csr *A, const double *b,
                                       const struct lcl_precond_params *precond,
                                       struct lcl_solver_params params,
                                       const struct lcl_report *limited)
{
    struct test_solve s;
    params.rtol = limited->true_residual / 1.05;
    for (int i = 0; i <= limited->iterations; ++i)
        if (limited->history[i] <= params.rtol)
            return;
    test_solve_open(&s, ctx, A, precond, &params);
    assert_int_equal(test_solve_run(&s, b), LCL_ITERATION_LIMIT);
    test_solve_close(&s);
}

void test_expect_limits_kept(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params)
{
    struct lcl_solver_params limited = copy_of(params);
    struct lcl_csr A = test_laplacian(20, 20, 1);
    double *b = test_right_side(&A);
    limited.rtol = 1e-13; // not met earlier
    for (int limit = 1; limit <= 12; ++limit) {
        struct test_solve s;
        limited.max_iters = limit;
        test_solve_open(&s, ctx, &A, precond, &limited);
        assert_int_equal(test_solve_run(&s, b), LCL_ITERATION_LIMIT);
        expect_at_limit(&s);
        expect_limit_is_no_success(ctx, &A, b, precond, limited, &s.report);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
    free(b);
}

static bool stop_at_second_call(void *user,
                                const struct lcl_progress_info *info)
{
    int *const calls = user;
    assert_true(info->iteration > 0);
    assert_true(info->residual > 0);
    assert_true(info->seconds >= 0);
    return ++*calls < 2;
}

void test_expect_monitor_heeded(lcl_context *ctx,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *params)
{
    int calls = 0;
    struct lcl_solver_params watched = copy_of(params);
    struct lcl_csr A = test_laplacian(16, 16, 16);
    double *b = test_right_side(&A);
    watched.rtol = 1e-13;
    watched.monitor = stop_at_second_call;
    watched.monitor_user = &calls;
    test_expect_stop(ctx, A, b, precond, &watched, LCL_STOP_MONITOR,
                     LCL_ITERATION_LIMIT);
    assert_int_equal(calls, 2);
    free(b);
}

void test_expect_absolute_tolerance(lcl_context *ctx,
                                    const struct lcl_precond_params *precond,
                                    const struct lcl_solver_params *params)
{
    struct lcl_solver_params loose = copy_of(params);
    struct lcl_csr A = test_laplacian(9, 9, 9);
    double *b = test_right_side(&A);
    loose.rtol = 1e-14;
    loose.atol = 1;
    test_expect_stop(ctx, A, b, precond, &loose, LCL_STOP_ATOL, LCL_OK);
    free(b);
}

// Returns the final residual; frees A.
static double expect_failure(lcl_context *ctx, struct lcl_csr A,
                             const double *b,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params)
{
    struct test_solve s;
    test_solve_open(&s, ctx, &A, precond, params);
    assert_true(test_solve_run(&s, b) > 0);
    const double residual = s.report.true_residual;
    test_solve_close(&s);
    test_csr_finish(&A);
    return residual;
}

void test_expect_unreachable(lcl_context *ctx,
                             const struct lcl_precond_params *precond,
                             const struct lcl_solver_params *params)
{
    struct lcl_solver_params strict = copy_of(params);
    struct lcl_csr A = test_laplacian(9, 9, 9);
    // no vector of doubles solves this
    double *b = test_random_vector(A.rows, 29);
    strict.rtol = 1e-30;
    strict.stagnation = 300;
    assert_true(expect_failure(ctx, A, b, precond, &strict) < 1e-12);
    free(b);
}

void test_expect_no_success(lcl_context *ctx,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *params)
{
    double b[TEST_INCONSISTENT_ROWS];
    struct lcl_solver_params limited = copy_of(params);
    struct lcl_csr A = test_inconsistent(b);
    limited.max_iters = 300;
    expect_failure(ctx, A, b, precond, &limited);
}

void test_expect_negative_alike(lcl_context *ctx, struct lcl_csr *A,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *params)
{
    double *b = test_random_vector(A->rows, 5);
    struct test_solve s[2];
    for (int minus = 0; minus < 2; ++minus) {
        test_solve_open(&s[minus], ctx, A, precond, params);
        assert_int_equal(test_solve_run(&s[minus], b), LCL_OK);
        for (int64_t k = 0; k < A->nnz; ++k)
            A->val[k] *= -1;
    }
    assert_int_equal(s[0].report.iterations, s[1].report.iterations);
    for (int64_t i = 0; i < A->rows; ++i)
        s[1].x[i] *= -1;
    test_expect_near("x", s[1].x, s[0].x, A->rows, 1e-9);
    test_solve_close(&s[0]);
    test_solve_close(&s[1]);
    free(b);
}
