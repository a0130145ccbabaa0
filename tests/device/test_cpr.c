// SPDX-License-Identifier: BSD-3-Clause
// CPR as a preconditioner of a system like that of three phases in a reservoir.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"
#include "tests/support/solving.h"
#include "tests/support/systems.h"

#include "lib/precond/precond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 3, PRESSURE = 1 };

static const struct lcl_precond_params cpr = {.type = LCL_PRECOND_CPR,
                                              .cpr = {.pressure = PRESSURE}};

// The derivatives of the accumulation terms: compressible by 1 %.
static void put_accumulation(double *block, int64_t i)
{
    const double s = 1 + 0.3 * sin(0.1 * (double)i);
    const double values[B * B] = {1,   0.004, 0.2,   -0.7, 0.01,
                                  0.1, 0.3,   0.002, s};
    memcpy(block, values, sizeof values);
}

// Flow through a face adds to each equation its mobility times the difference
// of the pressures, and takes the other unknowns from the cell upstream, that
// of the lower number.
static void put_flow(double *block, double transmissibility, bool inside,
                     bool upstream)
{
    static const double mobility[B] = {0.4, 1, 0.7};
    for (int r = 0; r < B; ++r) {
        block[r * B + PRESSURE] +=
            (inside ? 1 : -1) * transmissibility * mobility[r];
        for (int c = 0; c < B; ++c)
            if (c != PRESSURE && upstream)
                block[r * B + c] +=
                    (inside ? 1 : -1) * 0.2 * (r == c ? mobility[r] : 0.05);
    }
}

// `blocks` receives those of put_accumulation(), if not NULL.
static struct lcl_csr reservoir(int64_t n, double step, double *blocks)
{
    struct lcl_csr grid = test_laplacian(n, n, n);
    struct lcl_csr A = test_expand_blocks(&grid, B);
    for (int64_t i = 0; i < grid.rows; ++i) {
        double diagonal[B * B];
        put_accumulation(diagonal, i);
        if (blocks)
            memcpy(blocks + i * B * B, diagonal, sizeof diagonal);
        const int64_t first = grid.row_ptr[i];
        const int64_t length = grid.row_ptr[i + 1] - first;
        int64_t own = 0;
        for (int64_t k = 0; k < length; ++k) {
            const int64_t j = grid.col_ind[first + k];
            const double rock = pow(10, (double)((i + j) * 7919 % 301) / 100);
            double block[B * B] = {0};
            own = j == i ? k : own;
            if (j == i)
                continue;
            put_flow(diagonal, step * rock, true, i < j);
            put_flow(block, step * rock, false, j < i);
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c)
                    A.val[A.row_ptr[i * B + r] + k * B + c] = block[r * B + c];
        }
        for (int r = 0; r < B; ++r)
            for (int c = 0; c < B; ++c)
                A.val[A.row_ptr[i * B + r] + own * B + c] = diagonal[r * B + c];
    }
    test_csr_finish(&grid);
    return A;
}

static int iterations(lcl_context *ctx, const struct lcl_csr *A,
                      const struct lcl_precond_params *params,
                      enum lcl_solver_type type)
{
    const struct lcl_operator_params op = {.block_size = B};
    const struct lcl_solver_params solver = {.type = type};
    struct test_solve s;
    double *b = test_random_vector(A->rows, 6);
    test_solve_open_from(&s, ctx, A, &op, params, &solver);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int taken = s.report.iterations;
    test_solve_close(&s);
    free(b);
    return taken;
}

static void test_cpr__few_iterations_suffice(void **state)
{
    static const enum lcl_solver_type types[] = {
        LCL_SOLVER_BICGSTAB, LCL_SOLVER_FGMRES, LCL_SOLVER_IDR};
    const struct lcl_precond_params ildu0 = {.type = LCL_PRECOND_ILDU0};
    struct lcl_csr A = reservoir(test_size(7, 14), 10, NULL);
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        const int few = iterations(*state, &A, &cpr, types[t]);
        assert_true(few <= 24);
        assert_true(test_size(0, 1) == 0 ||
                    2 * few < iterations(*state, &A, &ildu0, types[t]));
    }
    test_csr_finish(&A);
}

