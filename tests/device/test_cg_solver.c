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
    enum { FIRST = 8, ROOM = 300 };
    double history[ROOM + 1];
    double *b = test_right_side(A);
    struct test_solve s;
    K.rtol = 1e-8;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_cg(&K, A, b, x), LCL_OK);
    test_solve_open(&s, ctx, A, method, params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    for (int i = 0; i < FIRST && i <= K.iterations; ++i)
        if (!(fabs(s.report.history[i] - history[i]) <= 1e-8 * history[i]))
            fail_msg("history[%d]: got %.17g, expected %.17g", i,
                     s.report.history[i], history[i]);
    assert_in_range(s.report.iterations, K.iterations - 1, K.iterations + 1);
    test_solve_close(&s);
    free(b);
}

struct diagonal {
    int64_t n;
    double inv_d[1000];
};

static void apply_diagonal(void *user, const double *r, double *z)
{
    const struct diagonal *D = user;
    for (int64_t i = 0; i < D->n; ++i)
        z[i] = D->inv_d[i] * r[i];
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
    struct diagonal D = {.n = A.rows};
    unsigned char bad[1000];
    const struct lcl_ref_cg K = {.apply = apply_diagonal, .user = &D};
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

// ------------------------------------------------------------------ refusals

static void test_cg__other_matrices_than_symmetric_ones_are_refused(
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
    const struct lcl_precond_params params = ic0(LCL_COARSE_NONE);
    assert_int_equal(lcl_precond_create(&M, *state, &A, &params),
                     LCL_EUNSUPPORTED);
    assert_null(M);
    assert_int_equal(lcl_precond_create(&M, *state, &A, &none), LCL_OK);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(lcl_solver_create(&S, M, k ? &cg : &published),
                         LCL_OK);
        for (int again = 0; again < 2; ++again)
            assert_int_equal(lcl_solver_solve(S, b, x, &report),
                             LCL_EUNSUPPORTED);
        test_expect_same("x", x, zero, A.rows);
        assert_int_equal(report.iterations, 77);
        lcl_solver_destroy(&S);
    }
    // other values, other symmetry
    assert_int_equal(lcl_solver_create(&S, M, &cg), LCL_OK);
    A.val[1] = entry;
    assert_int_equal(lcl_precond_update(M, A.val), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    A.val[1] = 2 * entry;
    assert_int_equal(lcl_precond_update(M, A.val), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_EUNSUPPORTED);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    test_csr_finish(&A);
    free(b);
    free(x);
    free(zero);
}

static void test_cg__the_published_loop_has_no_preconditioner(void **state)
{
    struct lcl_csr A = test_laplacian(4, 4, 4);
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(lcl_precond_create(&M, *state, &A, &jacobi), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, M, &published), LCL_EUNSUPPORTED);
    assert_null(S);
    lcl_precond_destroy(&M);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ stops

// Solves A x = b; A is freed. x is finite whatever happens.
static void expect_stop(lcl_context *ctx, struct lcl_csr A, const double *b,
                        const struct lcl_precond_params *method,
                        const struct lcl_solver_params *params,
                        enum lcl_stop stop, enum lcl_status status)
{
    struct test_solve s;
    test_solve_open(&s, ctx, &A, method, params);
    assert_int_equal(test_solve_run(&s, b), status);
    if (s.report.stop != stop)
        fail_msg("got %s, expected %s", lcl_stop_name(s.report.stop),
                 lcl_stop_name(stop));
    for (int64_t i = 0; i < A.rows; ++i)
        assert_true(isfinite(s.x[i]));
    test_solve_close(&s);
    test_csr_finish(&A);
}

static void expect_both(lcl_context *ctx, const double *dense, const double *b,
                        enum lcl_stop stop, enum lcl_status status)
{
    expect_stop(ctx, test_csr_from_dense(2, dense), b, &none, &cg, stop,
                status);
    expect_stop(ctx, test_csr_from_dense(2, dense), b, &none, &published, stop,
                status);
}

static void test_cg__indefinite_matrices_are_named(void **state)
{
    const double negative[] = {-2, 0, 0, -1}, saddle[] = {1, 2, 2, 1};
    const double swap[] = {0, 1, 1, 0}, b[] = {1, 0}, c[] = {1, -1};
    expect_both(*state, negative, b, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
    expect_both(*state, saddle, c, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
    expect_both(*state, swap, b, LCL_STOP_INDEFINITE_MATRIX, LCL_BREAKDOWN);
}

// The step before is kept: the first direction has curvature, the second none.
static void test_cg__x_is_the_last_sound_iterate(void **state)
{
    const double dense[] = {4, 0, 0, -1}, b[] = {2, 1};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    // alpha = <r, r> / <r, A r> = 5 / 15
    const double expected[] = {2.0 / 3, 1.0 / 3};
    for (int k = 0; k < 2; ++k) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, &none, k ? &cg : &published);
        assert_int_equal(test_solve_run(&s, b), LCL_BREAKDOWN);
        assert_int_equal(s.report.stop, LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(s.report.iterations, 1);
        test_expect_near("x", s.x, expected, 2, 1e-15);
        test_solve_close(&s);
    }
    test_csr_finish(&A);
}

static void test_cg__indefinite_preconditioners_are_named(void **state)
{
    const double dense[] = {-1, 2, 2, -1}, b[] = {1, 0};
    expect_stop(*state, test_csr_from_dense(2, dense), b, &jacobi, &cg,
                LCL_STOP_INDEFINITE_PRECOND, LCL_BREAKDOWN);
}

static void test_cg__overflow_is_not_finite(void **state)
{
    const double dense[] = {1e200, 0, 0, 1e200}, b[] = {1e120, 1e120};
    expect_both(*state, dense, b, LCL_STOP_NOT_FINITE, LCL_NOT_FINITE);
}

static void test_cg__zero_right_side_gives_zero(void **state)
{
    const double b[2] = {0}, dense[] = {2, 1, 1, 2};
    expect_both(*state, dense, b, LCL_STOP_ZERO_RHS, LCL_OK);
}

static void test_cg__iteration_limit_is_kept(void **state)
{
    for (int type = LCL_SOLVER_CG; type <= LCL_SOLVER_CG_PUBLISHED; ++type)
        for (int limit = 1; limit <= 9; limit += 4) {
            const struct lcl_solver_params params = {
                .type = (enum lcl_solver_type)type, .max_iters = limit};
            struct lcl_csr A = test_laplacian(20, 20, 1);
            double *b = test_right_side(&A);
            struct test_solve s;
            test_solve_open(&s, *state, &A, &none, &params);
            assert_int_equal(test_solve_run(&s, b), LCL_ITERATION_LIMIT);
            assert_int_equal(s.report.stop, LCL_STOP_MAX_ITERS);
            assert_int_equal(s.report.iterations, limit);
            // x is that of the last residual
            assert_true(fabs(s.report.true_residual - s.report.residual) <=
                        1e-12);
            test_solve_close(&s);
            test_csr_finish(&A);
            free(b);
        }
}

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    (void)info;
    return ++*(int *)user < 2;
}

static void test_cg__monitor_stops_the_solve(void **state)
{
    for (int type = LCL_SOLVER_CG; type <= LCL_SOLVER_CG_PUBLISHED; ++type) {
        int calls = 0;
        const struct lcl_solver_params params = {
            .type = (enum lcl_solver_type)type,
            .rtol = 1e-13,
            .monitor = stop_at_once,
            .monitor_user = &calls,
        };
        struct lcl_csr A = test_laplacian(16, 16, 16);
        double *b = test_right_side(&A);
        expect_stop(*state, A, b, &none, &params, LCL_STOP_MONITOR,
                    LCL_ITERATION_LIMIT);
        assert_int_equal(calls, 2);
        free(b);
    }
}

static void test_cg__unreachable_tolerance_is_no_success(void **state)
{
    const struct lcl_precond_params methods[] = {none, ic0(LCL_COARSE_MULT)};
    for (int m = 0; m < 2; ++m) {
        const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                                 .rtol = 1e-30};
        struct lcl_csr A = test_laplacian(9, 9, 9);
        double *b = test_right_side(&A);
        struct test_solve s;
        test_solve_open(&s, *state, &A, &methods[m], &params);
        assert_true(test_solve_run(&s, b) > 0);
        assert_true(s.report.true_residual < 1e-12);
        test_solve_close(&s);
        test_csr_finish(&A);
        free(b);
    }
}

