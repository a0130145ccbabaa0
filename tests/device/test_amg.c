// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid as a preconditioner: iterations, updates, and what it
// refuses.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"
#include "tests/support/solving.h"
#include "tests/support/systems.h"

#include "lib/precond/precond.h"

#include <math.h>
#include <stdlib.h>

static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
static const struct lcl_precond_params deep = {.type = LCL_PRECOND_AMG,
                                               .amg = {.coarse_rows = 20}};
static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};

// Solves with a random right-hand side; returns the iterations.
static int iterations(lcl_context *ctx, const struct lcl_csr *A,
                      const struct lcl_precond_params *params)
{
    struct test_solve s;
    double *b = test_random_vector(A->rows, 6);
    test_solve_open(&s, ctx, A, params, &cg);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int taken = s.report.iterations;
    test_solve_close(&s);
    free(b);
    return taken;
}

// Iterations hardly grow with the size.
static void test_amg__iterations_do_not_grow(void **state)
{
    struct lcl_csr small = test_laplacian(12, 12, 12);
    struct lcl_csr large = test_laplacian(28, 28, 28);
    const int few = iterations(*state, &small, &deep);
    assert_true(few <= 9);
    assert_true(iterations(*state, &large, &deep) <= few + 2);
    test_csr_finish(&small);
    test_csr_finish(&large);
}

// Couplings in x are a thousand times those in y and z.
static void test_amg__anisotropy_is_followed(void **state)
{
    struct lcl_csr A = test_laplacian(20, 16, 12);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const int64_t step = llabs(A.col_ind[k] - i);
            A.val[k] = step == 0 ? 2004 : step == 1 ? -1000 : -1;
        }
    assert_true(iterations(*state, &A, &deep) <= 14);
    test_csr_finish(&A);
}

// Coefficients of 1 and a million in cubes of 8 x 8 x 8 cells in turn.
static void test_amg__jumps_take_few_iterations(void **state)
{
    struct lcl_csr A = test_problem("jump:24,1e6");
    assert_true(iterations(*state, &A, &deep) <= 12);
    test_csr_finish(&A);
}

// Couplings of a field with values from 1 to 10^6, harmonic means at faces:
// classical coarsening takes fewer iterations.
static void test_amg__classical_coarsening_follows_fields(void **state)
{
    struct lcl_precond_params classical = deep;
    struct lcl_csr A = test_laplacian(24, 20, 8);
    classical.amg.coarsening = LCL_AMG_CLASSICAL;
    for (int64_t i = 0; i < A.rows; ++i) {
        double sum = 1e-3;
        int64_t diagonal = 0;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const double a = pow(10, (double)(i * 7919 % 601) / 100);
            const double b =
                pow(10, (double)(A.col_ind[k] * INT64_C(7919) % 601) / 100);
            diagonal = A.col_ind[k] == i ? k : diagonal;
            A.val[k] = -2 * a * b / (a + b);
            sum -= A.col_ind[k] == i ? 0 : A.val[k];
        }
        A.val[diagonal] = sum;
    }
    const int few = iterations(*state, &A, &classical);
    const int more = iterations(*state, &A, &deep);
    assert_true(few <= 16 && few < more && more <= 24);
    test_csr_finish(&A);
}

static void test_amg__solutions_are_right_and_reproducible(void **state)
{
    struct lcl_csr A = test_laplacian(13, 11, 9);
    for (int c = 0; c < LCL_AMG_COARSENING_COUNT; ++c)
        for (int s = 1; s < LCL_AMG_SMOOTHER_COUNT; ++s) {
            struct lcl_precond_params params = deep;
            params.amg.coarsening = (enum lcl_amg_coarsening)c;
            params.amg.smoother = (enum lcl_amg_smoother)s;
            test_expect_solved(*state, &A, &params, &cg);
            test_expect_reproducible(*state, &A, &params, &cg);
        }
    test_csr_finish(&A);
}

