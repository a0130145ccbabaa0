// SPDX-License-Identifier: BSD-3-Clause
// IDR(s) as its users see it: systems that it solves, how, and why it ends.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include "lib/ref/idr.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILDU0,
     .partition = {.type = LCL_PARTITION_NATURAL, .rows = 120}},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const none = &methods[0];

static const int sizes[] = {1, 2, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct lcl_solver_params idr(int s)
{
    return (struct lcl_solver_params){
        .type = LCL_SOLVER_IDR, .rtol = 1e-10, .idr_s = s};
}

// ------------------------------------------------------------------ solving

static void expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                          const struct lcl_precond_params *method, int s)
{
    const struct lcl_solver_params params = idr(s);
    double *b = test_right_side(A);
    struct test_solve S;
    test_solve_open(&S, ctx, A, method, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_true(S.report.history[0] == 1);
    for (int64_t i = 0; i < A->rows; ++i)
        if (!(fabs(S.x[i] - (double)(1 + i % 7)) < 1e-6))
            fail_msg("x[%lld]: got %g", (long long)i, S.x[i]);
    test_solve_close(&S);
    free(b);
}

static void test_idr__solves_a_grid(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 10);
    for (int m = 0; m < METHODS; ++m)
        for (int i = 0; i < SIZES; ++i)
            expect_solved(*state, &A, &methods[m], sizes[i]);
    test_csr_finish(&A);
}

static void test_idr__solves_an_unsymmetric_system(void **state)
{
    struct lcl_csr A = test_random_csr(1500, 7, 3);
    for (int m = 0; m < METHODS; ++m)
        for (int i = 0; i < SIZES; ++i)
            expect_solved(*state, &A, &methods[m], sizes[i]);
    test_csr_finish(&A);
}

static void test_idr__solves_systems_of_blocks(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct lcl_csr blocks = test_expand_blocks(&A, 3);
    for (int64_t i = 0; i < blocks.rows; ++i)
        for (int64_t k = blocks.row_ptr[i]; k < blocks.row_ptr[i + 1]; ++k)
            if (blocks.col_ind[k] == i)
                blocks.val[k] = 40;
    expect_solved(*state, &blocks, &methods[2], 4);
    test_csr_finish(&blocks);
    test_csr_finish(&A);
}

// Fewer rows than shadow vectors, and not many more.
static void test_idr__solves_very_small_systems(void **state)
{
    for (int n = 1; n <= 9; ++n) {
        struct lcl_csr A = test_random_csr(n, n, (unsigned)n);
        expect_solved(*state, &A, none, 8);
        test_csr_finish(&A);
    }
}

static void test_idr__identity_takes_one_product(void **state)
{
    const struct lcl_solver_params params = idr(4);
    struct lcl_csr A = test_identity(50);
    double b[50];
    struct test_solve S;
    for (int i = 0; i < 50; ++i)
        b[i] = i == 7 || i == 31; // few equal entries
    test_solve_open(&S, *state, &A, none, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_int_equal(S.report.iterations, 1);
    test_expect_near("x", S.x, b, 50, 1e-14);
    test_solve_close(&S);
    test_csr_finish(&A);
}

static void test_idr__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    double *b = test_right_side(&A);
    for (int i = 0; i < SIZES; ++i) {
        const struct lcl_solver_params params = idr(sizes[i]);
        struct test_solve S[2];
        for (int pass = 0; pass < 2; ++pass) {
            test_solve_open(&S[pass], *state, &A, &methods[1], &params);
            assert_int_equal(test_solve_run(&S[pass], b), LCL_OK);
        }
        memset(S[1].x, 0, (size_t)A.rows * sizeof *S[1].x);
        assert_int_equal(test_solve_run(&S[1], b), LCL_OK); // once more
        assert_int_equal(S[0].report.iterations, S[1].report.iterations);
        test_expect_same("history", S[1].report.history, S[0].report.history,
                         S[0].report.history_count);
        test_expect_same("x", S[1].x, S[0].x, A.rows);
        test_solve_close(&S[0]);
        test_solve_close(&S[1]);
    }
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ reference

// The device's history follows that of the reference for the first products,
// before rounding has grown.
static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_idr K)
{
    enum { FIRST = 14, ROOM = 400 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    const struct lcl_solver_params params = idr(K.s);
    struct test_solve S;
    K.rtol = 1e-10;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_idr(&K, A, b, x), LCL_OK);
    test_solve_open(&S, ctx, A, method, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    for (int i = 0; i < FIRST && i <= K.iterations; ++i)
        if (!(fabs(S.report.history[i] - history[i]) <= 1e-8 * history[i]))
            fail_msg("history[%d]: got %.17g, expected %.17g", i,
                     S.report.history[i], history[i]);
    assert_in_range(S.report.iterations, K.iterations * 4 / 5,
                    K.iterations * 5 / 4 + 1);
    test_solve_close(&S);
    free(b);
    free(x);
}

static void test_idr__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    struct test_inverse D = {.n = A.rows};
    unsigned char bad[1000];
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + (double)(k % 5) / 100;
    lcl_ref_jacobi(&A, D.inv_d, bad);
    for (int i = 0; i < SIZES; ++i)
        expect_history(*state, &A, &methods[1],
                       (struct lcl_ref_idr){.apply = test_apply_inverse,
                                            .user = &D,
                                            .s = sizes[i]});
    test_csr_finish(&A);
}

