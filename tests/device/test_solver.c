// SPDX-License-Identifier: BSD-3-Clause
// The solver as its users see it: systems that it solves, and how.
#include "tests/support/device.h"
#include "tests/support/folded.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"
#include "tests/support/trisolves.h"

#include "lib/precond/precond.h"
#include "lib/ref/bicgstab.h"
#include "lib/trisolve/hec_level.h"

#include <levelcl/published.h>

#include <stdlib.h>

// Every way to precondition.
static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_ILU0, TEST_PARTS},
    {.type = LCL_PRECOND_ILDU0, TEST_PARTS},
    {.type = LCL_PRECOND_ILDU0,
     .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
     TEST_PARTS},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const struct lcl_precond_params *const ildu0 = &methods[3];

static const struct lcl_solver_params strict = {.rtol = 1e-10};

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
    test_expect_identity_at_once(*state, NULL, NULL);
}

static void test_solver__zero_right_side_gives_zero(void **state)
{
    test_expect_zero_rhs(*state, ildu0, NULL);
}

static void test_solver__starts_from_the_x_that_is_passed(void **state)
{
    struct lcl_csr A = test_random_csr(90, 4, 2);
    test_expect_start_used(*state, &A, ildu0, NULL);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ methods

static void expect_all_solve(lcl_context *ctx, struct lcl_csr A)
{
    for (int m = 0; m < METHODS; ++m)
        test_expect_solved(ctx, &A, &methods[m], &strict);
    test_csr_finish(&A);
}

static void test_solver__every_method_solves_a_grid(void **state)
{
    expect_all_solve(*state, test_laplacian(12, 11, 10));
}

static void test_solver__every_method_solves_an_unsymmetric_system(void **state)
{
    expect_all_solve(*state, test_random_csr(1500, 7, 3));
}

static void test_solver__every_method_solves_systems_of_blocks(void **state)
{
    expect_all_solve(*state, test_block_grid());
}

static void test_solver__symmetric_indefinite_systems_are_solved(void **state)
{
    struct lcl_csr A = test_laplacian(40, 1, 1);
    for (int64_t i = 20; i < 40; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = -6;
    test_expect_solved(*state, &A, NULL, &strict);
    test_csr_finish(&A);
}

static void test_solver__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr grid = test_laplacian(13, 12, 7);
    struct lcl_csr other = test_random_csr(300, 5, 4);
    for (int m = 0; m < METHODS; ++m)
        test_expect_reproducible(*state, &grid, &methods[m], NULL);
    test_expect_reproducible(*state, &other, ildu0, NULL);
    test_csr_finish(&grid);
    test_csr_finish(&other);
}

// ------------------------------------------------------------------ hec_level

static const struct lcl_precond_params hec_level = {
    .type = LCL_PRECOND_ILDU0, .trisolve = LCL_TRISOLVE_HEC_LEVEL, TEST_PARTS};

static void test_solver__hec_level_solves_systems_of_single_entries(
    void **state)
{
    struct lcl_csr grid = test_laplacian(13, 12, 7);
    struct lcl_csr other = test_random_csr(1500, 7, 3);
    test_expect_solved(*state, &grid, &hec_level, &strict);
    test_expect_solved(*state, &other, &hec_level, &strict);
    test_expect_reproducible(*state, &grid, &hec_level, NULL);
    test_csr_finish(&grid);
    test_csr_finish(&other);
}

static int iterations(lcl_context *ctx, const struct lcl_csr *A,
                      enum lcl_trisolve trisolve, int64_t rows)
{
    const struct lcl_precond_params ic0 = {
        .type = LCL_PRECOND_IC0,
        .trisolve = trisolve,
        .storage = LCL_FACTOR_STORAGE_FP64,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = rows}};
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    struct test_solve s;
    test_solve_known(&s, ctx, A, &ic0, &cg);
    const int taken = s.report.iterations;
    test_solve_close(&s);
    return taken;
}

// One launch for each level; hec_wait takes fewer.
static void test_solver__hec_level_launches_each_level(void **state)
{
    struct lcl_csr A = test_laplacian(7, 6, 5);
    const enum lcl_trisolve names[] = {LCL_TRISOLVE_HEC_LEVEL,
                                       LCL_TRISOLVE_HEC_WAIT};
    double *b = test_random_vector(A.rows, 2), *x[2];
    for (int i = 0; i < 2; ++i) {
        const struct lcl_precond_params whole = {
            .type = LCL_PRECOND_ILDU0,
            .trisolve = names[i],
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = A.rows}};
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, *state, &A, &whole), LCL_OK);
        const struct lcl_precond_info *info = lcl_precond_info(M);
        assert_int_equal(info->factors.levels_max, 7 + 6 + 5 - 2);
        if (i == 0)
            assert_int_equal(info->launches, 2 * info->factors.levels_max);
        else
            assert_in_range(info->launches, 2, 4);
        x[i] = test_vector(A.rows);
        assert_int_equal(lcl_precond_apply(M, b, x[i]), LCL_OK);
        test_precond_destroy(&M);
    }
    test_expect_near("x of hec_wait", x[1], x[0], A.rows, 1e-13);
    free(b);
    free(x[0]);
    free(x[1]);
    test_csr_finish(&A);
}