// Iterations by FGMRES for 48^3 cells, as measured, and some more; Chebyshev
// would diverge.
static void expect_flows(lcl_context *ctx, enum lcl_amg_smoother given,
                         enum lcl_amg_smoother used, const int *most)
{
    static const enum lcl_solver_type types[] = {
        LCL_SOLVER_BICGSTAB, LCL_SOLVER_GMRES, LCL_SOLVER_FGMRES,
        LCL_SOLVER_IDR};
    const bool large = test_size(0, 1);
    const char *const names[] = {large ? "convdiff:48,1" : "convdiff:10,1",
                                 large ? "convdiff:48,50" : "convdiff:10,50"};
    struct lcl_precond_params precond = amg;
    precond.amg.smoother = given;
    for (int k = 0; k < 2; ++k)
        for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
            const struct lcl_solver_params params = {.type = types[t]};
            struct lcl_csr A = test_problem(names[k]);
            struct test_solve s;
            double *b = test_random_vector(A.rows, 6);
            test_solve_open(&s, ctx, &A, &precond, &params);
            assert_int_equal(lcl_precond_info(s.M)->amg.smoother, used);
            assert_int_equal(test_solve_run(&s, b), LCL_OK);
            assert_true(s.report.iterations <= 2 * most[k]);
            assert_true(types[t] != LCL_SOLVER_FGMRES ||
                        s.report.iterations <= most[k]);
            test_solve_close(&s);
            free(b);
            lcl_csr_finish(&A);
        }
}

static void test_amg__flows_are_solved(void **state)
{
    const int by_jacobi[] = {25, 80}, by_factors[] = {13, 20};
    expect_flows(*state, LCL_AMG_SMOOTHER_DEFAULT, LCL_AMG_JACOBI, by_jacobi);
    expect_flows(*state, LCL_AMG_ILDU0, LCL_AMG_ILDU0, by_factors);
}

// Rows without couplings, zeros among them, and a matrix of such rows only,
// which has no coarse level and is too large for an inverse.
static void test_amg__rows_without_couplings_are_solved(void **state)
{
    struct lcl_csr diagonal = test_identity(5000), one = test_identity(1);
    struct lcl_csr grid = test_laplacian(16, 8, 8);
    for (int64_t i = 0; i < diagonal.rows; ++i)
        diagonal.val[i] = 1 + (double)(i % 7);
    for (int64_t i = 0; i < grid.rows; ++i)
        for (int64_t k = grid.row_ptr[i]; k < grid.row_ptr[i + 1]; ++k)
            if (grid.col_ind[k] != i &&
                (i % 11 == 0 || grid.col_ind[k] % 11 == 0))
                grid.val[k] = 0;
    assert_true(iterations(*state, &diagonal, &amg) <= 20);
    assert_true(iterations(*state, &one, &amg) <= 1);
    assert_true(iterations(*state, &grid, &deep) <= 25);
    test_csr_finish(&diagonal);
    test_csr_finish(&one);
    test_csr_finish(&grid);
}

// Smoothed prolongations would make the second level a dense matrix.
static void test_amg__power_laws_stay_sparse(void **state)
{
    struct lcl_csr A = test_power_law(test_size(500, 2000));
    struct lcl_precond_params params = deep;
    struct test_solve s;
    double *b = test_random_vector(A.rows, 2);
    params.amg.coarsening = LCL_AMG_SA;
    test_solve_open(&s, *state, &A, &params, &cg);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    assert_true(info->amg.plain[0]);
    assert_true(info->amg.levels > 1 && info->amg.complexity < 3);
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        assert_true(s.report.iterations <= 16);
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] *= 8;
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
        for (int64_t i = 0; i < A.rows; ++i)
            s.x[i] = 0;
    }
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

// An update takes new values and keeps the prolongations.
static void expect_updated(lcl_context *ctx, enum lcl_amg_smoother smoother)
{
    struct lcl_csr A = test_laplacian(14, 12, 10);
    struct lcl_precond_params params = deep;
    struct test_solve s;
    double *b = test_random_vector(A.rows, 2);
    params.amg.smoother = smoother;
    test_solve_open(&s, ctx, &A, &params, &cg);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int before = s.report.iterations;
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1e5;
    assert_int_equal(lcl_operator_update(s.M->A, A.val), LCL_OK);
    assert_int_equal(lcl_precond_update(s.M), LCL_OK);
    for (int64_t i = 0; i < A.rows; ++i)
        s.x[i] = 0;
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_int_equal(s.report.iterations, before);
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

static void test_amg__updates_follow_the_values(void **state)
{
    for (int s = LCL_AMG_CHEBYSHEV; s < LCL_AMG_SMOOTHER_COUNT; ++s)
        expect_updated(*state, (enum lcl_amg_smoother)s);
}

// Couplings of x and y in turn a thousand times those of the other axes.
static void set_strong(struct lcl_csr *A, int64_t strong)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t step = llabs(A->col_ind[k] - i);
            A->val[k] = step == 0 ? 2004 : step == strong ? -1000 : -1;
        }
}