static void test_idr__unpreconditioned_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_random_csr(1000, 8, 9);
    struct test_inverse D = {.n = A.rows};
    for (int i = 0; i < 1000; ++i)
        D.inv_d[i] = 1;
    expect_history(
        *state, &A, none,
        (struct lcl_ref_idr){.apply = test_apply_inverse, .user = &D, .s = 4});
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ endings

static void expect_stop(lcl_context *ctx, struct lcl_csr A, const double *b,
                        const struct lcl_solver_params *params,
                        enum lcl_stop stop, enum lcl_status status)
{
    struct test_solve S;
    test_solve_open(&S, ctx, &A, none, params);
    assert_int_equal(test_solve_run(&S, b), status);
    if (S.report.stop != stop)
        fail_msg("got %s, expected %s", lcl_stop_name(S.report.stop),
                 lcl_stop_name(stop));
    for (int64_t i = 0; i < A.rows; ++i)
        assert_true(isfinite(S.x[i]));
    test_solve_close(&S);
    test_csr_finish(&A);
}

// <A r, r> = 0
static void test_idr__skew_matrices_break_down_in_omega(void **state)
{
    const struct lcl_solver_params params = idr(1);
    const double dense[] = {0, 1, -1, 0}, b[] = {1, 0};
    expect_stop(*state, test_csr_from_dense(2, dense), b, &params,
                LCL_STOP_BREAKDOWN_OMEGA, LCL_BREAKDOWN);
}

// A r = 0
static void test_idr__vanishing_directions_break_down_in_alpha(void **state)
{
    const struct lcl_solver_params params = idr(2);
    const double dense[] = {1, 0, 0, 0}, b[] = {0, 1};
    expect_stop(*state, test_csr_from_dense(2, dense), b, &params,
                LCL_STOP_BREAKDOWN_ALPHA, LCL_BREAKDOWN);
}

