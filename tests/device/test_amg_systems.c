// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid for systems: blocks, near-null vectors, rigid body modes.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"
#include "tests/support/solving.h"
#include "tests/support/systems.h"

#include "lib/precond/precond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
static const struct lcl_precond_params deep = {.type = LCL_PRECOND_AMG,
                                               .amg = {.coarse_rows = 60}};
static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};

// Solves with a random right-hand side and a multigrid that is made after A was
// given the vectors B. Returns the iterations.
static int iterations_with(lcl_context *ctx, const struct lcl_csr *A, int block,
                           const struct lcl_precond_params *params,
                           const struct lcl_dense *B)
{
    const struct lcl_operator_params op = {.block_size = block};
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    struct test_solve s;
    lcl_precond *M;
    double *b = test_random_vector(A->rows, 6);
    test_solve_open_from(&s, ctx, A, &op, &none, &cg);
    lcl_operator *P = test_precond_operator(s.M);
    assert_int_equal(lcl_operator_set_near_nullspace(P, B), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, P, params), LCL_OK);
    lcl_solver_destroy(&s.S);
    assert_int_equal(lcl_solver_create(&s.S, P, M, &cg), LCL_OK);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int taken = s.report.iterations;
    lcl_solver_destroy(&s.S);
    lcl_precond_destroy(&M);
    test_solve_close(&s);
    free(b);
    return taken;
}

static struct lcl_dense modes_of(const char *name)
{
    struct lcl_dense X, B;
    assert_int_equal(lcl_problem_coordinates(&X, name, NULL), LCL_OK);
    assert_int_equal(lcl_rigid_body_modes(&B, &X, NULL), LCL_OK);
    lcl_dense_finish(&X);
    return B;
}

// Iterations as in the design's table for 16^3 cubes: 25 and 12.
static void test_amg_systems__elasticity_needs_its_modes(void **state)
{
    const bool large = test_size(0, 1);
    const char *name = large ? "elasticity:16" : "elasticity:6";
    struct lcl_csr A = test_problem(name);
    struct lcl_dense B = modes_of(name);
    const struct lcl_precond_params *p = large ? &amg : &deep;
    const int with = iterations_with(*state, &A, 3, p, &B);
    const int without = iterations_with(*state, &A, 3, p, NULL);
    assert_true(with <= 13 && with < without);
    assert_true(without <= 26);
    // single entries, the same vectors
    assert_true(iterations_with(*state, &A, 1, p, &B) <= 2 * with);
    lcl_dense_finish(&B);
    lcl_csr_finish(&A);
}

// Blocks that are not coupled are solved like one of them.
static void test_amg_systems__components_do_not_mix(void **state)
{
    struct lcl_csr A = test_laplacian(10, 9, 8);
    const int few = iterations_with(*state, &A, 1, &deep, NULL);
    for (int b = 2; b <= LCL_BLOCK_MAX; b += 3) {
        struct lcl_csr B = {A.rows * b, A.rows * b, A.nnz * b,
                            NULL,       NULL,       NULL};
        B.row_ptr = calloc((size_t)B.rows + 1, sizeof *B.row_ptr);
        B.col_ind = calloc((size_t)B.nnz, sizeof *B.col_ind);
        B.val = calloc((size_t)B.nnz, sizeof *B.val);
        int64_t at = 0;
        for (int64_t i = 0; i < B.rows; ++i) {
            for (int64_t k = A.row_ptr[i / b]; k < A.row_ptr[i / b + 1]; ++k) {
                B.col_ind[at] = (int32_t)(A.col_ind[k] * b + i % b);
                B.val[at++] = A.val[k];
            }
            B.row_ptr[i + 1] = at;
        }
        assert_true(iterations_with(*state, &B, b, &deep, NULL) <= few + 1);
        test_csr_finish(&B);
    }
    test_csr_finish(&A);
}

// S A S with S = diag(s) has the near-null vector 1 / s.
static void test_amg_systems__one_vector_follows_scales(void **state)
{
    struct lcl_csr A = test_laplacian(14, 12, 10);
    double *near = test_vector(A.rows);
    const struct lcl_dense B = {A.rows, 1, near};
    const int few = iterations_with(*state, &A, 1, &deep, NULL);
    for (int64_t i = 0; i < A.rows; ++i)
        near[i] = pow(10, (double)(i * 7919 % 401) / 200 - 1);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] /= near[i] * near[A.col_ind[k]];
    const int with = iterations_with(*state, &A, 1, &deep, &B);
    assert_true(with < iterations_with(*state, &A, 1, &deep, NULL));
    assert_true(with <= 3 * few);
    free(near);
    test_csr_finish(&A);
}

// Copies of a vector add zeros to the levels, which change nothing.
static void test_amg_systems__dependent_vectors_are_harmless(void **state)
{
    struct lcl_csr A = test_laplacian(14, 12, 10);
    double *near = test_vector(A.rows * 3);
    const struct lcl_dense one = {A.rows, 1, near}, three = {A.rows, 3, near};
    struct lcl_precond_params params = deep;
    params.amg.levels = 3;
    for (int64_t i = 0; i < A.rows * 3; ++i)
        near[i] = i < A.rows ? 1 : i < 2 * A.rows ? -7 : 1e200;
    const int few = iterations_with(*state, &A, 1, &params, &one);
    assert_int_equal(iterations_with(*state, &A, 1, &params, &three), few);
    free(near);
    test_csr_finish(&A);
}

