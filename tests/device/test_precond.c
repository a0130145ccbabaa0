// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners as their users see them: new values, wrong arguments.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"
#include "tests/support/trisolves.h"

#include "lib/matrix/csr.h"

#include <levelcl/published.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------ new values

// Updating with the values of `after` gives what a new preconditioner of
// `after` gives, and compiles nothing.
static void expect_update(lcl_context *ctx, const struct lcl_csr *before,
                          const struct lcl_csr *after,
                          const struct lcl_precond_params *params)
{
    const int64_t n = before->rows;
    double *b = test_random_vector(n, 1);
    double *x = test_vector(n), *expected = test_vector(n);
    lcl_precond *M, *fresh;
    assert_true(test_precond_create(&M, ctx, before, params) >= 0);
    test_precond_apply(M, b, x, n);
    const struct lcl_build_info builds = lcl_context_builds(ctx);
    assert_true(test_precond_update(M, after->val) >= 0);
    test_precond_apply(M, b, x, n);
    const struct lcl_build_info later = lcl_context_builds(ctx);
    assert_memory_equal(&later, &builds, sizeof builds);
    assert_true(test_precond_create(&fresh, ctx, after, params) >= 0);
    test_precond_apply(fresh, b, expected, n);
    test_expect_same("x", x, expected, n);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired,
                     lcl_precond_info(fresh)->pivots_repaired);
    test_precond_destroy(&M);
    test_precond_destroy(&fresh);
    free(b);
    free(x);
    free(expected);
}

// The pair of i and j has a factor of its own: symmetric matrices stay so.
static void scale_pairs(struct lcl_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            A->val[k] *= 1 + (double)((i + A->col_ind[k]) % 11) / 50;
}

static void test_precond__new_values_give_what_a_new_one_gives(void **state)
{
    struct lcl_csr before = test_laplacian(10, 10, 7);
    struct lcl_csr after = test_laplacian(10, 10, 7);
    scale_pairs(&after);
    for (int t = LCL_PRECOND_NONE; t < LCL_PRECOND_CALLBACK; ++t) {
        const struct lcl_precond_params params = {
            .type = (enum lcl_precond_type)t,
            .partition = {.type = LCL_PARTITION_METIS,
                          .weights = LCL_WEIGHTS_OFF,
                          .rows = 120},
        };
        // the pattern of ILUT and the prolongations of AMG are those of the
        // first values; CPR refuses A; LU may be missing
        if (t != LCL_PRECOND_ILUT && t != LCL_PRECOND_CPR &&
            t != LCL_PRECOND_LU && t != LCL_PRECOND_AMG)
            expect_update(*state, &before, &after, &params);
    }
    test_csr_finish(&before);
    test_csr_finish(&after);
}

// L D U has the row sums of the subdomain's matrix: M^-1 A 1 = 1.
static void test_precond__modified_ilu_keeps_row_sums(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_ILU0, LCL_PRECOND_ILDU0, LCL_PRECOND_IC0, LCL_PRECOND_ILUK,
        LCL_PRECOND_ILUT};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    double *ones = test_vector(A.rows), *b = test_vector(A.rows);
    double *x = test_vector(A.rows);
    for (int64_t i = 0; i < A.rows; ++i) {
        A.val[lcl_csr_find(&A, i, i)] += 0.5;
        ones[i] = 1;
    }
    lcl_csr_multiply(&A, ones, b);
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        const struct lcl_precond_params params = {
            .type = types[t],
            .relax = 1,
            .ilut_p = types[t] == LCL_PRECOND_ILUT ? 1 : 0,
            .coarse = LCL_COARSE_NONE,
            .storage = LCL_FACTOR_STORAGE_FP64,
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = A.rows},
        };
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
        if (types[t] != LCL_PRECOND_ILUT) // which drops entries of A as well
            test_expect_near("x", x, ones, A.rows, 1e-12);
        test_precond_destroy(&M);
    }
    free(x);
    free(b);
    free(ones);
    test_csr_finish(&A);
}

