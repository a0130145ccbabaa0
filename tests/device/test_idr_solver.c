// SPDX-License-Identifier: BSD-3-Clause
// IDR(s) as its users see it: systems that it solves, how, and why it ends.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"

#include "lib/ref/idr.h"

#include <stdlib.h>

static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILDU0, TEST_PARTS},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const none = &methods[0];
static const struct lcl_precond_params *const jacobi = &methods[1];
static const struct lcl_precond_params *const ildu0 = &methods[2];

static const int sizes[] = {1, 2, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct lcl_solver_params idr(int s)
{
    return (struct lcl_solver_params){
        .type = LCL_SOLVER_IDR, .rtol = 1e-10, .idr_s = s};
}

static const struct lcl_solver_params idr_4 = {
    .type = LCL_SOLVER_IDR, .rtol = 1e-10, .idr_s = 4};

// ------------------------------------------------------------------ solving

static void expect_all_solve(lcl_context *ctx, struct lcl_csr A)
{
    for (int m = 0; m < METHODS; ++m)
        for (int i = 0; i < SIZES; ++i) {
            const struct lcl_solver_params params = idr(sizes[i]);
            test_expect_solved(ctx, &A, &methods[m], &params);
        }
    test_csr_finish(&A);
}

static void test_idr__solves_a_grid(void **state)
{
    expect_all_solve(*state, test_laplacian(12, 11, 10));
}

static void test_idr__solves_an_unsymmetric_system(void **state)
{
    expect_all_solve(*state, test_random_csr(1500, 7, 3));
}

static void test_idr__solves_systems_of_blocks(void **state)
{
    struct lcl_csr A = test_block_grid();
    test_expect_solved(*state, &A, ildu0, &idr_4);
    test_csr_finish(&A);
}

// Fewer rows than shadow vectors, and not many more.
static void test_idr__solves_very_small_systems(void **state)
{
    const struct lcl_solver_params params = idr(8);
    for (int n = 1; n <= 9; ++n) {
        struct lcl_csr A = test_random_csr(n, n, (unsigned)n);
        test_expect_solved(*state, &A, none, &params);
        test_csr_finish(&A);
    }
}

static void test_idr__identity_takes_one_product(void **state)
{
    test_expect_identity_at_once(*state, none, &idr_4);
}

static void test_idr__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    for (int i = 0; i < SIZES; ++i) {
        const struct lcl_solver_params params = idr(sizes[i]);
        test_expect_reproducible(*state, &A, jacobi, &params);
    }
    test_csr_finish(&A);
}

static void test_idr__starts_from_the_x_that_is_passed(void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 8);
    test_expect_start_used(*state, &A, jacobi, &idr_4);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ reference

static struct test_reference reference_of(const double *history, int iterations,
                                          int most)
{
    return (struct test_reference){.history = history,
                                   .iterations = iterations,
                                   .first = 14,
                                   .tolerance = 1e-8,
                                   .least = iterations * 4 / 5,
                                   .most = most};
}

static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_idr K)
{
    enum { ROOM = 400 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    const struct lcl_solver_params params = idr(K.s);
    K.rtol = 1e-10;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_idr(&K, A, b, x), LCL_OK);
    const struct test_reference reference =
        reference_of(history, K.iterations, K.iterations * 5 / 4 + 1);
    test_expect_reference(ctx, A, method, &params, &reference);
    free(b);
    free(x);
}

static void test_idr__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_uneven_grid();
    struct test_inverse D = test_jacobi_of(&A);
    for (int i = 0; i < SIZES; ++i)
        expect_history(*state, &A, jacobi,
                       (struct lcl_ref_idr){.apply = test_apply_inverse,
                                            .user = &D,
                                            .s = sizes[i]});
    test_csr_finish(&A);
}

// From the left with D^-1: without preconditioner for D^-1 A and D^-1 b.
static void test_idr__left_history_is_that_of_the_scaled_system(void **state)
{
    enum { ROOM = 400 };
    struct lcl_csr A = test_uneven_grid(), B = test_uneven_grid();
    struct test_inverse D = test_jacobi_of(&A), I = test_identity_of(&A);
    double *b = test_right_side(&A), *x = test_vector(A.rows);
    double history[ROOM + 1];
    struct lcl_ref_idr K = {.apply = test_apply_inverse,
                            .user = &I,
                            .s = 4,
                            .rtol = 1e-10,
                            .max_iters = ROOM,
                            .history = history};
    struct lcl_solver_params params = idr_4;
    params.side = LCL_SIDE_LEFT;
    double *scaled = test_vector(A.rows);
    test_apply_inverse(&D, b, scaled);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            B.val[k] *= D.inv_d[i];
    assert_int_equal(lcl_ref_idr(&K, &B, scaled, x), LCL_OK);
    const struct test_reference reference =
        reference_of(history, K.iterations, K.iterations * 3 / 2 + 1);
    test_expect_reference(*state, &A, jacobi, &params, &reference);
    free(b);
    free(x);
    free(scaled);
    test_csr_finish(&A);
    test_csr_finish(&B);
}