// Solves with couplings along x, then twice along y; returns the set-ups.
static int setups_of(lcl_context *ctx, enum lcl_amg_refresh refresh)
{
    struct lcl_csr A = test_laplacian(16, 14, 12);
    struct lcl_precond_params params = deep;
    struct test_solve s;
    int taken[3];
    double *b = test_random_vector(A.rows, 2);
    params.amg.refresh = refresh;
    set_strong(&A, 1);
    test_solve_open(&s, ctx, &A, &params, &cg);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    for (int k = 0; k < 3; ++k) {
        for (int64_t i = 0; i < A.rows; ++i)
            s.x[i] = 0;
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        taken[k] = s.report.iterations;
        assert_int_equal(info->last_iterations, taken[k]);
        set_strong(&A, 16);
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
    }
    assert_true(taken[0] > 0 && (2 * taken[1] > 3 * taken[0]) ==
                                    (refresh != LCL_AMG_REFRESH_FULL));
    assert_true(refresh == LCL_AMG_REFRESH_VALUES ? taken[2] == taken[1]
                                                  : taken[2] <= taken[0] + 3);
    const int setups = info->amg.setups;
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
    return setups;
}

static void test_amg__slow_solves_renew_the_levels(void **state)
{
    assert_int_equal(setups_of(*state, LCL_AMG_REFRESH_AUTO), 2);
    assert_int_equal(setups_of(*state, LCL_AMG_REFRESH_VALUES), 1);
    assert_int_equal(setups_of(*state, LCL_AMG_REFRESH_FULL), 4);
}

// A tolerance that takes more iterations is no reason for a set-up.
static void test_amg__tolerances_do_not_renew_the_levels(void **state)
{
    struct lcl_csr A = test_laplacian(16, 14, 12);
    struct test_solve s;
    double *b = test_random_vector(A.rows, 2);
    test_solve_open(&s, *state, &A, &deep, &cg);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    for (int k = 0; k < 4; ++k) {
        s.params.rtol = k % 2 == 0 ? 1e-2 : 1e-10;
        assert_int_equal(lcl_solver_set_tolerance(s.S, s.params.rtol, 0, 0),
                         LCL_OK);
        for (int64_t i = 0; i < A.rows; ++i)
            s.x[i] = 0;
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        assert_true(k % 2 == 0 ||
                    s.report.iterations > 2 * info->first_iterations);
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
    }
    assert_int_equal(info->amg.setups, 1);
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

// At 2 iterations for each factor e at first: 1.5 times that and one more.
static void test_amg__slow_means_half_more_iterations(void **state)
{
    lcl_operator A = {.version = 0};
    lcl_precond M = {.A = &A};
    (void)state;
    lcl_precond_record(&M, 20, true, exp(10), 1);
    assert_false(lcl_precond_is_slow(&M, M.first_rate));
    lcl_precond_record(&M, 13, true, exp(4), 1);
    assert_false(lcl_precond_is_slow(&M, M.first_rate));
    lcl_precond_record(&M, 14, true, exp(4), 1);
    assert_true(lcl_precond_is_slow(&M, M.first_rate));
    lcl_precond_record(&M, 31, true, exp(10), 1);
    assert_false(lcl_precond_is_slow(&M, M.fresh_rate));
    lcl_precond_record(&M, 32, true, exp(10), 1);
    assert_true(lcl_precond_is_slow(&M, M.fresh_rate));
    lcl_precond_record(&M, 1, false, 1, 1);
    assert_true(lcl_precond_is_slow(&M, M.first_rate));
}

// Symmetric values, then others, then the first again. The other values have a
// coupling a; if it is large, five of the 504 rows are not dominated.
static void expect_smoothers(lcl_context *ctx, enum lcl_amg_smoother given,
                             enum lcl_amg_smoother symmetric, double a,
                             enum lcl_amg_smoother other)
{
    static const struct lcl_solver_params bicgstab = {.type =
                                                          LCL_SOLVER_BICGSTAB};
    const bool own = given > 0;
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct lcl_precond_params params = deep;
    struct test_solve s;
    double *b = test_random_vector(A.rows, 2);
    params.amg.smoother = given;
    params.amg.refresh = LCL_AMG_REFRESH_VALUES;
    test_solve_open(&s, ctx, &A, &params, &bicgstab);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i)
            A.val[A.row_ptr[i] + (i == 0)] = k == 1 ? a : -1;
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
        assert_int_equal(info->amg.smoother, k == 1 ? other : symmetric);
        assert_int_equal(info->amg.setups, own ? 1 : k + 1);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
    }
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

