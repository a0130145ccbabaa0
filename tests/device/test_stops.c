// SPDX-License-Identifier: BSD-3-Clause
// Why a solve ended: each reason apart, none of them a success that is none.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include <math.h>
#include <stdlib.h>

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};

// Without preconditioner; A is freed.
static void expect_stop(lcl_context *ctx, struct lcl_csr A, const double *b,
                        const struct lcl_solver_params *params,
                        enum lcl_stop stop, enum lcl_status status)
{
    test_expect_stop(ctx, A, b, &none, params, stop, status);
}

// ------------------------------------------------------------------ breakdown

// <r0, A r0> = 0
static void test_stops__skew_symmetric_matrices_break_down_in_alpha(
    void **state)
{
    const double dense[] = {0, 1, -1, 0}, b[] = {1, 0};
    expect_stop(*state, test_csr_from_dense(2, dense), b, NULL,
                LCL_STOP_BREAKDOWN_ALPHA, LCL_BREAKDOWN);
}

// s = (0, 1) and t = A s = (-1, 0)
static void test_stops__orthogonal_step_breaks_down_in_omega(void **state)
{
    const double dense[] = {-2, -1, 2, 0}, b[] = {1, 0};
    expect_stop(*state, test_csr_from_dense(2, dense), b, NULL,
                LCL_STOP_BREAKDOWN_OMEGA, LCL_BREAKDOWN);
}

// the first residual is orthogonal to r0 and no shorter
static void test_stops__orthogonal_residual_breaks_down_in_rho(void **state)
{
    const double dense[] = {-1, -1, -1, -1, -1, 0, 1, -1, -1};
    const double b[] = {1, 0, 0};
    expect_stop(*state, test_csr_from_dense(3, dense), b, NULL,
                LCL_STOP_BREAKDOWN_RHO, LCL_BREAKDOWN);
}

static void test_stops__overflow_is_not_finite(void **state)
{
    const double dense[] = {1e200, 1, 1, 1e-200}, b[] = {1, 1};
    expect_stop(*state, test_csr_from_dense(2, dense), b, NULL,
                LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

// ------------------------------------------------------------------ limits

static void test_stops__iteration_limit_is_kept(void **state)
{
    for (int limit = 1; limit <= 9; limit += 4) {
        const struct lcl_solver_params params = {.max_iters = limit};
        struct lcl_csr A = test_laplacian(20, 20, 1);
        double *b = test_right_side(&A);
        struct test_solve s;
        test_solve_open(&s, *state, &A, &none, &params);
        assert_int_equal(test_solve_run(&s, b), LCL_ITERATION_LIMIT);
        assert_int_equal(s.report.stop, LCL_STOP_MAX_ITERS);
        assert_int_equal(s.report.iterations, limit);
        test_solve_close(&s);
        test_csr_finish(&A);
        free(b);
    }
}

// An inconsistent system: the residual cannot fall below that of the last row.
static struct lcl_csr singular(void)
{
    struct lcl_csr A = test_laplacian(6, 6, 1);
    for (int64_t k = A.row_ptr[35]; k < A.row_ptr[36]; ++k)
        A.val[k] = 0;
    return A;
}

static void test_stops__stagnation_is_seen_within_its_window(void **state)
{
    const struct lcl_solver_params params = {.stagnation = 3};
    struct lcl_csr A = singular();
    double b[36];
    for (int i = 0; i < 36; ++i)
        b[i] = 1;
    struct test_solve s;
    test_solve_open(&s, *state, &A, &none, &params);
    assert_int_equal(test_solve_run(&s, b), LCL_STAGNATION);
    assert_int_equal(s.report.stop, LCL_STOP_STAGNATION);
    test_solve_close(&s);
    test_csr_finish(&A);
}

static void test_stops__unreachable_tolerance_is_no_success(void **state)
{
    const struct lcl_solver_params params = {.rtol = 1e-30};
    struct lcl_csr A = test_laplacian(9, 9, 9);
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, *state, &A, NULL, &params);
    const enum lcl_status status = test_solve_run(&s, b);
    assert_true(status > 0);
    assert_true(s.report.true_residual < 1e-12);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

static void test_stops__absolute_tolerance_is_told_apart(void **state)
{
    const struct lcl_solver_params params = {.rtol = 1e-14, .atol = 1};
    struct lcl_csr A = test_laplacian(9, 9, 9);
    double *b = test_right_side(&A);
    expect_stop(*state, A, b, &params, LCL_STOP_ATOL, LCL_OK);
    free(b);
}

// ------------------------------------------------------------------ monitor

static bool stop_after_two_calls(void *user,
                                 const struct lcl_progress_info *info)
{
    int *calls = user;
    assert_true(info->iteration > 0);
    assert_true(info->residual > 0);
    assert_true(info->seconds >= 0);
    return ++*calls < 2;
}

static void test_stops__monitor_stops_the_solve(void **state)
{
    int calls = 0;
    const struct lcl_solver_params params = {
        .rtol = 1e-13,
        .monitor = stop_after_two_calls,
        .monitor_user = &calls,
    };
    struct lcl_csr A = test_laplacian(16, 16, 16);
    double *b = test_right_side(&A);
    expect_stop(*state, A, b, &params, LCL_STOP_MONITOR, LCL_ITERATION_LIMIT);
    assert_int_equal(calls, 2);
    free(b);
}

// ------------------------------------------------------------------ singular

// Whatever the method makes of it, test_solve_run() lets no lie pass.
static void expect_no_success(lcl_context *ctx,
                              const struct lcl_precond_params *method)
{
    const struct lcl_solver_params params = {.max_iters = 300};
    struct lcl_csr A = singular();
    double b[36];
    for (int i = 0; i < 36; ++i)
        b[i] = 1;
    struct test_solve s;
    test_solve_open(&s, ctx, &A, method, &params);
    assert_true(test_solve_run(&s, b) > 0);
    test_solve_close(&s);
    test_csr_finish(&A);
}

static void test_stops__inconsistent_systems_are_no_success(void **state)
{
    for (int t = LCL_PRECOND_NONE; t < LCL_PRECOND_COUNT; ++t) {
        if (t == LCL_PRECOND_IC0) // which refuses the matrix
            continue;
        const struct lcl_precond_params method = {.type =
                                                      (enum lcl_precond_type)t};
        expect_no_success(*state, &method);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_stops__skew_symmetric_matrices_break_down_in_alpha),
        cmocka_unit_test(test_stops__orthogonal_step_breaks_down_in_omega),
        cmocka_unit_test(test_stops__orthogonal_residual_breaks_down_in_rho),
        cmocka_unit_test(test_stops__overflow_is_not_finite),
        cmocka_unit_test(test_stops__iteration_limit_is_kept),
        cmocka_unit_test(test_stops__stagnation_is_seen_within_its_window),
        cmocka_unit_test(test_stops__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_stops__absolute_tolerance_is_told_apart),
        cmocka_unit_test(test_stops__monitor_stops_the_solve),
        cmocka_unit_test(test_stops__inconsistent_systems_are_no_success),
    };
    return test_device_run(tests);
}
