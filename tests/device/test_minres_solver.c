// SPDX-License-Identifier: BSD-3-Clause
// MINRES as its users see it.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"

#include "lib/ref/minres.h"

#include <math.h>
#include <stdlib.h>

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
static const struct lcl_solver_params minres = {.type = LCL_SOLVER_MINRES};
static const struct lcl_solver_params strict = {.type = LCL_SOLVER_MINRES,
                                                .rtol = 1e-10};

// ------------------------------------------------------------------ systems

// The Laplacian minus `shift` I, with 1 more in every other row: from 6 to 7
// the diagonal has both signs.
static struct lcl_csr shifted(int64_t nx, int64_t ny, int64_t nz, double shift)
{
    struct lcl_csr A = test_laplacian(nx, ny, nz);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] -= shift - (double)(i % 2);
    return A;
}

// [H B^T; B 0]: H is diagonal, B couples each of `m` rows to three others.
static struct lcl_csr saddle(int64_t n, int64_t m)
{
    const int64_t all = n + m;
    double *dense = calloc((size_t)(all * all), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i)
        dense[i * all + i] = pow(10, (double)(i % 4));
    for (int64_t k = 0; k < m; ++k)
        for (int64_t t = 0; t < 3; ++t) {
            const int64_t i = (3 * k + t * t) % n, row = n + k;
            dense[row * all + i] = dense[i * all + row] = 1 + (double)t;
        }
    struct lcl_csr A = test_csr_from_dense(all, dense);
    free(dense);
    return A;
}

// ------------------------------------------------------------------ solutions

static void expect_random_solved(lcl_context *ctx, const struct lcl_csr *A,
                                 const struct lcl_precond_params *precond)
{
    double *b = test_random_vector(A->rows, 3);
    struct test_solve s;
    test_solve_open(&s, ctx, A, precond, &strict);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_true(test_residual(A, b, s.x) <= 1e-10 * (1 + 1e-6));
    test_solve_close(&s);
    free(b);
}

static void test_minres__indefinite_matrices_are_solved(void **state)
{
    struct lcl_csr all[] = {shifted(9, 8, 7, 0.7), shifted(9, 8, 7, 3),
                            shifted(9, 8, 7, 6.4), saddle(90, 25)};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        expect_random_solved(*state, &all[k], &none);
        expect_random_solved(*state, &all[k], &jacobi);
        test_csr_finish(&all[k]);
    }
}

// IC(0) has the sign of the diagonal and shifts what would give it another one:
// it stays definite for an indefinite matrix.
static void test_minres__shifted_factors_are_definite(void **state)
{
    struct lcl_precond_params ic0 = test_ic0(LCL_COARSE_NONE);
    struct lcl_csr A = shifted(9, 8, 7, 3);
    ic0.pivot = LCL_PIVOT_SHIFT;
    for (int minus = 0; minus < 2; ++minus) {
        expect_random_solved(*state, &A, &ic0);
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] *= -1;
    }
    test_csr_finish(&A);
}

static int iterations_of(lcl_context *ctx, const struct lcl_csr *A,
                         const struct lcl_precond_params *precond)
{
    double *b = test_random_vector(A->rows, 3);
    struct test_solve s;
    test_solve_open(&s, ctx, A, precond, &strict);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int iterations = s.report.iterations;
    test_solve_close(&s);
    free(b);
    return iterations;
}

// The zeros of the diagonal get a value of the scale of the other rows.
static void test_minres__the_diagonal_speeds_up_a_saddle_point(void **state)
{
    struct lcl_csr A = saddle(200, 60);
    const int plain = iterations_of(*state, &A, &none);
    const int scaled = iterations_of(*state, &A, &jacobi);
    print_message("none %d, jacobi %d iterations\n", plain, scaled);
    assert_true(2 * scaled < plain);
    test_csr_finish(&A);
}

// Both forms of Jacobi follow the values.
static void test_minres__new_values_are_taken(void **state)
{
    struct lcl_csr A = shifted(9, 8, 7, 3), B = shifted(9, 8, 7, 6.4);
    double *b = test_random_vector(A.rows, 3);
    struct test_solve s;
    test_solve_open(&s, *state, &A, &jacobi, &strict);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(test_precond_update(s.M, B.val), LCL_OK);
    s.A = &B;
    for (int64_t i = 0; i < A.rows; ++i)
        s.x[i] = 0;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, iterations_of(*state, &B, &jacobi));
    test_solve_close(&s);
    test_csr_finish(&A);
    test_csr_finish(&B);
    free(b);
}