static void test_amg_systems__solutions_are_right_and_reproducible(void **state)
{
    struct lcl_csr A = test_problem("elasticity:4"),
                   L = test_laplacian(9, 8, 7);
    struct lcl_csr B = test_expand_blocks(&L, 2);
    for (int64_t i = 0; i < B.rows; ++i)
        for (int64_t k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k)
            B.val[k] = B.col_ind[k] == i             ? 6.5
                       : B.col_ind[k] / 2 == i / 2   ? -0.5
                       : (B.col_ind[k] - i) % 2 == 0 ? -1
                                                     : 0;
    test_expect_solved(*state, &A, &deep, &cg);
    test_expect_reproducible(*state, &A, &deep, &cg);
    test_expect_solved(*state, &B, &deep, &cg);
    test_expect_reproducible(*state, &B, &deep, &cg);
    lcl_csr_finish(&A);
    test_csr_finish(&B);
    test_csr_finish(&L);
}

// Prolongations stay, values follow, and nothing depends on the order.
static void test_amg_systems__updates_follow_the_values(void **state)
{
    struct lcl_csr A = test_problem("elasticity:5");
    struct test_solve s;
    double *b = test_random_vector(A.rows, 2);
    double *first = test_vector(A.rows);
    test_solve_open(&s, *state, &A, &deep, &cg);
    assert_int_equal(lcl_precond_info(s.M)->block_size, 3);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int before = s.report.iterations;
    memcpy(first, s.x, (size_t)A.rows * sizeof *first);
    for (int turn = 0; turn < 2; ++turn) {
        const double scale = turn == 0 ? 0x1p20 : 0x1p-20;
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] *= scale;
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
        for (int64_t i = 0; i < A.rows; ++i)
            s.x[i] = 0;
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        assert_int_equal(s.report.iterations, before);
    }
    test_expect_near("x", s.x, first, A.rows, 1e-9);
    test_solve_close(&s);
    free(first);
    free(b);
    lcl_csr_finish(&A);
}

// Of blocks that were asked for; those that were found are single entries then.
static void test_amg_systems__classical_coarsening_is_refused(void **state)
{
    const struct lcl_precond_params classical = {
        .type = LCL_PRECOND_AMG, .amg = {.coarsening = LCL_AMG_CLASSICAL}};
    const struct lcl_operator_params blocks = {.block_size = 3};
    struct lcl_csr A = test_problem("elasticity:2");
    lcl_operator *P, *Q;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&P, *state, &A, &blocks), LCL_OK);
    assert_int_equal(lcl_operator_create(&Q, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, P, &classical), LCL_EUNSUPPORTED);
    assert_null(M);
    assert_int_equal(lcl_precond_create(&M, Q, &classical), LCL_OK);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&Q);
    lcl_operator_destroy(&P);
    lcl_csr_finish(&A);
}

// Each leaves the vectors as they are.
static void test_amg_systems__wrong_vectors_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(3, 3, 1), R = test_stretched_csr(9, 5, 1);
    lcl_operator *P, *Q;
    double values[9 * 9];
    const struct lcl_dense good = {9, 2, values};
    for (int i = 0; i < 81; ++i)
        values[i] = i < 36 ? 1 : i < 45 ? 0 : i == 50 ? INFINITY : NAN;
    const struct lcl_dense bad[] = {
        {8, 1, values}, {9, 9, values},      {9, -1, values},
        {9, 6, values}, {9, 1, values + 45}, {9, 1, values + 54},
        {9, 1, NULL},   {-9, 1, values},     {9, INT64_MAX, values}};
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&Q, *state, &R, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_near_nullspace(P, &good), LCL_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(lcl_operator_set_near_nullspace(P, &bad[k]),
                         LCL_EINVAL);
        assert_int_equal(P->near_null.cols, 2);
    }
    assert_int_equal(lcl_operator_set_near_nullspace(Q, &good), LCL_EINVAL);
    assert_misuse(lcl_operator_set_near_nullspace(NULL, &good));
    assert_int_equal(lcl_operator_set_near_nullspace(P, NULL), LCL_OK);
    assert_null(P->near_null.val);
    lcl_operator_destroy(&P);
    lcl_operator_destroy(&Q);
    test_csr_finish(&A);
    test_csr_finish(&R);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amg_systems__elasticity_needs_its_modes),
        cmocka_unit_test(test_amg_systems__components_do_not_mix),
        cmocka_unit_test(test_amg_systems__one_vector_follows_scales),
        cmocka_unit_test(test_amg_systems__dependent_vectors_are_harmless),
        cmocka_unit_test(
            test_amg_systems__solutions_are_right_and_reproducible),
        cmocka_unit_test(test_amg_systems__updates_follow_the_values),
        cmocka_unit_test(test_amg_systems__classical_coarsening_is_refused),
        cmocka_unit_test(test_amg_systems__wrong_vectors_are_refused),
    };
    return test_device_run(tests);
}
