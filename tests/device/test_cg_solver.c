// SPDX-License-Identifier: BSD-3-Clause
// CG and IC(0) as their users see them.
#include "tests/support/device.h"
#include "tests/support/folded.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include "lib/ref/cg.h"
#include "lib/ref/coarse.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All on subdomains of one size: each size is another kernel to compile.
enum { ROWS = 120 };

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
static const struct lcl_solver_params published = {.type =
                                                       LCL_SOLVER_CG_PUBLISHED};

static struct lcl_precond_params ic0(enum lcl_coarse coarse)
{
    return (struct lcl_precond_params){
        .type = LCL_PRECOND_IC0,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = ROWS},
        .coarse = coarse,
        .storage = LCL_FACTOR_STORAGE_FP64, // as the reference's factors
    };
}

static const enum lcl_coarse coarses[] = {LCL_COARSE_NONE, LCL_COARSE_ADD,
                                          LCL_COARSE_MULT};

// ------------------------------------------------------------------ solutions

static void expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                          const struct lcl_precond_params *method,
                          enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type, .rtol = 1e-10};
    double *b = test_right_side(A);
    struct test_solve s;
    test_solve_open(&s, ctx, A, method, &params);
    for (int again = 0; again < 2; ++again) {
        memset(s.x, 0, (size_t)A->rows * sizeof *s.x);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        for (int64_t i = 0; i < A->rows; ++i)
            if (!(fabs(s.x[i] - (double)(1 + i % 7)) < 1e-6))
                fail_msg("x[%lld]: got %g", (long long)i, s.x[i]);
    }
    test_solve_close(&s);
    free(b);
}

static void test_cg__every_preconditioner_solves_a_grid(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 10);
    expect_solved(*state, &A, &none, LCL_SOLVER_CG);
    expect_solved(*state, &A, &none, LCL_SOLVER_CG_PUBLISHED);
    expect_solved(*state, &A, &jacobi, LCL_SOLVER_CG);
    for (int c = 0; c < 3; ++c) {
        struct lcl_precond_params params = ic0(coarses[c]);
        expect_solved(*state, &A, &params, LCL_SOLVER_CG);
        params.type = LCL_PRECOND_ILU0;
        expect_solved(*state, &A, &params, LCL_SOLVER_CG);
    }
    test_csr_finish(&A);
}

static void test_cg__blocks_are_solved(void **state)
{
    struct lcl_csr grid = test_laplacian(7, 6, 5);
    struct lcl_csr A = test_expand_blocks(&grid, 3);
    for (int64_t i = 0; i < A.rows; ++i) // made symmetric
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = A.col_ind[k] == i ? 20 : -0.5;
    struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    params.block_size = 3;
    params.partition.rows = ROWS / 3;
    expect_solved(*state, &A, &params, LCL_SOLVER_CG);
    test_csr_finish(&A);
    test_csr_finish(&grid);
}

static void test_cg__one_equation_and_identity_take_one_step(void **state)
{
    for (int64_t n = 1; n <= 50; n += 49) {
        struct lcl_csr A = test_identity(n);
        double *b = test_random_vector(n, 1);
        for (int k = 0; k < 2; ++k) {
            struct test_solve s;
            test_solve_open(&s, *state, &A, &none, k ? &cg : &published);
            assert_int_equal(test_solve_run(&s, b), LCL_OK);
            assert_int_equal(s.report.iterations, 1);
            assert_true(s.report.history[0] == 1);
            test_expect_near("x", s.x, b, n, 1e-14);
            test_solve_close(&s);
        }
        test_csr_finish(&A);
        free(b);
    }
}

static void test_cg__solution_as_start_takes_no_iteration(void **state)
{
    struct lcl_csr A = test_laplacian(9, 9, 9);
    const struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    double *b = test_right_side(&A), *x = test_vector(A.rows);
    struct test_solve s;
    test_solve_open(&s, *state, &A, &params, &cg);
    for (int64_t i = 0; i < A.rows; ++i)
        x[i] = s.x[i] = (double)(1 + i % 7);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, 0);
    test_expect_same("x", s.x, x, A.rows);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
    free(x);
}

static void test_cg__two_solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    double *b = test_right_side(&A);
    for (int c = 0; c < 3; ++c) {
        const struct lcl_precond_params params = ic0(coarses[c]);
        struct test_solve s[2];
        for (int i = 0; i < 2; ++i) {
            test_solve_open(&s[i], *state, &A, &params, &cg);
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

static void test_cg__one_preconditioner_serves_both_methods(void **state)
{
    const struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    struct lcl_csr A = test_laplacian(12, 12, 12);
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, *state, &A, &params, NULL);
    lcl_solver *other, *bicgstab = s.S;
    assert_int_equal(lcl_solver_create(&other, s.M, &cg), LCL_OK);
    for (int k = 0; k < 4; ++k) {
        s.S = k % 2 ? other : bicgstab;
        memset(s.x, 0, (size_t)A.rows * sizeof *s.x);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
    }
    s.S = bicgstab;
    lcl_solver_destroy(&other);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ reference

static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           const struct lcl_solver_params *params,
                           struct lcl_ref_cg K, double *x)
{
    enum { ROOM = 300 };
    double history[ROOM + 1];
    double *b = test_right_side(A);
    struct test_solve s;
    K.rtol = 1e-8;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_cg(&K, A, b, x), LCL_OK);
    test_solve_open(&s, ctx, A, method, params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_expect_history(&s.report, history, K.iterations, 1e-8);
    assert_in_range(s.report.iterations, K.iterations - 1, K.iterations + 1);
    test_solve_close(&s);
    free(b);
}

// A diagonal that varies, so that Jacobi does something.
static struct lcl_csr varied_grid(void)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] += (double)(i % 5) / 4;
    return A;
}