static void test_idr__overflow_is_not_finite(void **state)
{
    const struct lcl_solver_params params = idr(2);
    const double dense[] = {1e200, 1, 1, 1e-200}, b[] = {1, 1};
    expect_stop(*state, test_csr_from_dense(2, dense), b, &params,
                LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

static void test_idr__zero_right_side_gives_zero(void **state)
{
    const struct lcl_solver_params params = idr(4);
    const double b[20] = {0};
    expect_stop(*state, test_random_csr(20, 3, 1), b, &params,
                LCL_STOP_ZERO_RHS, LCL_OK);
}

static void test_idr__nan_is_refused(void **state)
{
    const struct lcl_solver_params params = idr(4);
    struct lcl_csr A = test_identity(3);
    const double b[] = {1, NAN, 1};
    struct test_solve S;
    test_solve_open(&S, *state, &A, none, &params);
    assert_int_equal(lcl_solver_solve(S.S, b, S.x, NULL), LCL_EFORMAT);
    test_solve_close(&S);
    test_csr_finish(&A);
}

// x is that of the last product, wherever in a cycle the limit is.
static void test_idr__iteration_limit_is_kept(void **state)
{
    struct lcl_csr A = test_laplacian(20, 20, 1);
    double *b = test_right_side(&A);
    for (int limit = 1; limit <= 12; ++limit) {
        struct lcl_solver_params params = idr(4);
        struct test_solve S;
        params.max_iters = limit;
        test_solve_open(&S, *state, &A, &methods[1], &params);
        assert_int_equal(test_solve_run(&S, b), LCL_ITERATION_LIMIT);
        assert_int_equal(S.report.stop, LCL_STOP_MAX_ITERS);
        assert_int_equal(S.report.iterations, limit);
        if (!(fabs(S.report.true_residual - S.report.residual) <= 1e-12))
            fail_msg("limit %d: %g beside %g", limit, S.report.true_residual,
                     S.report.residual);
        test_solve_close(&S);
    }
    test_csr_finish(&A);
    free(b);
}

// An inconsistent system: the residual cannot fall below that of the last row.
static void test_idr__inconsistent_systems_are_no_success(void **state)
{
    struct lcl_csr A = test_laplacian(6, 6, 1);
    double b[36];
    for (int i = 0; i < 36; ++i)
        b[i] = 1;
    for (int64_t k = A.row_ptr[35]; k < A.row_ptr[36]; ++k)
        A.val[k] = 0;
    for (int m = 0; m < METHODS; ++m) {
        struct lcl_solver_params params = idr(4);
        struct test_solve S;
        params.max_iters = 300;
        test_solve_open(&S, *state, &A, &methods[m], &params);
        assert_true(test_solve_run(&S, b) > 0);
        test_solve_close(&S);
    }
    test_csr_finish(&A);
}

static void test_idr__unreachable_tolerance_is_no_success(void **state)
{
    struct lcl_solver_params params = idr(4);
    struct lcl_csr A = test_laplacian(9, 9, 9);
    double *b = test_right_side(&A);
    struct test_solve S;
    params.rtol = 1e-30;
    test_solve_open(&S, *state, &A, none, &params);
    assert_true(test_solve_run(&S, b) > 0);
    assert_true(S.report.true_residual < 1e-12);
    test_solve_close(&S);
    test_csr_finish(&A);
    free(b);
}

static void test_idr__s_out_of_range_is_refused(void **state)
{
    struct lcl_csr A = test_identity(3);
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    assert_int_equal(lcl_precond_create(&M, *state, &A, none), LCL_OK);
    for (int s = -1; s <= LCL_IDR_MAX_S + 1; s += LCL_IDR_MAX_S + 2) {
        const struct lcl_solver_params params = idr(s);
        assert_int_equal(lcl_solver_create(&S, M, &params), LCL_EINVAL);
        assert_null(S);
    }
    lcl_precond_destroy(&M);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idr__solves_a_grid),
        cmocka_unit_test(test_idr__solves_an_unsymmetric_system),
        cmocka_unit_test(test_idr__solves_systems_of_blocks),
        cmocka_unit_test(test_idr__solves_very_small_systems),
        cmocka_unit_test(test_idr__identity_takes_one_product),
        cmocka_unit_test(test_idr__solves_agree_bit_for_bit),
        cmocka_unit_test(test_idr__jacobi_history_is_the_reference_s),
        cmocka_unit_test(test_idr__unpreconditioned_history_is_the_reference_s),
        cmocka_unit_test(test_idr__skew_matrices_break_down_in_omega),
        cmocka_unit_test(test_idr__vanishing_directions_break_down_in_alpha),
        cmocka_unit_test(test_idr__overflow_is_not_finite),
        cmocka_unit_test(test_idr__zero_right_side_gives_zero),
        cmocka_unit_test(test_idr__nan_is_refused),
        cmocka_unit_test(test_idr__iteration_limit_is_kept),
        cmocka_unit_test(test_idr__inconsistent_systems_are_no_success),
        cmocka_unit_test(test_idr__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_idr__s_out_of_range_is_refused),
    };
    return test_device_run(tests);
}
