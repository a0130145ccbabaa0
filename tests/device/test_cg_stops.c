// SPDX-License-Identifier: BSD-3-Clause
// Why CG does not begin, or ends: each reason apart.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"

#include <levelcl/published.h>

#include <stdlib.h>

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
static const struct lcl_solver_params published = {.type =
                                                       LCL_SOLVER_CG_PUBLISHED};
static const struct lcl_solver_params pipelined = {.type =
                                                       LCL_SOLVER_CG_PIPELINED};
static const struct lcl_solver_params *const all[] = {&cg, &pipelined,
                                                      &published};

// The number of methods that run on the device.
static int methods(lcl_context *ctx)
{
    const int count = sizeof all / sizeof *all;
    return test_solver_works(ctx, published.type) ? count : count - 1;
}

// ------------------------------------------------------------------ refusals

static void test_cg_stops__other_matrices_than_symmetric_ones_are_refused(
    void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 4);
    double *b = test_right_side(&A), *zero = test_vector(A.rows);
    lcl_precond *M;
    lcl_solver *S;
    struct lcl_report report = {.iterations = 77};
    double *x = test_vector(A.rows);
    const double entry = A.val[1];
    A.val[1] *= 1.001;
    const struct lcl_precond_params params = test_ic0(LCL_COARSE_NONE);
    assert_int_equal(test_precond_create(&M, *state, &A, &params),
                     LCL_EUNSUPPORTED);
    assert_null(M);
    assert_int_equal(test_precond_create(&M, *state, &A, &none), LCL_OK);
    for (int k = 0; k < methods(*state); ++k) {
        assert_int_equal(test_solver_create(&S, M, all[k]), LCL_OK);
        for (int again = 0; again < 2; ++again)
            assert_int_equal(lcl_solver_solve(S, b, x, &report),
                             LCL_EUNSUPPORTED);
        test_expect_same("x", x, zero, A.rows);
        assert_int_equal(report.iterations, 77);
        lcl_solver_destroy(&S);
    }
    // other values, other symmetry
    assert_int_equal(test_solver_create(&S, M, &cg), LCL_OK);
    A.val[1] = entry;
    assert_int_equal(test_precond_update(M, A.val), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    A.val[1] = 2 * entry;
    assert_int_equal(test_precond_update(M, A.val), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_EUNSUPPORTED);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    test_csr_finish(&A);
    free(b);
    free(x);
    free(zero);
}

static void test_cg_stops__the_published_loop_has_no_preconditioner(
    void **state)
{
    struct lcl_csr A = test_laplacian(4, 4, 4);
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(test_precond_create(&M, *state, &A, &jacobi), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, &published), LCL_EUNSUPPORTED);
    assert_null(S);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ stops

static void expect_all(lcl_context *ctx, const double *dense, const double *b,
                       enum lcl_stop stop, enum lcl_status status)
{
    for (int k = 0; k < methods(ctx); ++k)
        test_expect_stop(ctx, test_csr_from_dense(2, dense), b, &none, all[k],
                         stop, status);
}

