// SPDX-License-Identifier: BSD-3-Clause
// LU factors of the whole matrix on the host, as a preconditioner.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include <levelcl/solver.h>
#include <levelcl/version.h>

#include <stdlib.h>
#include <string.h>

static const struct lcl_precond_params lu = {.type = LCL_PRECOND_LU};

static bool is_there(void)
{
    return strstr(lcl_packages(), "SuiteSparse") != NULL;
}

static void expect_inverse(lcl_precond *M, const struct lcl_csr *A)
{
    const int64_t n = A->rows;
    double *b = test_random_vector(n, 4), *x = test_vector(n);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    assert_true(test_residual(A, b, x) <= 1e-10);
    free(x);
    free(b);
}

// A without its diagonal: rows in a circle, 2 at the next one.
static struct lcl_csr shifted(int64_t n, unsigned seed)
{
    struct lcl_csr A = test_random_csr(n, 5, seed);
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if ((A.col_ind[k] + 1) % n != i)
                dense[i * n + (A.col_ind[k] + 1) % n] = A.val[k];
    test_csr_finish(&A);
    A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

static void expect_all(lcl_context *ctx, struct lcl_csr *A, int block)
{
    const struct lcl_operator_params params = {.block_size = block};
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, ctx, A, &params), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &lu), LCL_OK);
    assert_true(lcl_precond_info(M)->factors.nnz >= A->rows);
    expect_inverse(M, A);
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] *= 1 + 0.01 * (double)(k % 7);
    assert_int_equal(lcl_operator_update(op, A->val), LCL_OK);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    expect_inverse(M, A);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
}

static void test_lu__is_the_inverse(void **state)
{
    struct lcl_csr A[] = {test_random_csr(90, 4, 1), test_laplacian(7, 6, 5),
                          test_dense_row(40, 7), test_identity(1),
                          shifted(70, 3)};
    if (!is_there())
        skip();
    for (size_t k = 0; k < sizeof A / sizeof *A; ++k) {
        expect_all(*state, &A[k], 1);
        test_csr_finish(&A[k]);
    }
}

static void test_lu__takes_blocks(void **state)
{
    struct lcl_csr cells = test_random_csr(40, 4, 1);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    if (!is_there())
        skip();
    free(A.val);
    A.val = test_random_vector(A.nnz, 3);
    expect_all(*state, &A, 3);
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

// A random right-hand side and at most three iterations.
static void test_lu__solves(void **state)
{
    struct lcl_csr A = shifted(200, 5);
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_GMRES, .rtol = 1e-12, .max_iters = 3};
    double *b = test_random_vector(A.rows, 2), *x = test_vector(A.rows);
    struct lcl_report report;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    if (!is_there())
        skip();
    memset(x, 0, (size_t)A.rows * sizeof *x);
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &lu), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, M, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    assert_int_equal(report.stop, LCL_STOP_RTOL);
    assert_true(test_residual(&A, b, x) <= 1e-12 * (1 + 1e-3));
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(x);
    free(b);
    test_csr_finish(&A);
}

// M^-T b against the product with A^T.
static void test_lu__has_a_transpose(void **state)
{
    struct lcl_csr A = shifted(60, 2);
    const int64_t n = A.rows;
    double *b = test_random_vector(n, 4), *x = test_vector(n);
    double *y = test_vector(n);
    lcl_operator *op;
    lcl_precond *M;
    if (!is_there())
        skip();
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &lu), LCL_OK);
    assert_int_equal(lcl_precond_apply_transpose(M, b, x), LCL_OK);
    assert_int_equal(lcl_operator_apply_transpose(op, x, y), LCL_OK);
    test_expect_near("A^T x", y, b, n, 1e-9);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(y);
    free(x);
    free(b);
    test_csr_finish(&A);
}

static void expect_refused(lcl_context *ctx, const struct lcl_csr *A,
                           enum lcl_status status)
{
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &lu), status);
    assert_null(M);
    lcl_operator_destroy(&op);
}

// By its values, and by its pattern: an empty column, two equal rows of one
// entry.
static void test_lu__refuses_singular_matrices(void **state)
{
    static const double values[] = {1, 2, 0, 2, 4, 0, 0, 0, 5};
    static const double empty[] = {1, 0, 2, 3, 0, 4, 5, 0, 6};
    static const double twice[] = {0, 2, 0, 0, 3, 0, 1, 1, 1};
    const double *const all[] = {values, empty, twice};
    for (int k = 0; k < 3; ++k) {
        struct lcl_csr A = test_csr_from_dense(3, all[k]);
        expect_refused(*state, &A, is_there() ? LCL_EPIVOT : LCL_EUNSUPPORTED);
        test_csr_finish(&A);
    }
}

static void test_lu__is_for_one_device(void **state)
{
    lcl_context *const two[] = {*state, test_context(1)};
    struct lcl_csr A = test_laplacian(6, 5, 4);
    lcl_operator *op;
    lcl_precond *M;
    if (!two[1])
        skip();
    assert_int_equal(lcl_operator_create_distributed(&op, two, 2, &A, NULL),
                     LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &lu), LCL_EUNSUPPORTED);
    assert_null(M);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// A matrix that this build cannot factor is no success.
static void test_lu__without_the_package_there_is_none(void **state)
{
    struct lcl_csr A = test_identity(3);
    if (is_there())
        skip();
    expect_refused(*state, &A, LCL_EUNSUPPORTED);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu__is_the_inverse),
        cmocka_unit_test(test_lu__takes_blocks),
        cmocka_unit_test(test_lu__solves),
        cmocka_unit_test(test_lu__has_a_transpose),
        cmocka_unit_test(test_lu__refuses_singular_matrices),
        cmocka_unit_test(test_lu__is_for_one_device),
        cmocka_unit_test(test_lu__without_the_package_there_is_none),
    };
    return test_device_run(tests);
}
