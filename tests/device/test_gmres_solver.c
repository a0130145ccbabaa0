// SPDX-License-Identifier: BSD-3-Clause
// GMRES and FGMRES as their users see them: systems that they solve, and how.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include "lib/ref/gmres.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILDU0,
     .partition = {.type = LCL_PARTITION_NATURAL, .rows = 120}},
    {.type = LCL_PRECOND_BLOCK_JACOBI},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const none = &methods[0];

static const enum lcl_solver_type types[] = {LCL_SOLVER_GMRES,
                                             LCL_SOLVER_FGMRES};

static const int restarts[] = {1, 5, 30, 40};
enum { RESTARTS = sizeof restarts / sizeof *restarts };

static struct lcl_solver_params gmres(enum lcl_solver_type type, int restart)
{
    return (struct lcl_solver_params){
        .type = type, .rtol = 1e-10, .restart = restart};
}

// ------------------------------------------------------------------ solving

// Within a cycle the residual does not grow, whatever its storage.
static void expect_decrease(const struct lcl_report *report)
{
    for (int i = 1; i < report->history_count; ++i)
        if (!(report->history[i] <= report->history[i - 1] * (1 + 1e-6)))
            fail_msg("history[%d]: %g after %g", i, report->history[i],
                     report->history[i - 1]);
}