static void test_amg__values_choose_the_smoother(void **state)
{
    expect_smoothers(*state, LCL_AMG_SMOOTHER_DEFAULT, LCL_AMG_CHEBYSHEV, -0.5,
                     LCL_AMG_JACOBI);
    expect_smoothers(*state, LCL_AMG_SMOOTHER_DEFAULT, LCL_AMG_CHEBYSHEV, -8,
                     LCL_AMG_ILDU0);
    expect_smoothers(*state, LCL_AMG_JACOBI, LCL_AMG_JACOBI, -0.5,
                     LCL_AMG_JACOBI);
}

static void test_amg__info_describes_the_levels(void **state)
{
    struct lcl_csr A = test_laplacian(14, 12, 10);
    struct test_solve s;
    test_solve_open(&s, *state, &A, &deep, &cg);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    assert_int_equal(info->amg.coarsening, LCL_AMG_SA);
    assert_true(info->amg.levels >= 2 && info->amg.levels <= LCL_AMG_LEVELS);
    assert_int_equal(info->amg.rows[0], A.rows);
    assert_int_equal(info->amg.nnz[0], A.nnz);
    for (int l = 1; l < info->amg.levels; ++l)
        assert_true(info->amg.rows[l] < info->amg.rows[l - 1] / 3);
    assert_true(info->amg.complexity > 1 && info->amg.complexity < 2);
    assert_true(info->amg.bytes > (uint64_t)A.nnz * sizeof(float));
    double *b = test_random_vector(A.rows, 2);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    assert_true(s.report.launches > info->launches && info->launches >= 10);
    free(b);
    test_solve_close(&s);
    test_csr_finish(&A);
}

static int iterations_of(lcl_context *ctx, const struct lcl_csr *A)
{
    double *b = test_random_vector(A->rows, 17);
    struct test_solve s;
    test_solve_open(&s, ctx, A, &deep, &cg);
    for (int64_t i = 0; i < A->rows; ++i)
        b[i] *= A->val[A->row_ptr[i]];
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int iterations = s.report.iterations;
    test_solve_close(&s);
    free(b);
    return iterations;
}

