// SPDX-License-Identifier: BSD-3-Clause
// GMRES and FGMRES as their users see them: systems that they solve, and how.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solver_checks.h"

#include "lib/ref/gmres.h"

#include <stdlib.h>

static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILDU0, TEST_PARTS},
    {.type = LCL_PRECOND_BLOCK_JACOBI},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const none = &methods[0];
static const struct lcl_precond_params *const jacobi = &methods[1];
static const struct lcl_precond_params *const ildu0 = &methods[2];

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
    struct test_solve S;
    test_solve_known(&S, ctx, A, method, params);
    if (params->basis != LCL_BASIS_FP32) {
        expect_decrease(&S.report);
        assert_int_equal(S.report.restarts,
                         (S.report.iterations - 1) / params->restart);
    }
    test_solve_close(&S);
}

static void expect_all_solve(lcl_context *ctx, struct lcl_csr A,
                             enum lcl_basis_storage basis)
{
    for (int m = 0; m < METHODS; ++m)
        for (int t = 0; t < 2; ++t)
            for (int i = 0; i < RESTARTS; ++i) {
                struct lcl_solver_params params = gmres(types[t], restarts[i]);
                params.basis = basis;
                expect_solved(ctx, &A, &methods[m], &params);
            }
    test_csr_finish(&A);
}

static void test_gmres__solves_a_grid(void **state)
{
    expect_all_solve(*state, test_laplacian(8, 9, 7), LCL_BASIS_FP64);
}

static void test_gmres__solves_an_unsymmetric_system(void **state)
{
    expect_all_solve(*state, test_random_csr(1000, 7, 3), LCL_BASIS_DEFAULT);
}

// A tolerance below the unit roundoff of the basis.
static void test_gmres__single_basis_gets_there_by_restarts(void **state)
{
    expect_all_solve(*state, test_random_csr(1000, 7, 3), LCL_BASIS_FP32);
}

static void test_gmres__solves_by_modified_gram_schmidt(void **state)
{
    struct lcl_csr A = test_random_csr(1000, 7, 3);
    for (int t = 0; t < 2; ++t)
        for (int i = 0; i < RESTARTS; ++i) {
            struct lcl_solver_params params = gmres(types[t], restarts[i]);
            params.orthogonalisation = LCL_ORTHOGONALISATION_MGS;
            expect_solved(*state, &A, ildu0, &params);
        }
    test_csr_finish(&A);
}

static void test_gmres__solves_systems_of_blocks(void **state)
{
    struct lcl_csr A = test_block_grid();
    for (int t = 0; t < 2; ++t) {
        const struct lcl_solver_params params = gmres(types[t], 40);
        expect_solved(*state, &A, ildu0, &params);
    }
    test_csr_finish(&A);
}

// Fewer rows than columns asked for: m is n.
static void test_gmres__solves_very_small_systems(void **state)
{
    for (int n = 1; n <= 9; ++n)
        for (int t = 0; t < 2; ++t) {
            const struct lcl_solver_params params = gmres(types[t], 1024);
            struct lcl_csr A = test_random_csr(n, n, (unsigned)n);
            struct test_solve S;
            test_solve_known(&S, *state, &A, none, &params);
            assert_in_range(S.report.iterations, 1, n);
            test_solve_close(&S);
            test_csr_finish(&A);
        }
}

static void test_gmres__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    for (int i = 0; i < RESTARTS; ++i) {
        const struct lcl_solver_params params =
            gmres(types[i % 2], restarts[i]);
        test_expect_reproducible(*state, &A, jacobi, &params);
    }
    test_csr_finish(&A);
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
    test_expect_start_used(*state, &A, jacobi, &params);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ reference

static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_gmres K)
{
    enum { ROOM = 900 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    struct lcl_solver_params params =
        gmres(K.flexible ? LCL_SOLVER_FGMRES : LCL_SOLVER_GMRES, K.restart);
    K.rtol = 1e-10;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_gmres(&K, A, b, x), LCL_OK);
    const struct test_reference reference = {
        .history = history,
        .iterations = K.iterations,
        .first = 20,
        .tolerance = 1e-8,
        .least = K.iterations - 2,
        .most = K.iterations + 2,
    };
    for (int o = LCL_ORTHOGONALISATION_CGS2; o < LCL_ORTHOGONALISATION_COUNT;
         ++o) {
        params.orthogonalisation = (enum lcl_orthogonalisation)o;
        test_expect_reference(ctx, A, method, &params, &reference);
    }
    free(b);
    free(x);
}

static void test_gmres__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_uneven_grid();
    struct test_inverse D = test_jacobi_of(&A);
    for (int i = 1; i < RESTARTS; ++i)
        for (int flexible = 0; flexible <= 1; ++flexible)
            expect_history(*state, &A, jacobi,
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
    struct test_inverse D = test_identity_of(&A);
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
        cmocka_unit_test(test_gmres__solves_by_modified_gram_schmidt),
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