// ------------------------------------------------------------------ IC(0)

static void test_cg__ic0_tells_of_negative_pivots(void **state)
{
    struct lcl_precond_params params = ic0(LCL_COARSE_NONE);
    const double dense[] = {1, 2, 2, 1};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    lcl_precond *M;
    params.block_size = 1;
    assert_int_equal(lcl_precond_create(&M, *state, &A, &params),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 1);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0], 1);
    assert_int_equal(lcl_precond_info(M)->type, LCL_PRECOND_IC0);
    lcl_precond_destroy(&M);
    params.pivot = LCL_PIVOT_FAIL;
    assert_int_equal(lcl_precond_create(&M, *state, &A, &params), LCL_EPIVOT);
    test_csr_finish(&A);
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
        cmocka_unit_test(
            test_cg__other_matrices_than_symmetric_ones_are_refused),
        cmocka_unit_test(test_cg__the_published_loop_has_no_preconditioner),
        cmocka_unit_test(test_cg__indefinite_matrices_are_named),
        cmocka_unit_test(test_cg__x_is_the_last_sound_iterate),
        cmocka_unit_test(test_cg__indefinite_preconditioners_are_named),
        cmocka_unit_test(test_cg__overflow_is_not_finite),
        cmocka_unit_test(test_cg__zero_right_side_gives_zero),
        cmocka_unit_test(test_cg__iteration_limit_is_kept),
        cmocka_unit_test(test_cg__monitor_stops_the_solve),
        cmocka_unit_test(test_cg__unreachable_tolerance_is_no_success),
        cmocka_unit_test(test_cg__ic0_tells_of_negative_pivots),
    };
    return test_device_run(tests);
}
