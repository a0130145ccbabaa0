// SPDX-License-Identifier: BSD-3-Clause
// Operators, preconditioners and solvers on several ranks, compared with the
// host and with one device.
#include "host/context.h"
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- products

static void expect_product(struct test_ranks *R)
{
    const int64_t n = R->A->rows;
    double *x = test_random_vector(n, 3), *y = test_vector(n);
    double *expected = test_vector(n);
    lcl_csr_multiply(R->A, x, expected);
    assert_int_equal(test_ranks_apply(R, x, y), LCL_OK);
    test_expect_near("A x", y, expected, n, 1e-13);
    free(expected);
    free(y);
    free(x);
}

static void expect_products(struct lcl_csr A,
                            const struct lcl_operator_params *params)
{
    for (int size = 1; size <= TEST_RANKS; ++size) {
        struct test_ranks R;
        test_ranks_open(&R, size, &A, NULL);
        assert_int_equal(test_ranks_operators(&R, params), LCL_OK);
        for (int repeat = 0; repeat < 3; ++repeat)
            expect_product(&R);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

static void test_distributed__products_are_the_host_s(void **state)
{
    (void)state;
    expect_products(test_laplacian(7, 6, 5), NULL);
    expect_products(test_random_csr(150, 6, 1), NULL);
    expect_products(test_dense_row(40, 7), NULL);
    expect_products(test_identity(5), NULL);
}

// ------------------------------------------------------------------- solves

// Solves with a random right-hand side; returns the iterations.
static int solve(struct test_ranks *R, const struct lcl_precond_params *M,
                 const struct lcl_solver_params *params)
{
    const int64_t n = R->A->rows;
    double *b = test_random_vector(n, 4), *x = test_vector(n);
    struct lcl_report report;
    assert_int_equal(test_ranks_operators(R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(R, M, params), LCL_OK);
    assert_int_equal(test_ranks_solve(R, b, x, &report), LCL_OK);
    const double residual = test_residual(R->A, b, x);
    assert_true(residual <= 1e-8);
    assert_true(fabs(residual - report.true_residual) <= 1e-12);
    test_ranks_drop(R);
    free(x);
    free(b);
    return report.iterations;
}

static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};

static const struct lcl_solver_params solvers[] = {
    {.type = LCL_SOLVER_CG},
    {.type = LCL_SOLVER_CG_PUBLISHED},
    {.type = LCL_SOLVER_BICGSTAB},
    {.type = LCL_SOLVER_IDR},
    {.type = LCL_SOLVER_GMRES, .restart = 20},
    {.type = LCL_SOLVER_FGMRES, .restart = 50},
    {.type = LCL_SOLVER_MINRES},
    {.type = LCL_SOLVER_CG_PIPELINED},
};

// Without preconditioner, or with the diagonal, the ranks change nothing but
// the order of sums.
static void test_distributed__methods_take_the_iterations_of_one_rank(
    void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        if (!test_solver_works(*state, solvers[k].type))
            continue;
        const bool published = solvers[k].type == LCL_SOLVER_CG_PUBLISHED;
        const struct lcl_precond_params *M = published ? NULL : &jacobi;
        int iterations[TEST_RANKS + 1];
        for (int size = 1; size <= 3; ++size) {
            struct test_ranks R;
            test_ranks_open(&R, size, &A, NULL);
            iterations[size] = solve(&R, M, &solvers[k]);
            test_ranks_close(&R);
            assert_in_range(iterations[size] + 3, iterations[1],
                            iterations[1] + 6);
        }
    }
    test_csr_finish(&A);
}

// A rank whose device is of another type than those of the others takes the
// same steps.
static void test_distributed__a_cpu_among_other_devices(void **state)
{
    static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    enum lcl_device_type *type = &R.ctx[1]->caps.type;
    const enum lcl_device_type real = *type;
    *type = real == LCL_DEVICE_CPU ? LCL_DEVICE_GPU : LCL_DEVICE_CPU;
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        solve(&R, &none, &solvers[k]);
    *type = real;
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_distributed__preconditioners_are_those_of_each_rank(
    void **state)
{
    static const struct lcl_precond_params all[] = {
        {.type = LCL_PRECOND_BLOCK_JACOBI},
        {.type = LCL_PRECOND_ILU0, .partition = {.rows = 64}},
        {.type = LCL_PRECOND_ILDU0, .partition = {.rows = 64}},
        {.type = LCL_PRECOND_ILDU0,
         .partition = {.rows = 40},
         .coarse = LCL_COARSE_MULT},
        {.type = LCL_PRECOND_IC0, .partition = {.rows = 64}},
        {.type = LCL_PRECOND_ILUK, .partition = {.rows = 64}},
        {.type = LCL_PRECOND_RAS, .partition = {.rows = 64}},
        {.type = LCL_PRECOND_AMG},
    };
    struct lcl_csr A = test_laplacian(9, 8, 7);
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        const bool symmetric =
            all[k].type == LCL_PRECOND_IC0 || all[k].type == LCL_PRECOND_AMG;
        struct test_ranks R;
        test_ranks_open(&R, 3, &A, NULL);
        assert_in_range(solve(&R, &all[k], &solvers[symmetric ? 0 : 2]), 2, 60);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- systems

// New values for a pattern with a diagonal, which dominates.
static void give_values(struct lcl_csr *A, unsigned seed)
{
    uint64_t random = seed;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            A->val[k] = A->col_ind[k] == i
                            ? 1 + (double)(A->row_ptr[i + 1] - A->row_ptr[i])
                            : 2 * test_random(&random) - 1;
}

static struct lcl_csr blocks_of_3(void)
{
    struct lcl_csr cells = test_laplacian(5, 4, 3);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    give_values(&A, 6);
    test_csr_finish(&cells);
    return A;
}

static const struct lcl_precond_params subdomains = {.type = LCL_PRECOND_ILDU0,
                                                     .partition = {.rows = 40}};

// Operators, preconditioners and solvers on three ranks of A.
static void open_solvers(struct test_ranks *R, const struct lcl_csr *A,
                         const int64_t *from,
                         const struct lcl_precond_params *M,
                         const struct lcl_solver_params *params)
{
    test_ranks_open(R, 3, A, from);
    assert_int_equal(test_ranks_operators(R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(R, M, params), LCL_OK);
}

// Solves with the solvers that R has, from zero, to the default tolerance.
static void expect_solved(struct test_ranks *R, const struct lcl_csr *A)
{
    double *b = test_random_vector(A->rows, 4), *x = test_vector(A->rows);
    struct lcl_report report;
    assert_int_equal(test_ranks_solve(R, b, x, &report), LCL_OK);
    test_ranks_expect(R, LCL_OK);
    assert_true(test_residual(A, b, x) <= 1e-8);
    free(x);
    free(b);
}

// Blocks that the rows of a rank fit, and rows of a rank that end in a block.
static void test_distributed__blocks_may_end_between_ranks(void **state)
{
    static const int64_t from[][4] = {
        {0, 60, 120, 180}, {0, 61, 119, 180}, {0, 60, 121, 180}};
    static const int own[][3] = {{3, 3, 3}, {1, 1, 1}, {3, 1, 1}};
    struct lcl_csr A = blocks_of_3();
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct test_ranks R;
        open_solvers(&R, &A, from[k], &subdomains, &solvers[2]);
        for (int r = 0; r < R.size; ++r) {
            assert_int_equal(R.op[r]->part->info.block_size, own[k][r]);
            assert_int_equal(lcl_operator_info(R.op[r])->block_size, own[k][0]);
        }
        expect_product(&R);
        expect_solved(&R, &A);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

static void test_distributed__unsymmetric_systems_with_subdomains(void **state)
{
    static const int64_t from[] = {0, 130, 220, 400};
    struct lcl_csr A = test_random_csr(400, 4, 7);
    (void)state;
    for (size_t k = 2; k < 5; ++k) {
        struct test_ranks R;
        open_solvers(&R, &A, from, &subdomains, &solvers[k]);
        expect_solved(&R, &A);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

static void test_distributed__products_follow_a_new_numbering(void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 8);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    expect_product(&R);
    assert_int_equal(test_ranks_solvers(&R, &subdomains, &solvers[2]), LCL_OK);
    for (int r = 0; r < R.size; ++r)
        assert_non_null(R.op[r]->numbering->perm);
    expect_product(&R);
    expect_solved(&R, &A);
    expect_product(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_distributed__two_preconditioners_of_one_operator(void **state)
{
    static const struct lcl_precond_params second = {.type = LCL_PRECOND_ILU0,
                                                     .partition = {.rows = 25}};
    struct lcl_csr A = test_random_csr(300, 5, 9);
    struct test_ranks R, other;
    (void)state;
    open_solvers(&R, &A, NULL, &subdomains, &solvers[2]);
    other = R;
    assert_int_equal(test_ranks_solvers(&other, &second, &solvers[4]), LCL_OK);
    for (int repeat = 0; repeat < 2; ++repeat) {
        expect_solved(&R, &A);
        expect_solved(&other, &A);
    }
    for (int r = 0; r < R.size; ++r) {
        lcl_solver_destroy(&other.S[r]);
        lcl_precond_destroy(&other.M[r]);
    }
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// A rank of one row has fewer than a cycle of GMRES or the shadow space of IDR.
static void test_distributed__ranks_of_very_different_sizes(void **state)
{
    static const int64_t from[][4] = {
        {0, 1, 2, 300}, {0, 1, 299, 300}, {0, 298, 299, 300}};
    struct lcl_csr A = test_random_csr(300, 4, 10);
    (void)state;
    for (size_t k = 2; k < 5; ++k) {
        struct test_ranks R;
        open_solvers(&R, &A, from[k - 2], &subdomains, &solvers[k]);
        expect_product(&R);
        expect_solved(&R, &A);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

// Tridiagonal, without couplings between the rows gap - 1 and gap.
static struct lcl_csr line_with_a_gap(int64_t n, int64_t gap)
{
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = 2.01;
        if (i > 0 && i != gap)
            dense[i * n + i - 1] = dense[(i - 1) * n + i] = -1;
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

// The last rank needs fewer launches than the others, but batches as long as
// theirs.
static void test_distributed__a_rank_without_couplings(void **state)
{
    static const int64_t from[] = {0, 50, 100, 120};
    struct lcl_csr A = line_with_a_gap(120, 100);
    (void)state;
    for (size_t k = 0; k < 5; k += 2) {
        struct test_ranks R;
        open_solvers(&R, &A, from, &jacobi, &solvers[k]);
        expect_product(&R);
        expect_solved(&R, &A);
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- values

static void test_distributed__new_values_on_all_ranks(void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 11);
    struct test_ranks R;
    (void)state;
    open_solvers(&R, &A, NULL, &subdomains, &solvers[2]);
    for (unsigned seed = 1; seed <= 2; ++seed) {
        expect_solved(&R, &A);
        give_values(&A, seed);
        assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
        test_ranks_expect(&R, LCL_OK);
        expect_product(&R);
    }
    expect_solved(&R, &A);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// The first entry of a rank in a column of another one.
static int64_t entry_between_ranks(const struct test_ranks *R, int rank)
{
    const struct lcl_rows *rows = &R->rows[rank];
    int64_t k = 0;
    while (rows->col[k] >= rows->first &&
           rows->col[k] < rows->first + rows->rows)
        ++k;
    return R->A->row_ptr[rows->first] + k;
}

static void test_distributed__values_that_are_not_finite_change_nothing(
    void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 12);
    struct test_ranks R;
    (void)state;
    open_solvers(&R, &A, NULL, &jacobi, &solvers[2]);
    double *val = test_random_vector(A.nnz, 13);
    const int64_t at[] = {0, entry_between_ranks(&R, 1), A.nnz - 1};
    for (int k = 0; k < 3; ++k) {
        const double before = val[at[k]];
        val[at[k]] = k == 1 ? INFINITY : NAN;
        assert_int_equal(test_ranks_update(&R, val), LCL_EFORMAT);
        test_ranks_expect(&R, LCL_EFORMAT);
        val[at[k]] = before;
        expect_product(&R);
    }
    expect_solved(&R, &A);
    free(val);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- refusals

static void test_distributed__cg_refuses_asymmetry_between_ranks(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    double *b = test_random_vector(A.rows, 4), *x = test_vector(A.rows);
    struct lcl_report report;
    struct test_ranks R;
    (void)state;
    open_solvers(&R, &A, NULL, &jacobi, &solvers[0]);
    expect_solved(&R, &A);
    A.val[entry_between_ranks(&R, 1)] *= 1.5;
    assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    assert_int_equal(test_ranks_solve(&R, b, x, &report), LCL_EUNSUPPORTED);
    test_ranks_expect(&R, LCL_EUNSUPPORTED);
    free(x);
    free(b);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void expect_refused(struct test_ranks *R, double *at, const double *b,
                           double *x)
{
    struct lcl_report report;
    const double before = *at;
    *at = NAN;
    assert_int_equal(test_ranks_solve(R, b, x, &report), LCL_EFORMAT);
    test_ranks_expect(R, LCL_EFORMAT);
    *at = before;
}

static void test_distributed__vectors_that_are_not_finite_are_refused(
    void **state)
{
    struct lcl_csr A = test_random_csr(200, 4, 13);
    const int64_t n = A.rows;
    double *b = test_random_vector(n, 4), *x = test_random_vector(n, 5);
    double *before = test_random_vector(n, 5);
    struct test_ranks R;
    (void)state;
    open_solvers(&R, &A, NULL, &jacobi, &solvers[2]);
    expect_refused(&R, &b[0], b, x);
    expect_refused(&R, &b[n - 1], b, x);
    expect_refused(&R, &x[n / 2], b, x);
    test_expect_same("x", x, before, n);
    expect_solved(&R, &A);
    test_ranks_close(&R);
    free(before);
    free(x);
    free(b);
    test_csr_finish(&A);
}

static enum lcl_status square(void *arg, int r)
{
    const struct test_ranks *R = arg;
    lcl_operator *C;
    const enum lcl_status st = lcl_operator_multiply(&C, R->op[r], R->op[r]);
    return C ? LCL_OK : st;
}

static enum lcl_status set_constants(void *arg, int r)
{
    const struct test_ranks *R = arg;
    const int64_t n = R->rows[r].rows;
    struct lcl_dense B = {.rows = n, .cols = 1, .val = test_vector(n)};
    for (int64_t i = 0; i < n; ++i)
        B.val[i] = 1;
    const enum lcl_status st = lcl_operator_set_near_nullspace(R->op[r], &B);
    free(B.val);
    return st;
}

// Not with the rows and columns of a rank alone.
static void test_distributed__sparse_products_are_refused(void **state)
{
    struct lcl_csr A = test_random_csr(60, 3, 16);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    assert_int_equal(test_ranks_run(&R, square, &R), LCL_EUNSUPPORTED);
    test_ranks_expect(&R, LCL_EUNSUPPORTED);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_distributed__near_null_vectors_reach_preconditioners(
    void **state)
{
    static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    assert_int_equal(test_ranks_run(&R, set_constants, &R), LCL_OK);
    assert_int_equal(test_ranks_solvers(&R, &amg, &solvers[0]), LCL_OK);
    for (int r = 0; r < R.size; ++r)
        assert_int_equal(R.M[r]->A->near_null.cols, 1);
    expect_solved(&R, &A);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- stops

static void test_distributed__zero_right_hand_side(void **state)
{
    struct lcl_csr A = test_random_csr(200, 4, 14);
    double *zero = test_vector(A.rows), *x = test_random_vector(A.rows, 5);
    struct lcl_report report;
    struct test_ranks R;
    (void)state;
    open_solvers(&R, &A, NULL, &jacobi, &solvers[2]);
    assert_int_equal(test_ranks_solve(&R, zero, x, &report), LCL_OK);
    assert_int_equal(report.stop, LCL_STOP_ZERO_RHS);
    test_expect_same("x", x, zero, A.rows);
    test_ranks_close(&R);
    free(x);
    free(zero);
    test_csr_finish(&A);
}

// Zero on two ranks of three.
static void test_distributed__right_hand_side_of_one_rank(void **state)
{
    struct lcl_csr A = test_random_csr(200, 4, 15);
    double *b = test_vector(A.rows), *x = test_vector(A.rows);
    struct lcl_report report;
    struct test_ranks R;
    (void)state;
    b[A.rows - 1] = 3;
    open_solvers(&R, &A, NULL, &jacobi, &solvers[3]);
    assert_int_equal(test_ranks_solve(&R, b, x, &report), LCL_OK);
    assert_true(test_residual(&A, b, x) <= 1e-8);
    test_ranks_close(&R);
    free(x);
    free(b);
    test_csr_finish(&A);
}

static bool go_on_until_5(void *user, const struct lcl_progress_info *info)
{
    int *calls = user; // rank 0 alone calls: no lock
    ++*calls;
    return info->iteration < 5;
}

static void test_distributed__the_monitor_of_rank_0_stops_all(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 10);
    double *b = test_random_vector(A.rows, 4), *x = test_vector(A.rows);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        if (!test_solver_works(*state, solvers[k].type))
            continue;
        int calls = 0;
        struct lcl_solver_params params = solvers[k];
        struct lcl_report report;
        struct test_ranks R;
        params.monitor = go_on_until_5;
        params.monitor_user = &calls;
        open_solvers(&R, &A, NULL, NULL, &params);
        assert_int_equal(test_ranks_solve(&R, b, x, &report),
                         LCL_ITERATION_LIMIT);
        test_ranks_expect(&R, LCL_ITERATION_LIMIT);
        assert_int_equal(report.stop, LCL_STOP_MONITOR);
        assert_in_range(report.iterations, 5, 40);
        assert_in_range(calls, 1, report.iterations);
        test_ranks_close(&R);
        memset(x, 0, (size_t)A.rows * sizeof *x);
    }
    free(x);
    free(b);
    test_csr_finish(&A);
}

static void test_distributed__failed_solves_return_the_best_x(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 10);
    double *b = test_random_vector(A.rows, 4);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        if (!test_solver_works(*state, solvers[k].type))
            continue;
        double *x = test_vector(A.rows);
        struct lcl_solver_params params = solvers[k];
        struct lcl_report report;
        struct test_ranks R;
        params.max_iters = 7;
        open_solvers(&R, &A, NULL, NULL, &params);
        assert_int_equal(test_ranks_solve(&R, b, x, &report),
                         LCL_ITERATION_LIMIT);
        test_ranks_expect(&R, LCL_ITERATION_LIMIT);
        assert_int_equal(report.stop, LCL_STOP_MAX_ITERS);
        assert_int_equal(report.iterations, 7);
        const double residual = test_residual(&A, b, x);
        assert_true(residual < 1);
        assert_true(fabs(residual - report.true_residual) <= 1e-12);
        test_ranks_close(&R);
        free(x);
    }
    free(b);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributed__products_are_the_host_s),
        cmocka_unit_test(
            test_distributed__methods_take_the_iterations_of_one_rank),
        cmocka_unit_test(
            test_distributed__preconditioners_are_those_of_each_rank),
        cmocka_unit_test(test_distributed__a_cpu_among_other_devices),
        cmocka_unit_test(test_distributed__blocks_may_end_between_ranks),
        cmocka_unit_test(test_distributed__unsymmetric_systems_with_subdomains),
        cmocka_unit_test(test_distributed__products_follow_a_new_numbering),
        cmocka_unit_test(test_distributed__two_preconditioners_of_one_operator),
        cmocka_unit_test(test_distributed__ranks_of_very_different_sizes),
        cmocka_unit_test(test_distributed__a_rank_without_couplings),
        cmocka_unit_test(test_distributed__new_values_on_all_ranks),
        cmocka_unit_test(
            test_distributed__values_that_are_not_finite_change_nothing),
        cmocka_unit_test(test_distributed__cg_refuses_asymmetry_between_ranks),
        cmocka_unit_test(
            test_distributed__vectors_that_are_not_finite_are_refused),
        cmocka_unit_test(test_distributed__sparse_products_are_refused),
        cmocka_unit_test(
            test_distributed__near_null_vectors_reach_preconditioners),
        cmocka_unit_test(test_distributed__zero_right_hand_side),
        cmocka_unit_test(test_distributed__right_hand_side_of_one_rank),
        cmocka_unit_test(test_distributed__the_monitor_of_rank_0_stops_all),
        cmocka_unit_test(test_distributed__failed_solves_return_the_best_x),
    };
    return test_device_run(tests);
}