static void test_minres__every_preconditioner_solves_a_grid(void **state)
{
    const enum lcl_coarse coarses[] = {LCL_COARSE_NONE, LCL_COARSE_ADD,
                                       LCL_COARSE_MULT};
    const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG,
                                           .amg = {.coarse_rows = 100}};
    const struct lcl_precond_params block = {.type = LCL_PRECOND_BLOCK_JACOBI};
    struct lcl_csr A = test_laplacian(12, 11, 10);
    test_expect_solved(*state, &A, &none, &strict);
    test_expect_solved(*state, &A, &jacobi, &strict);
    test_expect_solved(*state, &A, &amg, &strict);
    test_expect_solved(*state, &A, &block, &strict);
    for (int c = 0; c < 3; ++c) {
        const struct lcl_precond_params ic0 = test_ic0(coarses[c]);
        test_expect_solved(*state, &A, &ic0, &strict);
    }
    test_csr_finish(&A);
}

static void test_minres__blocks_are_solved(void **state)
{
    struct lcl_csr A = test_block_grid();
    test_expect_solved(*state, &A, &jacobi, &strict);
    test_csr_finish(&A);
}

// MINRES takes the same steps for a negative definite M as for -M.
static void test_minres__negative_definite_preconditioners_are_taken(
    void **state)
{
    const struct lcl_precond_params ic0 = test_ic0(LCL_COARSE_NONE);
    struct lcl_csr A = test_laplacian(11, 10, 9);
    test_expect_negative_alike(*state, &A, &ic0, &strict);
    test_csr_finish(&A);
}

static void test_minres__one_equation_and_identity_take_one_step(void **state)
{
    test_expect_identity_at_once(*state, &none, &minres);
    test_expect_identity_at_once(*state, &jacobi, &minres);
}

static void test_minres__starts_from_the_x_that_is_passed(void **state)
{
    struct lcl_csr A = shifted(9, 9, 9, 0.7);
    test_expect_start_used(*state, &A, &jacobi, &minres);
    test_csr_finish(&A);
}

static void test_minres__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = shifted(13, 12, 7, 0.7);
    test_expect_reproducible(*state, &A, &none, &minres);
    test_expect_reproducible(*state, &A, &jacobi, &minres);
    test_csr_finish(&A);
}

// A constant is in the null space; b has no share of it.
static void test_minres__consistent_singular_systems_are_solved(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t from = A.row_ptr[i], to = A.row_ptr[i + 1];
        for (int64_t k = from; k < to; ++k)
            A.val[k] = A.col_ind[k] == i ? (double)(to - from - 1) : -1;
    }
    double *w = test_random_vector(A.rows, 4), *b = test_vector(A.rows);
    lcl_csr_multiply(&A, w, b);
    const struct lcl_precond_params *const all[] = {&none, &jacobi};
    for (int k = 0; k < 2; ++k) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, all[k], &strict);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
    free(w);
    free(b);
}

// ------------------------------------------------------------------ reference

static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct test_inverse M)
{
    enum { ROOM = 600 };
    double history[ROOM + 1], x[1000] = {0};
    double *b = test_right_side(A);
    struct lcl_ref_minres K = {.apply = test_apply_inverse,
                               .user = &M,
                               .rtol = 1e-8,
                               .max_iters = ROOM,
                               .history = history};
    assert_int_equal(lcl_ref_minres(&K, A, b, x), LCL_OK);
    const struct test_reference reference = {
        .history = history,
        .iterations = K.iterations,
        .first = 12,
        .tolerance = 1e-8,
        .least = K.iterations - 3,
        .most = K.iterations + 3,
    };
    test_expect_reference(ctx, A, method, &minres, &reference);
    free(b);
}

