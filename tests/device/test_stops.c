// SPDX-License-Identifier: BSD-3-Clause
// Why a solve ended: each reason apart, none of them a success that is none.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solver_checks.h"

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
    test_expect_overflow(*state, &none, NULL);
}

// ------------------------------------------------------------------ growth

// Far from normal: -3, 0.1 and 1 on three diagonals. Residuals fall to less
// than a half in a few iterations, then they grow.
static struct lcl_csr skewed(void)
{
    struct lcl_csr A = test_laplacian(400, 1, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = A.col_ind[k] == i ? 0.1 : A.col_ind[k] < i ? -3 : 1;
    return A;
}

// With all rows in one subdomain it depends on rounding whether residuals grow
// or stay as they are.
static void test_stops__growing_residuals_diverge(void **state)
{
    const struct lcl_precond_params ilu0 = {.type = LCL_PRECOND_ILU0,
                                            .partition = {.rows = 64}};
    double *b = test_random_vector(400, 1);
    test_expect_stop(*state, skewed(), b, &ilu0, NULL, LCL_STOP_DIVERGED,
                     LCL_DIVERGED);
    free(b);
}

static void test_stops__failures_return_the_best_iterate(void **state)
{
    const struct lcl_solver_params methods[] = {
        {.type = LCL_SOLVER_BICGSTAB},
        {.type = LCL_SOLVER_IDR},
        {.type = LCL_SOLVER_GMRES, .max_iters = 300},
    };
    struct lcl_csr A = skewed();
    double *b = test_right_side(&A);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, &none, &methods[m]);
        assert_true(test_solve_run(&s, b) > LCL_OK);
        assert_in_range(s.report.x_iteration, 1, s.report.iterations);
        if (!(s.report.true_residual < 0.5))
            fail_msg("%s: residual %g", lcl_solver_name(methods[m].type),
                     s.report.true_residual);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ limits

static void test_stops__iteration_limit_is_kept(void **state)
{
    test_expect_limits_kept(*state, &none, NULL);
}

static void test_stops__stagnation_is_seen_within_its_window(void **state)
{
    const struct lcl_solver_params params = {.stagnation = 3};
    double b[TEST_INCONSISTENT_ROWS];
    expect_stop(*state, test_inconsistent(b), b, &params, LCL_STOP_STAGNATION,
                LCL_STAGNATION);
}

static void test_stops__unreachable_tolerance_is_no_success(void **state)
{
    test_expect_unreachable(*state, NULL, NULL);
}

static void test_stops__absolute_tolerance_is_told_apart(void **state)
{
    test_expect_absolute_tolerance(*state, &none, NULL);
}

static void test_stops__monitor_stops_the_solve(void **state)
{
    test_expect_monitor_heeded(*state, &none, NULL);
}

static void test_stops__nan_is_refused(void **state)
{
    test_expect_nan_refused(*state, &none, NULL);
}

static void test_stops__inconsistent_systems_are_no_success(void **state)
{
    for (int t = LCL_PRECOND_NONE; t < LCL_PRECOND_CALLBACK; ++t) {
        if (t == LCL_PRECOND_IC0 || t == LCL_PRECOND_AS ||
            t == LCL_PRECOND_CPR || t == LCL_PRECOND_LU)
            continue; // they refuse the matrix
        const struct lcl_precond_params method = {.type =
                                                      (enum lcl_precond_type)t};
        test_expect_no_success(*state, &method, NULL);
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
        cmocka_unit_test(test_stops__growing_residuals_diverge),
        cmocka_unit_test(test_stops__failures_return_the_best_iterate),
        cmocka_unit_test(test_stops__iteration_limit_is_kept),
        cmocka_unit_test(test_stops__stagnation_is_seen_within_its_window),
        cmocka_unit_test(test_stops__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_stops__absolute_tolerance_is_told_apart),
        cmocka_unit_test(test_stops__monitor_stops_the_solve),
        cmocka_unit_test(test_stops__nan_is_refused),
        cmocka_unit_test(test_stops__inconsistent_systems_are_no_success),
    };
    return test_device_run(tests);
}