static void test_precond__relax_is_checked(void **state)
{
    const struct {
        struct lcl_precond_params params;
        enum lcl_status expected;
    } cases[] = {
        {{.relax = -0.1}, LCL_EINVAL},
        {{.relax = 1.5}, LCL_EINVAL},
        {{.relax = NAN}, LCL_EINVAL},
        {{.type = LCL_PRECOND_JACOBI, .relax = 1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_NONE, .relax = 1}, LCL_EINVAL},
        {{.relax = 1}, LCL_EUNSUPPORTED}, // of blocks
    };
    const struct lcl_operator_params blocks = {.block_size = 3};
    struct lcl_csr A = test_problem("lap3d:4,b=3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lcl_precond *M;
        assert_int_equal(
            test_precond_create_from(&M, *state, &A, &blocks, &cases[i].params),
            cases[i].expected);
        assert_null(M);
    }
    lcl_csr_finish(&A);
}

static void test_precond__repaired_pivots_are_forgotten_by_update(void **state)
{
    const struct lcl_precond_params params = {
        .pivot = LCL_PIVOT_SHIFT,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 120},
    };
    struct lcl_csr bad = test_laplacian(10, 10, 2);
    struct lcl_csr good = test_laplacian(10, 10, 2);
    bad.val[0] = 0;
    expect_update(*state, &bad, &good, &params);
    expect_update(*state, &good, &bad, &params);
    test_csr_finish(&bad);
    test_csr_finish(&good);
}

static void test_precond__policy_fail_tells_the_row_in_the_caller_s_numbers(
    void **state)
{
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_FAIL};
    struct lcl_csr A = test_identity(9);
    lcl_precond *M;
    A.val[6] = 0;
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_EPIVOT);
    assert_null(M);
    test_csr_finish(&A);
}

static void test_precond__missing_diagonals_are_repaired_and_told(void **state)
{
    const double dense[] = {0, 1, 0, 0, 2, 0, 0, 0, 3};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, NULL),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->missing_diagonals, 1);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 1);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0], 0);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ scales

// From 2^-20 to 2^20.
static double scale_of(int64_t i)
{
    return ldexp(1, (int)(i * 7 % 41) - 20);
}

// D A D for D = diag(scale_of(i)), with a diagonal so small that pivots get the
// wrong sign.
static struct lcl_csr poor(bool is_scaled)
{
    struct lcl_csr A = test_laplacian(8, 7, 6);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            A.val[k] = A.col_ind[k] == i ? 2.5 : A.val[k];
            if (is_scaled)
                A.val[k] *= scale_of(i) * scale_of(A.col_ind[k]);
        }
    return A;
}

// (D M D)^-1 D b = D^-1 M^-1 b.
static void expect_scaled(lcl_context *ctx,
                          const struct lcl_precond_params *params)
{
    struct lcl_csr all[] = {poor(false), poor(true)};
    const int64_t n = all[0].rows;
    double *b = test_random_vector(n, 1);
    double *x[] = {test_vector(n), test_vector(n)};
    for (int k = 0; k < 2; ++k) {
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, ctx, &all[k], params),
                         LCL_PIVOTS_REPAIRED);
        for (int64_t i = 0; i < n; ++i)
            b[i] *= k ? scale_of(i) : 1;
        test_precond_apply(M, b, x[k], n);
        test_precond_destroy(&M);
        test_csr_finish(&all[k]);
    }
    for (int64_t i = 0; i < n; ++i)
        x[1][i] *= scale_of(i);
    test_expect_same("x", x[1], x[0], n);
    free(b);
    free(x[0]);
    free(x[1]);
}