// The levels are scaled to a unit diagonal, in fp32.
static void test_amg__scales_of_matrices_do_not_matter(void **state)
{
    static const double scales[] = {0x1p200, 0x1p-200};
    struct lcl_csr A = test_laplacian(14, 12, 10);
    const int expected = iterations_of(*state, &A);
    for (int k = 0; k < 2; ++k) {
        struct lcl_csr B = test_laplacian(14, 12, 10);
        for (int64_t e = 0; e < B.nnz; ++e)
            B.val[e] *= scales[k];
        assert_int_equal(iterations_of(*state, &B), expected);
        test_csr_finish(&B);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- bf16

static struct lcl_precond_params in_bf16(enum lcl_amg_smoother smoother)
{
    struct lcl_precond_params params = deep;
    params.amg.smoother = smoother;
    params.amg.storage = LCL_FACTOR_STORAGE_BF16;
    return params;
}

// All levels but the last, which is inverted.
static void expect_storage(const struct lcl_precond_info *info,
                           enum lcl_factor_storage expected)
{
    const int last = info->amg.levels - 1;
    assert_true(last > 0);
    for (int l = 0; l < last; ++l) {
        assert_int_equal(info->amg.storage[l], expected);
        assert_true(expected == LCL_FACTOR_STORAGE_BF16
                        ? info->amg.loss[l] > 0 && info->amg.loss[l] <= 0.0625
                        : info->amg.loss[l] == 0);
    }
    assert_int_equal(info->amg.storage[last], LCL_FACTOR_STORAGE_FP64);
}

// A step of an implicit method for a heat equation with a conductivity between
// 1 and 10^4, different in each cell: row sums are small beside couplings.
static struct lcl_csr heat(int64_t n)
{
    struct lcl_csr A = test_laplacian(n, n, 8);
    for (int64_t i = 0; i < A.rows; ++i) {
        double sum = 0.05;
        int64_t diagonal = 0;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const int64_t j = A.col_ind[k];
            const double a = pow(10, (double)(i * 7919 % 401) / 100);
            const double b = pow(10, (double)(j * 7919 % 401) / 100);
            diagonal = j == i ? k : diagonal;
            A.val[k] = -2 * a * b / (a + b);
            sum -= j == i ? 0 : A.val[k];
        }
        A.val[diagonal] = sum;
    }
    return A;
}

static void expect_same_iterations(lcl_context *ctx, const struct lcl_csr *A)
{
    for (int s = LCL_AMG_CHEBYSHEV; s < LCL_AMG_SMOOTHER_COUNT; ++s) {
        const struct lcl_precond_params rounded =
            in_bf16((enum lcl_amg_smoother)s);
        struct lcl_precond_params exact = rounded;
        struct test_solve t;
        exact.amg.storage = LCL_FACTOR_STORAGE_FP32;
        test_solve_open(&t, ctx, A, &exact, &cg);
        expect_storage(lcl_precond_info(t.M), LCL_FACTOR_STORAGE_FP32);
        test_solve_close(&t);
        test_solve_open(&t, ctx, A, &rounded, &cg);
        expect_storage(lcl_precond_info(t.M), LCL_FACTOR_STORAGE_BF16);
        test_solve_close(&t);
        assert_in_range(iterations(ctx, A, &rounded), 1,
                        iterations(ctx, A, &exact) + 1);
    }
}

static void test_amg__bf16_takes_the_iterations_of_fp32(void **state)
{
    struct lcl_csr A[] = {test_laplacian(20, 18, 16), heat(24),
                          test_problem("jump:16,1e4")};
    for (int k = 0; k < 3; ++k) {
        expect_same_iterations(*state, &A[k]);
        test_csr_finish(&A[k]);
    }
}

static void set_value(struct lcl_csr *A, int64_t i, int64_t j, double value)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            A->val[k] = value;
}