static void test_idr__left_solves_to_the_true_residual(void **state)
{
    struct lcl_csr grids[] = {test_laplacian(12, 11, 10),
                              test_random_csr(1500, 7, 3)};
    for (int g = 0; g < 2; ++g) {
        for (int m = 0; m < METHODS; ++m)
            for (int i = 0; i < SIZES; ++i) {
                struct lcl_solver_params params = idr(sizes[i]);
                params.side = LCL_SIDE_LEFT;
                test_expect_solved(*state, &grids[g], &methods[m], &params);
            }
        test_csr_finish(&grids[g]);
    }
}

static void test_idr__unpreconditioned_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_random_csr(1000, 8, 9);
    struct test_inverse D = test_identity_of(&A);
    expect_history(
        *state, &A, none,
        (struct lcl_ref_idr){.apply = test_apply_inverse, .user = &D, .s = 4});
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ endings

// <A r, r> = 0
static void test_idr__skew_matrices_break_down_in_omega(void **state)
{
    const struct lcl_solver_params params = idr(1);
    const double dense[] = {0, 1, -1, 0}, b[] = {1, 0};
    test_expect_stop(*state, test_csr_from_dense(2, dense), b, none, &params,
                     LCL_STOP_BREAKDOWN_OMEGA, LCL_BREAKDOWN);
}

// A r = 0
static void test_idr__vanishing_directions_break_down_in_alpha(void **state)
{
    const struct lcl_solver_params params = idr(2);
    const double dense[] = {1, 0, 0, 0}, b[] = {0, 1};
    test_expect_stop(*state, test_csr_from_dense(2, dense), b, none, &params,
                     LCL_STOP_BREAKDOWN_ALPHA, LCL_BREAKDOWN);
}

static void test_idr__overflow_is_not_finite(void **state)
{
    const struct lcl_solver_params params = idr(2);
    test_expect_overflow(*state, none, &params);
}

static void test_idr__zero_right_side_gives_zero(void **state)
{
    test_expect_zero_rhs(*state, none, &idr_4);
}

static void test_idr__nan_is_refused(void **state)
{
    test_expect_nan_refused(*state, none, &idr_4);
}

static void test_idr__iteration_limit_is_kept(void **state)
{
    test_expect_limits_kept(*state, jacobi, &idr_4);
}

static void test_idr__inconsistent_systems_are_no_success(void **state)
{
    for (int m = 0; m < METHODS; ++m)
        test_expect_no_success(*state, &methods[m], &idr_4);
}

static void test_idr__unreachable_tolerance_is_no_success(void **state)
{
    test_expect_unreachable(*state, none, &idr_4);
}

static void test_idr__absolute_tolerance_is_told_apart(void **state)
{
    test_expect_absolute_tolerance(*state, none, &idr_4);
}

static void test_idr__monitor_stops_the_solve(void **state)
{
    test_expect_monitor_heeded(*state, none, &idr_4);
}

static void test_idr__s_and_side_out_of_range_are_refused(void **state)
{
    struct lcl_csr A = test_identity(3);
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    assert_int_equal(test_precond_create(&M, *state, &A, none), LCL_OK);
    for (int s = -1; s <= LCL_IDR_MAX_S + 1; s += LCL_IDR_MAX_S + 2) {
        const struct lcl_solver_params params = idr(s);
        assert_int_equal(test_solver_create(&S, M, &params), LCL_EINVAL);
        assert_null(S);
    }
    struct lcl_solver_params params = idr(4);
    params.side = LCL_SIDE_COUNT;
    assert_misuse(test_solver_create(&S, M, &params));
    test_precond_destroy(&M);
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
        cmocka_unit_test(test_idr__starts_from_the_x_that_is_passed),
        cmocka_unit_test(test_idr__jacobi_history_is_the_reference_s),
        cmocka_unit_test(test_idr__left_history_is_that_of_the_scaled_system),
        cmocka_unit_test(test_idr__left_solves_to_the_true_residual),
        cmocka_unit_test(test_idr__unpreconditioned_history_is_the_reference_s),
        cmocka_unit_test(test_idr__skew_matrices_break_down_in_omega),
        cmocka_unit_test(test_idr__vanishing_directions_break_down_in_alpha),
        cmocka_unit_test(test_idr__overflow_is_not_finite),
        cmocka_unit_test(test_idr__zero_right_side_gives_zero),
        cmocka_unit_test(test_idr__nan_is_refused),
        cmocka_unit_test(test_idr__iteration_limit_is_kept),
        cmocka_unit_test(test_idr__inconsistent_systems_are_no_success),
        cmocka_unit_test(test_idr__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_idr__absolute_tolerance_is_told_apart),
        cmocka_unit_test(test_idr__monitor_stops_the_solve),
        cmocka_unit_test(test_idr__s_and_side_out_of_range_are_refused),
    };
    return test_device_run(tests);
}