static void test_precond__scaled_matrices_have_scaled_cholesky(void **state)
{
    static const struct {
        enum lcl_precond_type type;
        enum lcl_trisolve trisolve;
        enum lcl_pivot pivot;
    } cases[] = {
        {LCL_PRECOND_IC0, LCL_TRISOLVE_PACKED, LCL_PIVOT_SHIFT},
        {LCL_PRECOND_IC0, LCL_TRISOLVE_PACKED, LCL_PIVOT_REPLACE},
        {LCL_PRECOND_IC0, LCL_TRISOLVE_HEC_LEVEL, LCL_PIVOT_SHIFT},
        {LCL_PRECOND_AS, LCL_TRISOLVE_PACKED, LCL_PIVOT_BOOST},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct lcl_precond_params params = {
            .type = cases[k].type,
            .trisolve = cases[k].trisolve,
            .pivot = cases[k].pivot,
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = 120},
            .storage = LCL_FACTOR_STORAGE_FP64,
        };
        expect_scaled(*state, &params);
    }
}

// -------------------------------------------------------------------- storage

// The rows of A by 1e-60, 1 and 1e60 in turn.
static double *badly_scaled(const struct lcl_csr *A)
{
    double *val = test_vector(A->nnz);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            val[k] = A->val[k] * (i % 3 == 0 ? 1e-60 : i % 3 == 1 ? 1 : 1e60);
    return val;
}

static void expect_applied(lcl_context *ctx, lcl_precond *M,
                           const struct lcl_csr *A,
                           struct lcl_precond_params params,
                           enum lcl_factor_storage storage)
{
    const int64_t n = A->rows;
    double *b = test_random_vector(n, 3);
    double *x = test_vector(n), *expected = test_vector(n);
    lcl_precond *fresh;
    assert_int_equal(lcl_precond_info(M)->storage, storage);
    params.storage = storage;
    assert_int_equal(test_precond_create(&fresh, ctx, A, &params), LCL_OK);
    test_precond_apply(M, b, x, n);
    test_precond_apply(fresh, b, expected, n);
    test_expect_same("x", x, expected, n);
    test_precond_destroy(&fresh);
    free(b);
    free(x);
    free(expected);
}

static void expect_storage_follows(lcl_context *ctx, struct lcl_csr A,
                                   enum lcl_coarse coarse)
{
    const struct lcl_precond_params params = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 64},
        .coarse = coarse};
    double *scaled = badly_scaled(&A);
    const struct lcl_csr odd = {A.rows,    A.cols,    A.nnz,
                                A.row_ptr, A.col_ind, scaled};
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, ctx, &A, &params), LCL_OK);
    expect_applied(ctx, M, &A, params, LCL_FACTOR_STORAGE_FP32);
    assert_int_equal(test_precond_update(M, scaled), LCL_OK);
    expect_applied(ctx, M, &odd, params, LCL_FACTOR_STORAGE_FP64);
    assert_int_equal(test_precond_update(M, A.val), LCL_OK);
    expect_applied(ctx, M, &A, params, LCL_FACTOR_STORAGE_FP64);
    test_precond_destroy(&M);
    assert_int_equal(test_precond_create(&M, ctx, &odd, &params), LCL_OK);
    expect_applied(ctx, M, &odd, params, LCL_FACTOR_STORAGE_FP64);
    test_precond_destroy(&M);
    free(scaled);
    test_csr_finish(&A);
}

static void test_precond__storage_follows_the_range_of_the_values(void **state)
{
    expect_storage_follows(*state, test_laplacian(8, 8, 8), LCL_COARSE_NONE);
    expect_storage_follows(*state, test_laplacian(8, 8, 8), LCL_COARSE_MULT);
    expect_storage_follows(*state, test_random_csr(300, 6, 1), LCL_COARSE_NONE);
}

static void test_precond__values_that_do_not_fit_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(6, 6, 6);
    double *scaled = badly_scaled(&A);
    const struct lcl_csr odd = {A.rows,    A.cols,    A.nnz,
                                A.row_ptr, A.col_ind, scaled};
    for (int s = LCL_FACTOR_STORAGE_FP32; s <= LCL_FACTOR_STORAGE_BF16; ++s) {
        const struct lcl_precond_params params = {
            .storage = (enum lcl_factor_storage)s};
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, *state, &odd, &params),
                         LCL_ERANGE);
        assert_null(M);
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        assert_int_equal(test_precond_update(M, scaled), LCL_ERANGE);
        assert_int_equal(test_precond_update(M, A.val), LCL_OK);
        expect_applied(*state, M, &A, params, (enum lcl_factor_storage)s);
        test_precond_destroy(&M);
    }
    free(scaled);
    test_csr_finish(&A);
}

