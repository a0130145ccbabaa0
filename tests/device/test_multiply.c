// SPDX-License-Identifier: BSD-3-Clause
// Products of operators through the public interface.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "lib/ref/spgemm.h"
#include "lib/spmv/matrix_operator.h"

#include <levelcl/precond.h>

#include <stdlib.h>

static lcl_operator *open_operator(lcl_context *ctx, const struct lcl_csr *A,
                                   int block)
{
    const struct lcl_operator_params params = {.block_size = block};
    lcl_operator *P = NULL;
    assert_int_equal(lcl_operator_create(&P, ctx, A, &params), LCL_OK);
    return P;
}

// P has the entries of A bit for bit, and its products.
static void expect_operator(lcl_operator *P, const struct lcl_csr *A)
{
    double *x = test_random_vector(A->cols, 3), *y = test_vector(A->rows);
    double *expected = test_vector(A->rows);
    const struct lcl_operator_info *info = lcl_operator_info(P);
    struct lcl_bsr got;
    assert_true(info->rows == A->rows && info->cols == A->cols);
    assert_true(info->nnz == A->nnz && info->block_size == 1);
    assert_int_equal(lcl_operator_download(P, &got, true), LCL_OK);
    for (int64_t k = 0; k < A->nnz; ++k)
        assert_int_equal(got.col_ind[k], A->col_ind[k]);
    test_expect_same("value", got.val, A->val, A->nnz);
    lcl_csr_multiply(A, x, expected);
    assert_int_equal(lcl_operator_apply(P, x, y), LCL_OK);
    test_expect_near("y", y, expected, A->rows, 1e-12);
    lcl_bsr_finish(&got);
    free(expected);
    free(y);
    free(x);
}

static void test_multiply__products_match(void **state)
{
    struct lcl_csr A = test_random_csr(90, 4, 1);
    struct lcl_csr B = test_stretched_csr(90, 130, 2), C;
    lcl_operator *a = open_operator(*state, &A, 1), *c = NULL;
    lcl_operator *b = open_operator(*state, &B, 1);
    assert_int_equal(lcl_ref_spgemm(&C, &A, &B, NULL), LCL_OK);
    assert_int_equal(lcl_operator_multiply(&c, a, b), LCL_OK);
    expect_operator(c, &C);
    lcl_operator_destroy(&b);
    lcl_operator_destroy(&a);
    expect_operator(c, &C);
    lcl_operator_destroy(&c);
    lcl_csr_finish(&C);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// The product has new values of its own, of which its factors know nothing.
static void test_multiply__products_are_operators_like_others(void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 4), C;
    lcl_operator *a = open_operator(*state, &A, 1), *c = NULL;
    assert_int_equal(lcl_ref_spgemm(&C, &A, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_multiply(&c, a, a), LCL_OK);
    for (int64_t k = 0; k < C.nnz; ++k)
        C.val[k] = (double)k;
    assert_int_equal(lcl_operator_update(c, C.val), LCL_OK);
    expect_operator(c, &C);
    expect_operator(a, &A);
    lcl_operator_destroy(&c);
    lcl_operator_destroy(&a);
    lcl_csr_finish(&C);
    test_csr_finish(&A);
}

// A preconditioner may renumber its operator; the product has the numbering of
// the caller.
static void test_multiply__numbering_is_that_of_the_caller(void **state)
{
    struct lcl_csr A = test_random_csr(200, 4, 3), C;
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0,
                                              .partition = {.rows = 64}};
    lcl_operator *a = open_operator(*state, &A, 1), *c = NULL;
    lcl_precond *M = NULL;
    assert_int_equal(lcl_precond_create(&M, a, &params), LCL_OK);
    assert_non_null(a->own.perm);
    assert_int_equal(lcl_ref_spgemm(&C, &A, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_multiply(&c, a, a), LCL_OK);
    expect_operator(c, &C);
    lcl_operator_destroy(&c);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&a);
    lcl_csr_finish(&C);
    test_csr_finish(&A);
}

static enum lcl_status zero(void *user, const double *x, double *y)
{
    (void)user, (void)x, (void)y;
    return LCL_OK;
}

static void test_multiply__other_operators_are_refused(void **state)
{
    struct lcl_csr A = test_identity(6), B = test_identity(7);
    lcl_operator *a = open_operator(*state, &A, 1), *c = a, *f = NULL;
    lcl_operator *b = open_operator(*state, &B, 1);
    lcl_operator *blocks = open_operator(*state, &A, 3);
    assert_int_equal(lcl_operator_create_callback(&f, *state, 6, 6, zero, NULL),
                     LCL_OK);
    assert_misuse(lcl_operator_multiply(NULL, a, a));
    assert_misuse(lcl_operator_multiply(&c, NULL, a));
    assert_misuse(lcl_operator_multiply(&c, a, NULL));
    assert_misuse(lcl_operator_multiply(&c, a, f));
    assert_misuse(lcl_operator_multiply(&c, f, a));
    assert_int_equal(lcl_operator_multiply(&c, a, b), LCL_EINVAL);
    assert_int_equal(lcl_operator_multiply(&c, a, blocks), LCL_EUNSUPPORTED);
    assert_int_equal(lcl_operator_multiply(&c, blocks, a), LCL_EUNSUPPORTED);
    assert_null(c);
    lcl_operator_destroy(&f);
    lcl_operator_destroy(&blocks);
    lcl_operator_destroy(&b);
    lcl_operator_destroy(&a);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiply__products_match),
        cmocka_unit_test(test_multiply__products_are_operators_like_others),
        cmocka_unit_test(test_multiply__numbering_is_that_of_the_caller),
        cmocka_unit_test(test_multiply__other_operators_are_refused),
    };
    return test_device_run(tests);
}