static void test_cg__histories_are_the_reference_s(void **state)
{
    struct lcl_csr A = varied_grid();
    struct test_inverse D = {.n = A.rows};
    unsigned char bad[1000];
    const struct lcl_ref_cg K = {.apply = test_apply_inverse, .user = &D};
    double x[1000] = {0}, y[1000] = {0}, z[1000] = {0};
    lcl_ref_jacobi(&A, D.inv_d, bad);
    expect_history(*state, &A, &jacobi, &cg, K, x);
    for (int i = 0; i < 1000; ++i)
        D.inv_d[i] = 1;
    expect_history(*state, &A, &none, &cg, K, y);
    expect_history(*state, &A, &none, &published, K, z);
    test_csr_finish(&A);
}

struct reference {
    struct test_folded factors;
    struct lcl_ref_coarse C;
};

static void apply_deflated(void *user, const double *r, double *z)
{
    struct reference *R = user;
    const struct lcl_ref_inner inner = {test_folded_apply, &R->factors};
    lcl_ref_coarse_deflated(&R->C, &inner, r, z);
}

static void apply_added(void *user, const double *r, double *z)
{
    struct reference *R = user;
    const struct lcl_ref_inner inner = {test_folded_apply, &R->factors};
    lcl_ref_coarse_add(&R->C, &inner, r, z);
}

static void test_cg__corrected_histories_are_the_reference_s(void **state)
{
    enum { PARTS = 12 };
    struct lcl_csr A = test_laplacian(12, 12, 10);
    int32_t label[PARTS * ROWS];
    double *x = test_vector(A.rows), *y = test_vector(A.rows);
    double *b = test_right_side(&A), *z = test_vector(A.rows);
    struct reference R;
    const struct lcl_precond_params method[] = {
        ic0(LCL_COARSE_NONE), ic0(LCL_COARSE_ADD), ic0(LCL_COARSE_MULT)};
    for (int i = 0; i < PARTS * ROWS; ++i)
        label[i] = i / ROWS;
    test_folded_init(&R.factors, *state, &A, ROWS, &method[0]);
    assert_int_equal(lcl_ref_coarse_init(&R.C, &A, label, PARTS, 1), LCL_OK);
    struct lcl_ref_cg K = {.apply = test_folded_apply, .user = &R.factors};
    expect_history(*state, &A, &method[0], &cg, K, x);
    K = (struct lcl_ref_cg){.apply = apply_added, .user = &R};
    expect_history(*state, &A, &method[1], &cg, K, y);
    K.apply = apply_deflated;
    lcl_ref_coarse_start(&R.C, b, z);
    expect_history(*state, &A, &method[2], &cg, K, z);
    lcl_ref_coarse_finish(&R.C);
    test_folded_finish(&R.factors);
    test_csr_finish(&A);
    free(b);
    free(x);
    free(y);
    free(z);
}

static void test_cg__deflation_takes_fewer_iterations(void **state)
{
    int iterations[3];
    struct lcl_csr A = test_laplacian(18, 18, 18);
    double *b = test_random_vector(A.rows, 3);
    for (int c = 0; c < 3; ++c) {
        struct lcl_precond_params params = ic0(coarses[c]);
        params.partition = (struct lcl_partition_params){
            .type = LCL_PARTITION_GEOMETRIC, .box = {6, 6, 3}};
        struct test_solve s;
        test_solve_open(&s, *state, &A, &params, &cg);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        iterations[c] = s.report.iterations;
        test_solve_close(&s);
    }
    print_message("none %d, add %d, mult %d iterations\n", iterations[0],
                  iterations[1], iterations[2]);
    assert_true(iterations[2] < iterations[0] * 4 / 5);
    assert_true(iterations[2] < iterations[1]);
    test_csr_finish(&A);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg__every_preconditioner_solves_a_grid),
        cmocka_unit_test(test_cg__blocks_are_solved),
        cmocka_unit_test(test_cg__one_equation_and_identity_take_one_step),
        cmocka_unit_test(test_cg__solution_as_start_takes_no_iteration),
        cmocka_unit_test(test_cg__two_solves_agree_bit_for_bit),
        cmocka_unit_test(test_cg__one_preconditioner_serves_both_methods),
        cmocka_unit_test(test_cg__histories_are_the_reference_s),
        cmocka_unit_test(test_cg__corrected_histories_are_the_reference_s),
        cmocka_unit_test(test_cg__deflation_takes_fewer_iterations),
    };
    return test_device_run(tests);
}
