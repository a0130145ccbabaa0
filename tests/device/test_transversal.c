// SPDX-License-Identifier: BSD-3-Clause
// Factors after the columns were permuted and scaled.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>

// Rows of a matrix without diagonal, of very different size: row i is row i + 1
// of a good one, times a power of two.
static struct lcl_csr shifted(int64_t n, unsigned seed)
{
    struct lcl_csr A = test_random_csr(n, 4, seed);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] == i ? 8 : 1;
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            dense[(i + n - 1) % n * n + A.col_ind[k]] =
                ldexp(A.val[k], (int)(i % 20) - 10);
    test_csr_finish(&A);
    A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

// With all fill the factors are those of A: M^-1 A x = x.
static const struct lcl_precond_params complete = {
    .type = LCL_PRECOND_ILUT,
    .transversal = true,
    .trisolve = LCL_TRISOLVE_HEC_LEVEL,
    .storage = LCL_FACTOR_STORAGE_FP64,
    .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1000},
    .ilut_p = 1000,
    .ilut_tol = 1e-16};

static void test_transversal__complete_factors_are_the_inverse(void **state)
{
    struct lcl_csr A = shifted(70, 1);
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, &complete), LCL_OK);
    assert_true(lcl_precond_info(M)->factors.transversal);
    assert_int_equal(lcl_precond_info(M)->type, LCL_PRECOND_ILUT);
    test_expect_inverse(M, &A);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + 0.1 * (double)(k % 5);
    assert_true(test_precond_update(M, A.val) >= LCL_OK);
    test_expect_inverse(M, &A);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

static void test_transversal__subdomains_are_factored(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_DEFAULT, LCL_PRECOND_ILU0, LCL_PRECOND_ILDU0,
        LCL_PRECOND_ILUK,    LCL_PRECOND_ILUT, LCL_PRECOND_RAS};
    static const enum lcl_solver_type solvers[] = {
        LCL_SOLVER_BICGSTAB, LCL_SOLVER_IDR, LCL_SOLVER_GMRES};
    struct lcl_csr A = shifted(200, 2);
    double *b = test_random_vector(A.rows, 3);
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        const struct lcl_precond_params params = {
            .type = types[t], .transversal = true, .partition = {.rows = 60}};
        const struct lcl_solver_params solver = {.type = solvers[t % 3]};
        struct test_solve s;
        test_solve_open(&s, *state, &A, &params, &solver);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        assert_true(s.report.iterations < 100);
        test_solve_close(&s);
    }
    free(b);
    test_csr_finish(&A);
}

static void expect_refused(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_operator_params *op,
                           enum lcl_precond_type type, enum lcl_status expected)
{
    const struct lcl_precond_params params = {.type = type,
                                              .transversal = true};
    lcl_precond *M;
    assert_int_equal(test_precond_create_from(&M, ctx, A, op, &params),
                     expected);
    assert_null(M);
}

static void test_transversal__unfit_matrices_and_types_are_refused(void **state)
{
    const double dense[] = {1, 1, 1, 0, 0, 1, 0, 0, 1}; // two rows, one column
    const struct lcl_operator_params blocks = {.block_size = 2};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    struct lcl_csr B = test_laplacian(4, 4, 4);
    expect_refused(*state, &A, NULL, LCL_PRECOND_ILDU0, LCL_EPIVOT);
    expect_refused(*state, &B, &blocks, LCL_PRECOND_ILDU0, LCL_EUNSUPPORTED);
    expect_refused(*state, &B, NULL, LCL_PRECOND_IC0, LCL_EINVAL);
    expect_refused(*state, &B, NULL, LCL_PRECOND_AS, LCL_EINVAL);
    expect_refused(*state, &B, NULL, LCL_PRECOND_JACOBI, LCL_EINVAL);
    expect_refused(*state, &B, NULL, LCL_PRECOND_AMG, LCL_EINVAL);
    test_csr_finish(&A);
    test_csr_finish(&B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transversal__complete_factors_are_the_inverse),
        cmocka_unit_test(test_transversal__subdomains_are_factored),
        cmocka_unit_test(
            test_transversal__unfit_matrices_and_types_are_refused),
    };
    return test_device_run(tests);
}