// The diagonal has both signs: |D| is a preconditioner, D is not.
static void test_minres__histories_are_the_reference_s(void **state)
{
    struct lcl_csr A = shifted(6, 5, 4, 6.4);
    struct test_inverse D = test_jacobi_of(&A);
    for (int64_t i = 0; i < D.n; ++i)
        D.inv_d[i] = fabs(D.inv_d[i]);
    expect_history(*state, &A, &none, test_identity_of(&A));
    expect_history(*state, &A, &jacobi, D);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ stops

static void test_minres__unsymmetric_matrices_are_refused(void **state)
{
    const double dense[] = {1, 2, 3, 4};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    const double b[] = {1, 1};
    double x[2] = {0};
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(test_precond_create(&M, *state, &A, &none), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, &minres), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_EUNSUPPORTED);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

static void test_minres__unsymmetric_preconditioners_are_refused(void **state)
{
    const struct lcl_precond_params ras = {.type = LCL_PRECOND_RAS, TEST_PARTS};
    struct lcl_csr A = test_laplacian(6, 5, 4);
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(test_precond_create(&M, *state, &A, &ras), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, &minres), LCL_EUNSUPPORTED);
    assert_null(S);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// IC(0) of single rows is the diagonal with its signs: the first <r, M^-1 r> is
// 0, or has another sign than the second.
static void test_minres__indefinite_preconditioners_are_named(void **state)
{
    const struct lcl_operator_params op = {.block_size = 1};
    const struct lcl_precond_params ic0 = {
        .type = LCL_PRECOND_IC0,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1}};
    const double dense[] = {-1, 2, 2, 4}, sides[2][2] = {{1, 2}, {1, 0}};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    for (int k = 0; k < 2; ++k) {
        struct test_solve s;
        test_solve_open_from(&s, *state, &A, &op, &ic0, &minres);
        assert_int_equal(test_solve_run(&s, sides[k]), LCL_BREAKDOWN);
        assert_int_equal(s.report.stop, LCL_STOP_INDEFINITE_PRECOND);
        assert_int_equal(s.report.iterations, 0);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
}

static void test_minres__singular_systems_are_no_success(void **state)
{
    const double zero[] = {0, 0, 0, 0}, ones[] = {1, 1, 1, 1}, b[] = {1, -1};
    struct lcl_csr A = test_csr_from_dense(2, ones);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = 0;
    test_expect_stop(*state, test_csr_from_dense(2, ones), b, &none, &minres,
                     LCL_STOP_BREAKDOWN_KRYLOV, LCL_BREAKDOWN);
    test_expect_stop(*state, A, b, &jacobi, &minres, LCL_STOP_BREAKDOWN_KRYLOV,
                     LCL_BREAKDOWN);
    test_expect_stop(*state, test_csr_from_dense(2, zero), b, &none, &minres,
                     LCL_STOP_BREAKDOWN_KRYLOV, LCL_BREAKDOWN);
}

static void test_minres__overflow_is_not_finite(void **state)
{
    const double dense[] = {1e200, 0, 0, 1e200}, b[] = {1e120, 1e120};
    test_expect_stop(*state, test_csr_from_dense(2, dense), b, &none, &minres,
                     LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

static void test_minres__requirements_on_every_solver_hold(void **state)
{
    const struct lcl_precond_params *const all[] = {&none, &jacobi};
    for (int k = 0; k < 2; ++k) {
        test_expect_zero_rhs(*state, all[k], &minres);
        test_expect_limits_kept(*state, all[k], &minres);
        test_expect_monitor_heeded(*state, all[k], &minres);
        test_expect_nan_refused(*state, all[k], &minres);
        test_expect_absolute_tolerance(*state, all[k], &minres);
        test_expect_unreachable(*state, all[k], &minres);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minres__indefinite_matrices_are_solved),
        cmocka_unit_test(test_minres__shifted_factors_are_definite),
        cmocka_unit_test(test_minres__the_diagonal_speeds_up_a_saddle_point),
        cmocka_unit_test(test_minres__new_values_are_taken),
        cmocka_unit_test(test_minres__every_preconditioner_solves_a_grid),
        cmocka_unit_test(test_minres__blocks_are_solved),
        cmocka_unit_test(
            test_minres__negative_definite_preconditioners_are_taken),
        cmocka_unit_test(test_minres__one_equation_and_identity_take_one_step),
        cmocka_unit_test(test_minres__starts_from_the_x_that_is_passed),
        cmocka_unit_test(test_minres__solves_agree_bit_for_bit),
        cmocka_unit_test(test_minres__consistent_singular_systems_are_solved),
        cmocka_unit_test(test_minres__histories_are_the_reference_s),
        cmocka_unit_test(test_minres__unsymmetric_matrices_are_refused),
        cmocka_unit_test(test_minres__unsymmetric_preconditioners_are_refused),
        cmocka_unit_test(test_minres__indefinite_preconditioners_are_named),
        cmocka_unit_test(test_minres__singular_systems_are_no_success),
        cmocka_unit_test(test_minres__overflow_is_not_finite),
        cmocka_unit_test(test_minres__requirements_on_every_solver_hold),
    };
    return test_device_run(tests);
}