// bf16 holds 1e30, but not the diagonal beside it. A level that has been lost
// stays in fp32 until everything is set up again.
static void expect_fallback(lcl_context *ctx, enum lcl_amg_refresh refresh,
                            enum lcl_factor_storage later)
{
    struct lcl_precond_params params = in_bf16(LCL_AMG_ILDU0);
    const struct lcl_solver_params gmres = {.type = LCL_SOLVER_GMRES};
    struct lcl_csr A = test_laplacian(14, 12, 10);
    struct test_solve s;
    double *b = test_random_vector(A.rows, 5);
    params.amg.refresh = refresh;
    set_value(&A, 700, 701, 1e30);
    test_solve_open(&s, ctx, &A, &params, &gmres);
    const struct lcl_precond_info *info = lcl_precond_info(s.M);
    assert_int_equal(info->amg.storage[0], LCL_FACTOR_STORAGE_FP32);
    assert_true(info->amg.loss[0] > 1e24);
    set_value(&A, 700, 701, -1);
    assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
    assert_int_equal(info->amg.storage[0], later);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

static void test_amg__levels_that_bf16_would_lose_are_in_fp32(void **state)
{
    expect_fallback(*state, LCL_AMG_REFRESH_VALUES, LCL_FACTOR_STORAGE_FP32);
    expect_fallback(*state, LCL_AMG_REFRESH_FULL, LCL_FACTOR_STORAGE_BF16);
}

static void test_amg__new_values_stay_in_bf16(void **state)
{
    const struct lcl_precond_params params = in_bf16(LCL_AMG_CHEBYSHEV);
    struct lcl_csr A = test_laplacian(14, 12, 10);
    struct test_solve s;
    double *b = test_random_vector(A.rows, 5);
    int taken[2];
    test_solve_open(&s, *state, &A, &params, &cg);
    for (int k = 0; k < 2; ++k) {
        for (int64_t i = 0; i < A.rows; ++i)
            s.x[i] = 0;
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        expect_storage(lcl_precond_info(s.M), LCL_FACTOR_STORAGE_BF16);
        taken[k] = s.report.iterations;
        for (int64_t i = 0; i < A.nnz; ++i)
            A.val[i] *= 4096;
        assert_int_equal(test_precond_update(s.M, A.val), LCL_OK);
    }
    assert_int_equal(taken[0], taken[1]);
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- refusals

static void test_amg__values_out_of_range_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(14, 12, 10);
    lcl_precond *M;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = A.col_ind[k] == i ? 1e-60 : -1;
    assert_int_equal(test_precond_create(&M, *state, &A, &deep), LCL_ERANGE);
    assert_null(M);
    test_csr_finish(&A);
}

static void test_amg__bad_input_is_refused(void **state)
{
    static const struct lcl_precond_params bad[] = {
        {.type = LCL_PRECOND_AMG,
         .amg = {.coarsening = LCL_AMG_COARSENING_COUNT}},
        {.type = LCL_PRECOND_AMG, .amg = {.smoother = LCL_AMG_SMOOTHER_COUNT}},
        {.type = LCL_PRECOND_AMG, .amg = {.refresh = LCL_AMG_REFRESH_COUNT}},
        {.type = LCL_PRECOND_AMG, .amg = {.storage = LCL_FACTOR_STORAGE_FP64}},
        {.type = LCL_PRECOND_AMG, .amg = {.storage = LCL_FACTOR_STORAGE_COUNT}},
        {.type = LCL_PRECOND_AMG, .amg = {.theta = -1}},
        {.type = LCL_PRECOND_AMG, .amg = {.theta = NAN}},
        {.type = LCL_PRECOND_AMG, .amg = {.levels = -1}},
        {.type = LCL_PRECOND_AMG, .amg = {.levels = LCL_AMG_LEVELS + 1}},
        {.type = LCL_PRECOND_AMG, .amg = {.coarse_rows = -1}},
    };
    struct lcl_csr A = test_laplacian(5, 5, 1);
    struct lcl_csr other = test_random_csr(60, 4, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        test_precond_expect_refused(*state, &A, &bad[k], LCL_EINVAL);
    struct lcl_precond_params chebyshev = amg;
    chebyshev.amg.smoother = LCL_AMG_CHEBYSHEV;
    test_precond_expect_refused(*state, &other, &chebyshev, LCL_EUNSUPPORTED);
    test_csr_finish(&A);
    test_csr_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amg__iterations_do_not_grow),
        cmocka_unit_test(test_amg__anisotropy_is_followed),
        cmocka_unit_test(test_amg__jumps_take_few_iterations),
        cmocka_unit_test(test_amg__classical_coarsening_follows_fields),
        cmocka_unit_test(test_amg__solutions_are_right_and_reproducible),
        cmocka_unit_test(test_amg__flows_are_solved),
        cmocka_unit_test(test_amg__rows_without_couplings_are_solved),
        cmocka_unit_test(test_amg__power_laws_stay_sparse),
        cmocka_unit_test(test_amg__updates_follow_the_values),
        cmocka_unit_test(test_amg__slow_solves_renew_the_levels),
        cmocka_unit_test(test_amg__tolerances_do_not_renew_the_levels),
        cmocka_unit_test(test_amg__slow_means_half_more_iterations),
        cmocka_unit_test(test_amg__values_choose_the_smoother),
        cmocka_unit_test(test_amg__info_describes_the_levels),
        cmocka_unit_test(test_amg__scales_of_matrices_do_not_matter),
        cmocka_unit_test(test_amg__bf16_takes_the_iterations_of_fp32),
        cmocka_unit_test(test_amg__levels_that_bf16_would_lose_are_in_fp32),
        cmocka_unit_test(test_amg__new_values_stay_in_bf16),
        cmocka_unit_test(test_amg__values_out_of_range_are_refused),
        cmocka_unit_test(test_amg__bad_input_is_refused),
    };
    return test_device_run(tests);
}