static void expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                          const struct lcl_precond_params *method,
                          const struct lcl_solver_params *params)
{
    double *b = test_right_side(A);
    struct test_solve S;
    test_solve_open(&S, ctx, A, method, params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_true(S.report.history[0] == 1);
    if (params->basis != LCL_BASIS_FP32) {
        expect_decrease(&S.report);
        assert_int_equal(S.report.restarts,
                         (S.report.iterations - 1) / params->restart);
    }
    for (int64_t i = 0; i < A->rows; ++i)
        if (!(fabs(S.x[i] - (double)(1 + i % 7)) < 1e-6))
            fail_msg("x[%lld]: got %g", (long long)i, S.x[i]);
    test_solve_close(&S);
    free(b);
}

static void expect_all_solve(lcl_context *ctx, const struct lcl_csr *A,
                             enum lcl_basis_storage basis)
{
    for (int m = 0; m < METHODS; ++m)
        for (int t = 0; t < 2; ++t)
            for (int i = 0; i < RESTARTS; ++i) {
                struct lcl_solver_params params = gmres(types[t], restarts[i]);
                params.basis = basis;
                expect_solved(ctx, A, &methods[m], &params);
            }
}

static void test_gmres__solves_a_grid(void **state)
{
    struct lcl_csr A = test_laplacian(8, 9, 7);
    expect_all_solve(*state, &A, LCL_BASIS_FP64);
    test_csr_finish(&A);
}

static void test_gmres__solves_an_unsymmetric_system(void **state)
{
    struct lcl_csr A = test_random_csr(1000, 7, 3);
    expect_all_solve(*state, &A, LCL_BASIS_DEFAULT);
    test_csr_finish(&A);
}

// A tolerance below the unit roundoff of the basis.
static void test_gmres__single_basis_gets_there_by_restarts(void **state)
{
    struct lcl_csr A = test_random_csr(1000, 7, 3);
    expect_all_solve(*state, &A, LCL_BASIS_FP32);
    test_csr_finish(&A);
}

static void test_gmres__solves_systems_of_blocks(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct lcl_csr blocks = test_expand_blocks(&A, 3);
    const struct lcl_solver_params plain = gmres(LCL_SOLVER_GMRES, 40),
                                   flexible = gmres(LCL_SOLVER_FGMRES, 40);
    for (int64_t i = 0; i < blocks.rows; ++i)
        for (int64_t k = blocks.row_ptr[i]; k < blocks.row_ptr[i + 1]; ++k)
            if (blocks.col_ind[k] == i)
                blocks.val[k] = 40;
    expect_solved(*state, &blocks, &methods[2], &plain);
    expect_solved(*state, &blocks, &methods[2], &flexible);
    test_csr_finish(&blocks);
    test_csr_finish(&A);
}

// Fewer rows than columns asked for: m is n.
static void test_gmres__solves_very_small_systems(void **state)
{
    for (int n = 1; n <= 9; ++n)
        for (int t = 0; t < 2; ++t) {
            const struct lcl_solver_params params = gmres(types[t], 1024);
            struct lcl_csr A = test_random_csr(n, n, (unsigned)n);
            double *b = test_right_side(&A);
            struct test_solve S;
            test_solve_open(&S, *state, &A, none, &params);
            assert_int_equal(test_solve_run(&S, b), LCL_OK);
            assert_in_range(S.report.iterations, 1, n);
            test_solve_close(&S);
            test_csr_finish(&A);
            free(b);
        }
}

static void test_gmres__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    double *b = test_right_side(&A);
    for (int i = 0; i < RESTARTS; ++i) {
        const struct lcl_solver_params params =
            gmres(types[i % 2], restarts[i]);
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

// Entries of 1e-150, solutions of 1e300; squares stay in range.
static void test_gmres__scaled_systems_are_solved(void **state)
{
    static const double scales[][2] = {
        {1e-150, 1}, {1e150, 1}, {1, 1e-150}, {1, 1e150}, {1e-100, 1e100}};
    for (int i = 0; i < 5; ++i) {
        const struct lcl_solver_params params = gmres(types[i % 2], 30);
        struct lcl_csr A = test_random_csr(300, 5, 8);
        double *b = test_right_side(&A);
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] *= scales[i][0];
        for (int64_t k = 0; k < A.rows; ++k)
            b[k] *= scales[i][1];
        struct test_solve S;
        test_solve_open(&S, *state, &A, &methods[i % 2], &params);
        assert_int_equal(test_solve_run(&S, b), LCL_OK);
        assert_int_equal(S.report.stop, LCL_STOP_RTOL);
        test_solve_close(&S);
        test_csr_finish(&A);
        free(b);
    }
}

static void test_gmres__starts_from_the_x_that_is_passed(void **state)
{
    const struct lcl_solver_params params = gmres(LCL_SOLVER_GMRES, 10);
    struct lcl_csr A = test_random_csr(300, 5, 8);
    double *b = test_right_side(&A);
    struct test_solve S;
    test_solve_open(&S, *state, &A, &methods[1], &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    const int first = S.report.iterations;
    for (int64_t i = 0; i < A.rows; ++i)
        S.x[i] *= 1 + 1e-6;
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    assert_in_range(S.report.iterations, 1, first - 1);
    test_solve_close(&S);
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ reference

// The device's history follows that of the reference for the first products,
// before rounding has grown.
static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_gmres K)
{
    enum { FIRST = 20, ROOM = 900 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    const struct lcl_solver_params params =
        gmres(K.flexible ? LCL_SOLVER_FGMRES : LCL_SOLVER_GMRES, K.restart);
    struct test_solve S;
    K.rtol = 1e-10;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_gmres(&K, A, b, x), LCL_OK);
    test_solve_open(&S, ctx, A, method, &params);
    assert_int_equal(test_solve_run(&S, b), LCL_OK);
    test_expect_history(&S.report, history,
                        K.iterations < FIRST ? K.iterations : FIRST, 1e-8);
    assert_in_range(S.report.iterations, K.iterations - 2, K.iterations + 2);
    test_solve_close(&S);
    free(b);
    free(x);
}

static void test_gmres__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    struct test_inverse D = {.n = A.rows};
    unsigned char bad[1000];
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + (double)(k % 5) / 100;
    lcl_ref_jacobi(&A, D.inv_d, bad);
    for (int i = 1; i < RESTARTS; ++i)
        for (int flexible = 0; flexible <= 1; ++flexible)
            expect_history(*state, &A, &methods[1],
                           (struct lcl_ref_gmres){.apply = test_apply_inverse,
                                                  .user = &D,
                                                  .restart = restarts[i],
                                                  .flexible = flexible});
    test_csr_finish(&A);
}

static void test_gmres__unpreconditioned_history_is_the_reference_s(
    void **state)
{
    struct lcl_csr A = test_random_csr(1000, 8, 9);
    struct test_inverse D = {.n = A.rows};
    for (int i = 0; i < 1000; ++i)
        D.inv_d[i] = 1;
    expect_history(*state, &A, none,
                   (struct lcl_ref_gmres){
                       .apply = test_apply_inverse, .user = &D, .restart = 12});
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmres__solves_a_grid),
        cmocka_unit_test(test_gmres__solves_an_unsymmetric_system),
        cmocka_unit_test(test_gmres__single_basis_gets_there_by_restarts),
        cmocka_unit_test(test_gmres__solves_systems_of_blocks),
        cmocka_unit_test(test_gmres__solves_very_small_systems),
        cmocka_unit_test(test_gmres__solves_agree_bit_for_bit),
        cmocka_unit_test(test_gmres__scaled_systems_are_solved),
        cmocka_unit_test(test_gmres__starts_from_the_x_that_is_passed),
        cmocka_unit_test(test_gmres__jacobi_history_is_the_reference_s),
        cmocka_unit_test(
            test_gmres__unpreconditioned_history_is_the_reference_s),
    };
    return test_device_run(tests);
}