// ---------------------------------------------------------------- published

// Solves a small system by every name, with factors that the method applies.
static void expect_solved(lcl_context *ctx, enum lcl_precond_type type,
                          enum lcl_trisolve trisolve)
{
    const struct lcl_precond_params precond = {
        .type = type,
        .trisolve = trisolve,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 150},
    };
    struct lcl_csr A = test_laplacian(9, 9, 8);
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, &precond, NULL);
    assert_int_equal(lcl_precond_info(s.M)->factors.trisolve, trisolve);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

static void test_precond__every_trisolve_solves_with_ildu0(void **state)
{
    for (int t = LCL_TRISOLVE_PACKED; t < LCL_TRISOLVE_COUNT; ++t)
        if (test_trisolve_supported(*state, (enum lcl_trisolve)t))
            expect_solved(*state, LCL_PRECOND_ILDU0, (enum lcl_trisolve)t);
}

static void test_precond__methods_of_LD_and_U_solve_with_ilu0(void **state)
{
    static const enum lcl_trisolve methods[] = {
        LCL_TRISOLVE_PACKED,        LCL_TRISOLVE_SPIN_LOOP_LDS,
        LCL_TRISOLVE_DAG_EC_NO_LDS, LCL_TRISOLVE_DAG_EC_LDS,
        LCL_TRISOLVE_DAG_EC_ILD_U0,
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        if (test_trisolve_supported(*state, methods[i]))
            expect_solved(*state, LCL_PRECOND_ILU0, methods[i]);
}

// ------------------------------------------------------------------ arguments

static void test_precond__unknown_enumerators_are_misuse(void **state)
{
    const struct lcl_precond_params wrong[] = {
        {.type = (enum lcl_precond_type)99},
        {.type = (enum lcl_precond_type) - 1},
        {.trisolve = LCL_TRISOLVE_COUNT},
        {.pivot = LCL_PIVOT_COUNT},
        {.coarse = LCL_COARSE_COUNT},
        {.partition = {.type = LCL_PARTITION_COUNT}},
        {.partition = {.weights = LCL_WEIGHTS_COUNT}},
    };
    struct lcl_csr A = test_random_csr(30, 3, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        lcl_precond *M = NULL;
        assert_misuse(test_precond_create(&M, *state, &A, &wrong[i]));
        assert_null(M);
    }
    test_csr_finish(&A);
}

static void test_precond__wrong_parameters_are_refused(void **state)
{
    const struct lcl_precond_params wrong[] = {
        {.pivot_tol = -1},
        {.pivot_tol = 1},
        {.pivot_tol = NAN},
        {.partition = {.rows = -5}},
        {.partition = {.type = LCL_PARTITION_MATCH, .rows = -5}},
        {.partition = {.type = LCL_PARTITION_LABELS}},
        {.partition = {.type = LCL_PARTITION_GEOMETRIC}},
        {.partition = {.type = LCL_PARTITION_GEOMETRIC,
                       .box = {INT64_MAX, INT64_MAX, -1}}},
        {.type = LCL_PRECOND_ILU0, .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED},
        {.type = LCL_PRECOND_ILU0, .trisolve = LCL_TRISOLVE_DAG_EC_LDS_UD},
        {.type = LCL_PRECOND_ILU0, .trisolve = LCL_TRISOLVE_DAG_EC_ILDU0_FUSED},
    };
    struct lcl_csr A = test_random_csr(30, 3, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        lcl_precond *M;
        if (test_precond_create(&M, *state, &A, &wrong[i]) >= 0)
            fail_msg("parameters %zu were taken", i);
        assert_null(M);
    }
    test_csr_finish(&A);
}

static void test_precond__huge_subdomains_are_cut_to_what_fits(void **state)
{
    const struct lcl_precond_params params = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = INT64_MAX}};
    struct lcl_csr A = test_identity(100);
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->factors.parts, 1);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

