// SPDX-License-Identifier: BSD-3-Clause
// Why GMRES ends, in what x is left, and what it refuses.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"

#include "host/context.h"
#include "host/runtime.h"

#include <math.h>
#include <stdlib.h>

static const struct lcl_precond_params plain = {.type = LCL_PRECOND_NONE};
static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};

static const enum lcl_solver_type types[] = {LCL_SOLVER_GMRES,
                                             LCL_SOLVER_FGMRES};

static struct lcl_solver_params gmres(int restart)
{
    return (struct lcl_solver_params){
        .type = LCL_SOLVER_GMRES, .rtol = 1e-10, .restart = restart};
}

// The same check of GMRES and FGMRES.
static void check_both(lcl_context *ctx,
                       void (*check)(lcl_context *ctx,
                                     const struct lcl_precond_params *precond,
                                     const struct lcl_solver_params *params),
                       const struct lcl_precond_params *precond, int restart)
{
    struct lcl_solver_params params = gmres(restart);
    for (int t = 0; t < 2; ++t) {
        params.type = types[t];
        check(ctx, precond, &params);
    }
}

// ------------------------------------------------------------------ exhausted

// Solves in this many products, after which the space cannot grow.
static void expect_exhausted(lcl_context *ctx, struct lcl_csr A,
                             const double *b, int products)
{
    for (int t = 0; t < 2; ++t)
        for (int p = 0; p < 2; ++p) {
            struct lcl_solver_params params = gmres(30);
            struct test_solve S;
            params.type = types[t];
            params.rtol = 1e-13;
            test_solve_open(&S, ctx, &A, p ? &jacobi : &plain, &params);
            assert_int_equal(test_solve_run(&S, b), LCL_OK);
            if (!p)
                assert_int_equal(S.report.iterations, products);
            assert_true(S.report.exhausted);
            assert_int_equal(S.report.restarts, 0);
            test_solve_close(&S);
        }
    test_csr_finish(&A);
}

static void test_gmres__identity_is_exhausted_at_once(void **state)
{
    double b[50];
    for (int i = 0; i < 50; ++i)
        b[i] = i - 20;
    expect_exhausted(*state, test_identity(50), b, 1);
}

static void test_gmres__eigenvector_is_exhausted_at_once(void **state)
{
    const double dense[] = {2, 1, 0, 1, 2, 0, 0, 0, 5}, b[] = {1, 1, 0};
    expect_exhausted(*state, test_csr_from_dense(3, dense), b, 1);
}