static void test_cg_stops__indefinite_matrices_are_named(void **state)
{
    const double negative[] = {-2, 0, 0, -1}, saddle[] = {1, 2, 2, 1};
    const double swap[] = {0, 1, 1, 0}, b[] = {1, 0}, c[] = {1, 0.5};
    if (test_solver_works(*state, published.type))
        test_expect_stop(*state, test_csr_from_dense(2, negative), b, &none,
                         &published, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
    expect_all(*state, saddle, c, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
    expect_all(*state, swap, b, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
}

// The step before is kept: the first direction has curvature, the second none.
// Pipelined CG restarts from there, once.
static void test_cg_stops__x_is_the_last_sound_iterate(void **state)
{
    const double dense[] = {4, 0, 0, -1}, b[] = {2, 1};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    // alpha = <r, r> / <r, A r> = 5 / 15
    const double expected[] = {2.0 / 3, 1.0 / 3};
    for (int k = 0; k < methods(*state); ++k) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, &none, all[k]);
        assert_int_equal(test_solve_run(&s, b), LCL_BREAKDOWN);
        assert_int_equal(s.report.stop, LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(s.report.iterations - s.report.restarts, 1);
        assert_int_equal(s.report.restarts, all[k] == &pipelined);
        test_expect_near("x", s.x, expected, 2, 1e-15);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
}

static void test_cg_stops__indefinite_preconditioners_are_named(void **state)
{
    const double dense[] = {-1, 2, 2, 4}, b[] = {1, 0};
    for (int k = 0; k < methods(*state); ++k)
        if (all[k] != &published)
            test_expect_stop(*state, test_csr_from_dense(2, dense), b, &jacobi,
                             all[k], LCL_STOP_INDEFINITE_PRECOND,
                             LCL_BREAKDOWN);
}

static void test_cg_stops__overflow_is_not_finite(void **state)
{
    // x = 1e420
    const double dense[] = {1e-300, 0, 0, 1e-300}, b[] = {1e120, 1e120};
    expect_all(*state, dense, b, LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

static void test_cg_stops__zero_right_side_gives_zero(void **state)
{
    for (int k = 0; k < methods(*state); ++k)
        test_expect_zero_rhs(*state, &none, all[k]);
}

static void test_cg_stops__iteration_limit_is_kept(void **state)
{
    for (int k = 0; k < methods(*state); ++k)
        test_expect_limits_kept(*state, &none, all[k]);
}

static void test_cg_stops__monitor_stops_the_solve(void **state)
{
    for (int k = 0; k < methods(*state); ++k)
        test_expect_monitor_heeded(*state, &none, all[k]);
}

static void test_cg_stops__nan_is_refused(void **state)
{
    for (int k = 0; k < methods(*state); ++k)
        test_expect_nan_refused(*state, &none, all[k]);
}

static void test_cg_stops__absolute_tolerance_is_told_apart(void **state)
{
    for (int k = 0; k < methods(*state); ++k)
        test_expect_absolute_tolerance(*state, &none, all[k]);
}

static void test_cg_stops__unreachable_tolerance_is_no_success(void **state)
{
    const struct lcl_precond_params corrected = test_ic0(LCL_COARSE_MULT);
    for (int k = 0; k < methods(*state); ++k)
        test_expect_unreachable(*state, &none, all[k]);
    test_expect_unreachable(*state, &corrected, &cg);
}

// ------------------------------------------------------------------ IC(0)

static void test_cg_stops__ic0_tells_of_negative_pivots(void **state)
{
    struct lcl_precond_params params = test_ic0(LCL_COARSE_NONE);
    const double dense[] = {1, 2, 2, 1};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    const struct lcl_operator_params op = {.block_size = 1};
    lcl_precond *M;
    assert_int_equal(test_precond_create_from(&M, *state, &A, &op, &params),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 1);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0], 1);
    assert_int_equal(lcl_precond_info(M)->type, LCL_PRECOND_IC0);
    test_precond_destroy(&M);
    params.pivot = LCL_PIVOT_FAIL;
    assert_int_equal(test_precond_create_from(&M, *state, &A, &op, &params),
                     LCL_EPIVOT);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_cg_stops__other_matrices_than_symmetric_ones_are_refused),
        cmocka_unit_test(
            test_cg_stops__the_published_loop_has_no_preconditioner),
        cmocka_unit_test(test_cg_stops__indefinite_matrices_are_named),
        cmocka_unit_test(test_cg_stops__x_is_the_last_sound_iterate),
        cmocka_unit_test(test_cg_stops__indefinite_preconditioners_are_named),
        cmocka_unit_test(test_cg_stops__overflow_is_not_finite),
        cmocka_unit_test(test_cg_stops__zero_right_side_gives_zero),
        cmocka_unit_test(test_cg_stops__iteration_limit_is_kept),
        cmocka_unit_test(test_cg_stops__monitor_stops_the_solve),
        cmocka_unit_test(test_cg_stops__nan_is_refused),
        cmocka_unit_test(test_cg_stops__absolute_tolerance_is_told_apart),
        cmocka_unit_test(test_cg_stops__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_cg_stops__ic0_tells_of_negative_pivots),
    };
    return test_device_run(tests);
}
