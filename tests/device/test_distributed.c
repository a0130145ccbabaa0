// SPDX-License-Identifier: BSD-3-Clause
// Operators, preconditioners and solvers on several ranks, compared with the
// host and with one device.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

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

static const struct lcl_solver_params solvers[] = {
    {.type = LCL_SOLVER_CG},
    {.type = LCL_SOLVER_CG_PUBLISHED},
    {.type = LCL_SOLVER_MINRES},
    {.type = LCL_SOLVER_BICGSTAB},
    {.type = LCL_SOLVER_IDR},
    {.type = LCL_SOLVER_GMRES, .restart = 20},
    {.type = LCL_SOLVER_FGMRES, .restart = 50},
};

// Without preconditioner, or with the diagonal, the ranks change nothing but
// the order of sums.
static void test_distributed__methods_take_the_iterations_of_one_rank(
    void **state)
{
    static const struct lcl_precond_params jacobi = {.type =
                                                         LCL_PRECOND_JACOBI};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    (void)state;
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
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
        assert_in_range(solve(&R, &all[k], &solvers[symmetric ? 0 : 3]), 2, 60);
        test_ranks_close(&R);
    }
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
    };
    return test_device_run(tests);
}