// Four eigenvalues: a minimal polynomial of degree 4.
static void test_gmres__low_degree_is_exhausted_early(void **state)
{
    struct lcl_csr A = test_identity(200);
    double b[200];
    for (int i = 0; i < 200; ++i) {
        A.val[i] = 1 + i % 4;
        b[i] = sin(i + 1);
    }
    struct lcl_solver_params params = gmres(30);
    struct test_solve S;
    params.rtol = 1e-13;
    test_solve_open(&S, *state, &A, &plain, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_int_equal(S.report.iterations, 4);
    test_solve_close(&S);
    test_csr_finish(&A);
}

static void test_gmres__others_are_not_exhausted(void **state)
{
    const struct lcl_solver_params params = gmres(20);
    struct lcl_csr A = test_laplacian(9, 9, 3);
    double *b = test_right_side(&A);
    struct test_solve S;
    test_solve_open(&S, *state, &A, &plain, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_false(S.report.exhausted);
    test_solve_close(&S);
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ breakdown

// What can be had of x is had: the residual that is left is orthogonal to A's
// range.
static void test_gmres__singular_matrices_break_down(void **state)
{
    for (int t = 0; t < 2; ++t) {
        struct lcl_solver_params params = gmres(30);
        struct lcl_csr A = test_identity(40);
        double b[40];
        struct test_solve S;
        params.type = types[t];
        for (int i = 0; i < 40; ++i) {
            A.val[i] = i == 7 ? 0 : 1 + i % 3;
            b[i] = 1;
        }
        test_solve_open(&S, *state, &A, &plain, &params);
        assert_int_equal(test_solve_run(&S, b), LCL_BREAKDOWN);
        assert_int_equal(S.report.stop, LCL_STOP_BREAKDOWN_KRYLOV);
        assert_false(S.report.exhausted);
        assert_true(fabs(S.report.true_residual - sqrt(1. / 40)) < 1e-8);
        test_solve_close(&S);
        test_csr_finish(&A);
    }
}

static void test_gmres__empty_rows_break_down_at_once(void **state)
{
    const struct lcl_solver_params params = gmres(30);
    const double dense[] = {1, 0, 0, 0}, b[] = {0, 1};
    test_expect_stop(*state, test_csr_from_dense(2, dense), b, &plain, &params,
                     LCL_STOP_BREAKDOWN_KRYLOV, LCL_BREAKDOWN);
}

static void test_gmres__overflow_is_not_finite(void **state)
{
    check_both(*state, test_expect_overflow, &plain, 30);
}

// e_i -> e_{i+1}: nothing is gained before the n-th column.
static void test_gmres__cyclic_shift_stagnates_below_n_columns(void **state)
{
    enum { N = 24 };
    double *dense = test_vector((int64_t)N * N), b[N] = {1};
    for (int i = 0; i < N; ++i)
        dense[(i + 1) % N * N + i] = 1;
    struct lcl_solver_params params = gmres(N - 1);
    params.stagnation = 60;
    test_expect_stop(*state, test_csr_from_dense(N, dense), b, &plain, &params,
                     LCL_STOP_STAGNATION, LCL_STAGNATION);
    struct lcl_csr A = test_csr_from_dense(N, dense);
    struct test_solve S;
    params.restart = N;
    test_solve_open(&S, *state, &A, &plain, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_int_equal(S.report.iterations, N);
    assert_true(S.report.exhausted);
    test_solve_close(&S);
    test_csr_finish(&A);
    free(dense);
}

static void test_gmres__inconsistent_systems_are_no_success(void **state)
{
    check_both(*state, test_expect_no_success, &plain, 10);
}

// ------------------------------------------------------------------ limits

static void test_gmres__iteration_limit_is_kept(void **state)
{
    check_both(*state, test_expect_limits_kept, &jacobi, 5);
}

static void test_gmres__absolute_tolerance_is_kept(void **state)
{
    check_both(*state, test_expect_absolute_tolerance, &plain, 7);
}

static void test_gmres__unreachable_tolerance_is_no_success(void **state)
{
    struct lcl_solver_params params = gmres(30);
    for (int basis = LCL_BASIS_FP64; basis < LCL_BASIS_COUNT; ++basis) {
        params.basis = (enum lcl_basis_storage)basis;
        test_expect_unreachable(*state, &plain, &params);
    }
}

static void test_gmres__zero_right_side_gives_zero(void **state)
{
    check_both(*state, test_expect_zero_rhs, &plain, 30);
}

static void test_gmres__nan_is_refused(void **state)
{
    check_both(*state, test_expect_nan_refused, &plain, 30);
}

static bool stop_late(void *user, const struct lcl_progress_info *info)
{
    int *const calls = user;
    ++*calls;
    return info->iteration < 10;
}

// Steps are under way when the monitor speaks: x has theirs, too, so that it is
// no worse than the last residual that was seen.
static void test_gmres__monitor_stops_in_the_middle_of_a_cycle(void **state)
{
    for (int t = 0; t < 2; ++t) {
        struct lcl_solver_params params = gmres(35);
        struct lcl_csr A = test_laplacian(30, 30, 1);
        double *b = test_right_side(&A);
        struct test_solve S;
        int calls = 0;
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] = A.val[k] > 0 ? 4 : -1; // no more than semi-dominant
        params.type = types[t];
        params.monitor = stop_late;
        params.monitor_user = &calls;
        test_solve_open(&S, *state, &A, &jacobi, &params);
        assert_int_equal(test_solve_run(&S, b), LCL_ITERATION_LIMIT);
        assert_int_equal(S.report.stop, LCL_STOP_MONITOR);
        assert_true(calls > 1 && S.report.iterations >= 10);
        assert_true(S.report.true_residual <= S.report.residual * (1 + 1e-9));
        test_solve_close(&S);
        test_csr_finish(&A);
        free(b);
    }
}

// ------------------------------------------------------------------ refused

static void test_gmres__parameters_out_of_range_are_refused(void **state)
{
    static const int restarts[] = {-1, LCL_GMRES_MAX_RESTART + 1};
    static const int bases[] = {-1, LCL_BASIS_COUNT};
    static const int methods[] = {-1, LCL_ORTHOGONALISATION_COUNT};
    struct lcl_csr A = test_identity(3);
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    const enum lcl_log_level level =
        lcl_context_set_log_level(*state, LCL_LOG_NONE);
    assert_int_equal(test_precond_create(&M, *state, &A, &plain), LCL_OK);
    for (int i = 0; i < 2; ++i) {
        struct lcl_solver_params params = gmres(restarts[i]);
        assert_int_equal(test_solver_create(&S, M, &params), LCL_EINVAL);
        assert_null(S);
        params = gmres(30);
        params.basis = (enum lcl_basis_storage)bases[i];
        assert_misuse(test_solver_create(&S, M, &params));
        assert_null(S);
        params = gmres(30);
        params.orthogonalisation = (enum lcl_orthogonalisation)methods[i];
        assert_misuse(test_solver_create(&S, M, &params));
        assert_null(S);
    }
    lcl_context_set_log_level(*state, level);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

static void expect_room(lcl_precond *M, enum lcl_solver_type type, int restart,
                        enum lcl_status status)
{
    struct lcl_solver_params params = gmres(restart);
    lcl_solver *S = NULL;
    params.type = type;
    assert_int_equal(test_solver_create(&S, M, &params), status);
    assert_true((S != NULL) == (status == LCL_OK));
    lcl_solver_destroy(&S);
}

// A device of little memory: 2000 rows are columns of 16384 bytes.
static void test_gmres__basis_without_room_is_refused(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture.log};
    struct lcl_csr A = test_random_csr(2000, 3, 1);
    lcl_context *ctx;
    lcl_precond *M = NULL;
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    assert_int_equal(test_precond_create(&M, ctx, &A, &jacobi), LCL_OK);
    ctx->caps.max_buffer_bytes = 1000000;
    ctx->caps.global_bytes = 1200000;
    expect_room(M, LCL_SOLVER_GMRES, 1024, LCL_EDEVMEM);
    test_capture_expect(&capture, "restart 1024: the basis needs 16777216 ");
    test_capture_expect(
        &capture, " has 1200000 bytes and allocates at most 1000000 bytes ");
    test_capture_expect(&capture, "restart 61 is the largest that fits");
    expect_room(M, LCL_SOLVER_GMRES, 62, LCL_EDEVMEM);
    expect_room(M, LCL_SOLVER_GMRES, 61, LCL_OK);
    expect_room(M, LCL_SOLVER_FGMRES, 37, LCL_EDEVMEM);
    test_capture_expect(&capture, "restart 36 is the largest that fits");
    expect_room(M, LCL_SOLVER_FGMRES, 36, LCL_OK);
    test_precond_destroy(&M);
    lcl_context_destroy(&ctx);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmres__identity_is_exhausted_at_once),
        cmocka_unit_test(test_gmres__eigenvector_is_exhausted_at_once),
        cmocka_unit_test(test_gmres__low_degree_is_exhausted_early),
        cmocka_unit_test(test_gmres__others_are_not_exhausted),
        cmocka_unit_test(test_gmres__singular_matrices_break_down),
        cmocka_unit_test(test_gmres__empty_rows_break_down_at_once),
        cmocka_unit_test(test_gmres__overflow_is_not_finite),
        cmocka_unit_test(test_gmres__cyclic_shift_stagnates_below_n_columns),
        cmocka_unit_test(test_gmres__inconsistent_systems_are_no_success),
        cmocka_unit_test(test_gmres__iteration_limit_is_kept),
        cmocka_unit_test(test_gmres__absolute_tolerance_is_kept),
        cmocka_unit_test(test_gmres__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_gmres__zero_right_side_gives_zero),
        cmocka_unit_test(test_gmres__nan_is_refused),
        cmocka_unit_test(test_gmres__monitor_stops_in_the_middle_of_a_cycle),
        cmocka_unit_test(test_gmres__parameters_out_of_range_are_refused),
        cmocka_unit_test(test_gmres__basis_without_room_is_refused),
    };
    return test_device_run(tests);
}