static void test_precond__unfit_matrices_are_refused(void **state)
{
    lcl_precond *M;
    int64_t row_ptr[] = {0, 1, 2};
    int32_t col[] = {0, 1};
    double val[] = {1, NAN};
    const struct lcl_csr not_finite = {2, 2, 2, row_ptr, col, val};
    const struct lcl_csr wide = {1, 2, 1, row_ptr, col, val};
    const struct lcl_csr empty = {0, 0, 0, row_ptr, col, val};
    assert_int_equal(test_precond_create(&M, *state, &not_finite, NULL),
                     LCL_EFORMAT);
    assert_int_equal(test_precond_create(&M, *state, &wide, NULL), LCL_EFORMAT);
    assert_int_equal(test_precond_create(&M, *state, &empty, NULL),
                     LCL_EFORMAT);
    assert_misuse(lcl_precond_create(&M, NULL, NULL));
    assert_null(M);
}

static void test_precond__solver_parameters_are_checked(void **state)
{
    const struct lcl_solver_params wrong[] = {
        {.rtol = 1},        {.rtol = -1},      {.rtol = NAN},      {.atol = -1},
        {.atol = INFINITY}, {.max_iters = -1}, {.stagnation = -1},
    };
    const struct lcl_solver_params unknown = {.type = LCL_SOLVER_COUNT};
    const struct lcl_solver_params huge = {
        .max_iters = INT_MAX, .stagnation = INT_MAX, .atol = 1e300};
    const double b[] = {1, NAN}, zero[] = {0, 0};
    struct lcl_csr A = test_identity(2);
    double x[] = {0, 0};
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(test_precond_create(&M, *state, &A, NULL), LCL_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_int_equal(test_solver_create(&S, M, &wrong[i]), LCL_EINVAL);
    assert_misuse(test_solver_create(&S, M, &unknown));
    assert_misuse(lcl_solver_create(&S, NULL, M, NULL));
    assert_misuse(lcl_solver_create(NULL, test_precond_operator(M), M, NULL));
    assert_int_equal(test_solver_create(&S, M, &huge), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_EFORMAT);
    assert_misuse(lcl_solver_solve(S, NULL, x, NULL));
    assert_int_equal(lcl_solver_solve(S, zero, x, NULL), LCL_OK);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precond__storage_follows_the_range_of_the_values),
        cmocka_unit_test(test_precond__values_that_do_not_fit_are_refused),
        cmocka_unit_test(test_precond__new_values_give_what_a_new_one_gives),
        cmocka_unit_test(test_precond__scaled_matrices_have_scaled_cholesky),
        cmocka_unit_test(test_precond__modified_ilu_keeps_row_sums),
        cmocka_unit_test(test_precond__relax_is_checked),
        cmocka_unit_test(test_precond__repaired_pivots_are_forgotten_by_update),
        cmocka_unit_test(
            test_precond__policy_fail_tells_the_row_in_the_caller_s_numbers),
        cmocka_unit_test(test_precond__missing_diagonals_are_repaired_and_told),
        cmocka_unit_test(test_precond__every_trisolve_solves_with_ildu0),
        cmocka_unit_test(test_precond__methods_of_LD_and_U_solve_with_ilu0),
        cmocka_unit_test(test_precond__unknown_enumerators_are_misuse),
        cmocka_unit_test(test_precond__wrong_parameters_are_refused),
        cmocka_unit_test(test_precond__huge_subdomains_are_cut_to_what_fits),
        cmocka_unit_test(test_precond__unfit_matrices_are_refused),
        cmocka_unit_test(test_precond__solver_parameters_are_checked),
    };
    return test_device_run(tests);
}