// An upper bidiagonal matrix: L has one level, although a row needs the next
// one in U. A tridiagonal one, from both ends, has half the levels.
static void test_solver__levels_are_those_of_the_publication(void **state)
{
    const enum lcl_trisolve names[] = {LCL_TRISOLVE_DAG_EC_LDS,
                                       LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
                                       LCL_TRISOLVE_HEC_LEVEL};
    const double upper[] = {2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 2};
    struct lcl_csr A = test_csr_from_dense(4, upper),
                   T = test_laplacian(9, 1, 1);
    lcl_precond *M;
    for (int i = 0; i < 3; ++i) {
        const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0,
                                                  .trisolve = names[i]};
        if (!test_trisolve_supported(*state, names[i]))
            continue;
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        assert_int_equal(lcl_precond_info(M)->factors.levels_max, 1);
        assert_int_equal(lcl_precond_info(M)->factors.elimination,
                         LCL_ELIMINATION_NATURAL);
        test_precond_destroy(&M);
    }
    for (int i = LCL_ELIMINATION_NATURAL; i < LCL_ELIMINATION_COUNT; ++i) {
        const struct lcl_precond_params params = {
            .type = LCL_PRECOND_ILDU0,
            .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
            .elimination = (enum lcl_elimination)i};
        assert_int_equal(test_precond_create(&M, *state, &T, &params), LCL_OK);
        assert_int_equal(lcl_precond_info(M)->factors.levels_max,
                         i == LCL_ELIMINATION_TWISTED ? 5 : 9);
        test_precond_destroy(&M);
    }
    test_csr_finish(&A);
    test_csr_finish(&T);
}

// The width of the ELL parts is that of the operator.
static void test_solver__hec_width_reaches_triangular_solves(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 1);
    double *b = test_random_vector(A.rows, 2), *x[2];
    for (int i = 0; i < 2; ++i) {
        const struct lcl_operator_params op = {.block_size = 1,
                                               .hec_width = i + 1};
        lcl_precond *M;
        assert_int_equal(
            test_precond_create_from(&M, *state, &A, &op, &hec_level), LCL_OK);
        const struct lcl_hec_level *H = lcl_precond_trisolve(M)->state;
        assert_int_equal(H->lower.hec.width, i + 1);
        assert_int_equal(H->upper.hec.width, i + 1);
        x[i] = test_vector(A.rows);
        assert_int_equal(lcl_precond_apply(M, b, x[i]), LCL_OK);
        test_precond_destroy(&M);
    }
    test_expect_near("x", x[1], x[0], A.rows, 1e-13);
    free(b);
    free(x[0]);
    free(x[1]);
    test_csr_finish(&A);
}

// CG, since the iterations of BiCGSTAB depend on rounding. Also with the whole
// matrix as one subdomain. For several lanes, packed eliminates in another
// order.
static void test_solver__hec_level_takes_the_iterations_of_packed(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 10);
    const int64_t rows[] = {TEST_PART_ROWS, A.rows};
    const int most = test_width(*state) > 1 ? 2 : 0;
    for (int i = 0; i < 2; ++i) {
        const int packed = iterations(*state, &A, LCL_TRISOLVE_PACKED, rows[i]);
        const int hec = iterations(*state, &A, LCL_TRISOLVE_HEC_LEVEL, rows[i]);
        assert_true(packed > 5);
        assert_in_range(hec, packed - most, packed + most);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ reference

// With factors as they are computed.
static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           struct lcl_ref_bicgstab K)
{
    enum { ROOM = 200 };
    double history[ROOM + 1];
    double *b = test_right_side(A), *x = test_vector(A->rows);
    struct lcl_precond_params params = *method;
    params.storage = LCL_FACTOR_STORAGE_FP64;
    K.rtol = 1e-8;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_bicgstab(&K, A, b, x), LCL_OK);
    const struct test_reference reference = {
        .history = history,
        .iterations = K.iterations,
        .first = 8,
        .tolerance = 1e-9,
        .least = K.iterations * 4 / 5,
        .most = K.iterations * 5 / 4 + 1,
    };
    test_expect_reference(ctx, A, &params, NULL, &reference);
    free(b);
    free(x);
}

static void test_solver__jacobi_history_is_the_reference_s(void **state)
{
    struct lcl_csr A = test_uneven_grid();
    struct test_inverse D = test_jacobi_of(&A);
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
        cmocka_unit_test(test_solver__starts_from_the_x_that_is_passed),
        cmocka_unit_test(test_solver__every_method_solves_a_grid),
        cmocka_unit_test(
            test_solver__every_method_solves_an_unsymmetric_system),
        cmocka_unit_test(test_solver__every_method_solves_systems_of_blocks),
        cmocka_unit_test(test_solver__symmetric_indefinite_systems_are_solved),
        cmocka_unit_test(test_solver__solves_agree_bit_for_bit),
        cmocka_unit_test(
            test_solver__hec_level_solves_systems_of_single_entries),
        cmocka_unit_test(test_solver__hec_level_launches_each_level),
        cmocka_unit_test(test_solver__levels_are_those_of_the_publication),
        cmocka_unit_test(test_solver__hec_width_reaches_triangular_solves),
        cmocka_unit_test(test_solver__hec_level_takes_the_iterations_of_packed),
        cmocka_unit_test(test_solver__jacobi_history_is_the_reference_s),
        cmocka_unit_test(test_solver__ilu_histories_are_the_reference_s),
    };
    return test_device_run(tests);
}