static void test_cpr__weights_may_come_from_the_caller(void **state)
{
    const int64_t n = test_size(6, 10);
    double *blocks = test_vector(n * n * n * B * B);
    struct lcl_csr A = reservoir(n, 10, blocks);
    struct lcl_precond_params own = cpr;
    own.cpr.blocks = blocks;
    assert_true(iterations(*state, &A, &own, LCL_SOLVER_FGMRES) <= 30);
    free(blocks);
    test_csr_finish(&A);
}

// Time steps of other lengths, with and without a second user of the operator,
// which makes CPR work on a copy.
static void expect_updates(lcl_context *ctx, bool shared)
{
    const struct lcl_operator_params params = {.block_size = B};
    const struct lcl_solver_params solver = {.type = LCL_SOLVER_FGMRES};
    const struct lcl_precond_params other = {.type = LCL_PRECOND_ILDU0};
    const int64_t n = test_size(6, 9);
    struct lcl_csr A = reservoir(n, 10, NULL), next = reservoir(n, 100, NULL);
    lcl_operator *P;
    lcl_precond *M, *first = NULL;
    lcl_solver *S;
    double *b = test_random_vector(A.rows, 6), *x = test_vector(A.rows);
    assert_int_equal(lcl_operator_create(&P, ctx, &A, &params), LCL_OK);
    if (shared)
        assert_true(lcl_precond_create(&first, P, &other) >= 0);
    assert_int_equal(lcl_precond_create(&M, P, &cpr), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, P, M, &solver), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
    assert_true(test_residual(&A, b, x) <= 1e-8);
    assert_int_equal(lcl_operator_update(P, next.val), LCL_OK);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    memset(x, 0, (size_t)A.rows * sizeof *x);
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
    assert_true(test_residual(&next, b, x) <= 1e-8);
    assert_true(lcl_precond_info(M)->last_iterations <= 30);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_precond_destroy(&first);
    lcl_operator_destroy(&P);
    free(b);
    free(x);
    test_csr_finish(&A);
    test_csr_finish(&next);
}

static void test_cpr__updates_follow_the_values(void **state)
{
    expect_updates(*state, false);
    expect_updates(*state, true);
}

static void test_cpr__solutions_are_right_and_reproducible(void **state)
{
    const struct lcl_solver_params bicgstab = {.type = LCL_SOLVER_BICGSTAB};
    struct lcl_csr A = reservoir(5, 1, NULL);
    test_expect_solved(*state, &A, &cpr, &bicgstab);
    test_expect_reproducible(*state, &A, &cpr, &bicgstab);
    test_csr_finish(&A);
}

static void test_cpr__bad_input_is_refused(void **state)
{
    struct lcl_csr A = test_laplacian(4, 4, 1), R = reservoir(2, 1, NULL);
    const struct lcl_precond_params bad[] = {
        {.type = LCL_PRECOND_CPR, .cpr = {.pressure = -1}},
        {.type = LCL_PRECOND_CPR, .cpr = {.pressure = 99}},
    };
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(test_precond_create(&M, *state, &A, &cpr),
                     LCL_EUNSUPPORTED);
    assert_null(M);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        assert_int_equal(test_precond_create(&M, *state, &R, &bad[k]),
                         LCL_EINVAL);
    assert_int_equal(test_precond_create(&M, *state, &R, &cpr), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, &cg), LCL_EUNSUPPORTED);
    test_precond_destroy(&M);
    test_csr_finish(&A);
    test_csr_finish(&R);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpr__few_iterations_suffice),
        cmocka_unit_test(test_cpr__weights_may_come_from_the_caller),
        cmocka_unit_test(test_cpr__updates_follow_the_values),
        cmocka_unit_test(test_cpr__solutions_are_right_and_reproducible),
        cmocka_unit_test(test_cpr__bad_input_is_refused),
    };
    return test_device_run(tests);
}
