// SPDX-License-Identifier: BSD-3-Clause
// The solver as its users see it: systems that it solves, and how.
#include "tests/support/device.h"
#include "tests/support/folded.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include "lib/ref/bicgstab.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS                                                                  \
 {                                                                             \
  .type = LCL_PARTITION_NATURAL, .rows = 120                                   \
 }

// Every way to precondition, all on subdomains of one size: each size is
// another kernel to compile.
static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILU0, .partition = PARTS},
    {.type = LCL_PRECOND_ILDU0, .partition = PARTS},
    {.type = LCL_PRECOND_ILDU0,
     .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
     .partition = PARTS},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const ildu0 = &methods[3];

// ------------------------------------------------------------------ small ones

static void test_solver__solves_one_equation(void **state)
{
    const double b = 2;
    struct lcl_csr A = test_identity(1);
    A.val[0] = 4;
    for (int m = 0; m < METHODS; ++m) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, &methods[m], NULL);
        assert_int_equal(test_solve_run(&s, &b), LCL_OK);
        assert_true(s.x[0] == 0.5);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
}

static void test_solver__identity_takes_one_iteration(void **state)
{
    struct lcl_csr A = test_identity(50);
    double *b = test_random_vector(50, 1);
    struct test_solve s;
    test_solve_open(&s, *state, &A, NULL, NULL);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, 1);
    assert_int_equal(s.report.stop, LCL_STOP_RTOL);
    assert_true(s.report.history[0] == 1);
    test_expect_near("x", s.x, b, 50, 1e-14);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

static void test_solver__zero_right_side_gives_zero(void **state)
{
    const double b[20] = {0};
    struct lcl_csr A = test_random_csr(20, 3, 1);
    struct test_solve s;
    test_solve_open(&s, *state, &A, ildu0, NULL);
    s.x[3] = 7;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.stop, LCL_STOP_ZERO_RHS);
    assert_int_equal(s.report.iterations, 0);
    test_expect_same("x", s.x, b, 20);
    test_solve_close(&s);
    test_csr_finish(&A);
}

static void test_solver__solution_as_start_takes_no_iteration(void **state)
{
    struct lcl_csr A = test_random_csr(90, 4, 2);
    double *b = test_right_side(&A), x[90];
    struct test_solve s;
    test_solve_open(&s, *state, &A, ildu0, NULL);
    for (int i = 0; i < 90; ++i)
        x[i] = s.x[i] = 1 + i % 7;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, 0);
    test_expect_same("x", s.x, x, 90);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ methods

static void expect_solved(lcl_context *ctx, struct lcl_csr A,
                          const struct lcl_precond_params *method)
{
    const struct lcl_solver_params params = {.rtol = 1e-10};
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, method, &params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_true(s.report.history[0] == 1);
    for (int64_t i = 0; i < A.rows; ++i)
        if (!(fabs(s.x[i] - (double)(1 + i % 7)) < 1e-6))
            fail_msg("x[%lld]: got %g", (long long)i, s.x[i]);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

static void test_solver__every_method_solves_a_grid(void **state)
{
    for (int m = 0; m < METHODS; ++m)
        expect_solved(*state, test_laplacian(12, 11, 10), &methods[m]);
}

static void test_solver__every_method_solves_an_unsymmetric_system(void **state)
{
    for (int m = 0; m < METHODS; ++m)
        expect_solved(*state, test_random_csr(1500, 7, 3), &methods[m]);
}

static void test_solver__symmetric_indefinite_systems_are_solved(void **state)
{
    struct lcl_csr A = test_laplacian(40, 1, 1);
    for (int64_t i = 20; i < 40; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = -6;
    expect_solved(*state, A, NULL);
}

static void test_solver__two_solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    double *b = test_right_side(&A);
    for (int m = 0; m < METHODS; ++m) {
        struct test_solve s[2];
        for (int i = 0; i < 2; ++i) {
            test_solve_open(&s[i], *state, &A, &methods[m], NULL);
            assert_int_equal(test_solve_run(&s[i], b), LCL_OK);
        }
        assert_int_equal(s[0].report.iterations, s[1].report.iterations);
        test_expect_same("history", s[1].report.history, s[0].report.history,
                         s[0].report.history_count);
        test_expect_same("x", s[1].x, s[0].x, A.rows);
        test_solve_close(&s[0]);
        test_solve_close(&s[1]);
    }
    test_csr_finish(&A);
    free(b);
}

static void test_solver__a_second_solve_starts_afresh(void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 4);
    double *b = test_right_side(&A), *first = test_vector(A.rows);
    struct test_solve s;
    test_solve_open(&s, *state, &A, ildu0, NULL);
    for (int i = 0; i < 2; ++i) {
        memset(s.x, 0, (size_t)A.rows * sizeof *s.x);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        if (i == 0)
            memcpy(first, s.x, (size_t)A.rows * sizeof *s.x);
    }
    test_expect_same("x", s.x, first, A.rows);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(first);
    free(b);
}

// ------------------------------------------------------------------ reference

// Runs the reference and expects the device's history, with factors as they are
// computed, to follow it for the first iterations, before rounding has grown.
static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_bicgstab K)
{
    enum { ROOM = 200 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    struct lcl_precond_params params = *method;
    struct test_solve s;
    params.storage = LCL_FACTOR_STORAGE_FP64;
    K.rtol = 1e-8;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_bicgstab(&K, A, b, x), LCL_OK);
    test_solve_open(&s, ctx, A, &params, NULL);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_expect_history(&s.report, history, K.iterations, 1e-9);
    assert_in_range(s.report.iterations, K.iterations * 4 / 5,
                    K.iterations * 5 / 4 + 1);
    test_solve_close(&s);
    free(b);
    free(x);
}

static void test_solver__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    struct test_inverse D = {.n = A.rows};
    unsigned char bad[1000];
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + (double)(k % 5) / 100;
    lcl_ref_jacobi(&A, D.inv_d, bad);
    expect_history(
        *state, &A, &methods[1],
        (struct lcl_ref_bicgstab){.apply = test_apply_inverse, .user = &D});
    test_csr_finish(&A);
}

static void test_solver__ilu_histories_are_the_reference_s(void **state)
{
    struct lcl_csr A = test_random_csr(1200, 8, 9);
    for (int m = 2; m < METHODS; ++m) {
        struct test_folded T;
        test_folded_init(&T, *state, &A, 120, &methods[m]);
        expect_history(
            *state, &A, &methods[m],
            (struct lcl_ref_bicgstab){.apply = test_folded_apply, .user = &T});
        test_folded_finish(&T);
    }
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solver__solves_one_equation),
        cmocka_unit_test(test_solver__identity_takes_one_iteration),
        cmocka_unit_test(test_solver__zero_right_side_gives_zero),
        cmocka_unit_test(test_solver__solution_as_start_takes_no_iteration),
        cmocka_unit_test(test_solver__every_method_solves_a_grid),
        cmocka_unit_test(
            test_solver__every_method_solves_an_unsymmetric_system),
        cmocka_unit_test(test_solver__symmetric_indefinite_systems_are_solved),
        cmocka_unit_test(test_solver__two_solves_agree_bit_for_bit),
        cmocka_unit_test(test_solver__a_second_solve_starts_afresh),
        cmocka_unit_test(test_solver__jacobi_history_is_the_reference_s),
        cmocka_unit_test(test_solver__ilu_histories_are_the_reference_s),
    };
    return test_device_run(tests);
}
