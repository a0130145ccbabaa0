// SPDX-License-Identifier: BSD-3-Clause
// spgemm.cl and transpose.cl compared with the references.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/operator/spgemm.h"
#include "lib/ref/spgemm.h"

#include <stdlib.h>

static void upload(struct lcl_device_matrix *D, lcl_context *ctx,
                   const struct lcl_csr *A)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    assert_int_equal(lcl_device_matrix_init(D, ctx, &view), LCL_OK);
}

static void expect_matrix(const struct lcl_device_matrix *D,
                          const struct lcl_csr *expected)
{
    struct lcl_bsr got;
    assert_int_equal(D->block_rows, expected->rows);
    assert_int_equal(D->block_cols, expected->cols);
    assert_int_equal(D->blocks, expected->nnz);
    assert_int_equal(lcl_device_matrix_read(&got, D, true, NULL), LCL_OK);
    for (int64_t i = 0; i <= got.rows; ++i)
        assert_int_equal(got.row_ptr[i], expected->row_ptr[i]);
    test_expect_words("column", D->col, expected->col_ind, got.nnz);
    test_expect_near("value", got.val, expected->val, got.nnz, 1e-12);
    lcl_bsr_finish(&got);
}

// A second set of values, too.
static void expect_product(lcl_context *ctx, struct lcl_csr *A,
                           const struct lcl_csr *B)
{
    struct lcl_device_matrix a, b, c;
    struct lcl_csr C;
    upload(&a, ctx, A);
    upload(&b, ctx, B);
    assert_int_equal(lcl_ref_spgemm(&C, A, B), LCL_OK);
    assert_int_equal(lcl_spgemm(&c, ctx, &a, &b), LCL_OK);
    expect_matrix(&c, &C);
    lcl_csr_finish(&C);
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] = -0.5 * A->val[k] * A->val[k];
    assert_int_equal(lcl_ref_spgemm(&C, A, B), LCL_OK);
    assert_int_equal(
        lcl_buffer_write(a.val, A->val, (size_t)A->nnz * sizeof *A->val),
        LCL_OK);
    assert_int_equal(lcl_buffer_fill(c.val, 0xff), LCL_OK);
    assert_int_equal(lcl_spgemm_update(&c, ctx, &a, &b), LCL_OK);
    expect_matrix(&c, &C);
    lcl_csr_finish(&C);
    lcl_device_matrix_finish(&a);
    lcl_device_matrix_finish(&b);
    lcl_device_matrix_finish(&c);
}

static void expect_transpose(lcl_context *ctx, const struct lcl_csr *A)
{
    struct lcl_device_matrix a, t;
    struct lcl_csr T;
    lcl_buffer *map;
    uint32_t *places = calloc((size_t)A->nnz + 1, sizeof *places);
    assert_non_null(places);
    upload(&a, ctx, A);
    assert_int_equal(lcl_ref_transpose(&T, A), LCL_OK);
    assert_int_equal(lcl_transpose(&t, &map, ctx, &a), LCL_OK);
    expect_matrix(&t, &T);
    assert_int_equal(
        lcl_buffer_read(map, places, (size_t)A->nnz * sizeof *places), LCL_OK);
    for (int64_t k = 0; k < A->nnz; ++k) {
        assert_in_range(places[k], 0, A->nnz - 1);
        assert_true(A->val[places[k]] == T.val[k]);
    }
    lcl_buffer_destroy(&map);
    lcl_csr_finish(&T);
    lcl_device_matrix_finish(&a);
    lcl_device_matrix_finish(&t);
    free(places);
}

static void expect_square(lcl_context *ctx, struct lcl_csr A)
{
    struct lcl_csr copy = A;
    copy.val = test_random_vector(A.nnz, 9);
    expect_transpose(ctx, &A);
    expect_product(ctx, &copy, &A);
    free(copy.val);
    test_csr_finish(&A);
}

static void test_spgemm__squares_match(void **state)
{
    const int64_t n = test_size(30, 400);
    expect_square(*state, test_identity(1));
    expect_square(*state, test_identity(n));
    expect_square(*state, test_laplacian(n / 3, 3, 2));
    expect_square(*state, test_random_csr(n, 5, 1));
    expect_square(*state, test_random_csr(n, 20, 2));
    expect_square(*state, test_dense_row(n, n / 2));
}

// Rows of all lengths, empty ones among them, and dense columns.
static void test_spgemm__rectangular_matrices_match(void **state)
{
    const int64_t n = test_size(25, 300), m = test_size(40, 90);
    struct lcl_csr A = test_stretched_csr(n, m, 3);
    struct lcl_csr B = test_stretched_csr(m, n, 5);
    expect_product(*state, &A, &B);
    expect_transpose(*state, &A);
    expect_transpose(*state, &B);
    test_csr_finish(&A);
    test_csr_finish(&B);
}

// The product of A = [1 1] and B = [1; -1] is an entry of value 0.
static void test_spgemm__entries_that_cancel_stay(void **state)
{
    int64_t a_ptr[] = {0, 2, 2}, b_ptr[] = {0, 1, 2};
    int32_t a_col[] = {0, 1}, b_col[] = {1, 1};
    double a[] = {1, 1}, b[] = {1, -1};
    struct lcl_csr A = {2, 2, 2, a_ptr, a_col, a},
                   B = {2, 2, 2, b_ptr, b_col, b};
    struct lcl_device_matrix d_a, d_b, d_c;
    struct lcl_csr C;
    upload(&d_a, *state, &A);
    upload(&d_b, *state, &B);
    assert_int_equal(lcl_spgemm(&d_c, *state, &d_a, &d_b), LCL_OK);
    assert_int_equal(d_c.blocks, 1);
    assert_int_equal(lcl_ref_spgemm(&C, &A, &B), LCL_OK);
    expect_matrix(&d_c, &C);
    lcl_csr_finish(&C);
    lcl_device_matrix_finish(&d_a);
    lcl_device_matrix_finish(&d_b);
    lcl_device_matrix_finish(&d_c);
}

static void test_spgemm__sizes_that_do_not_fit_are_refused(void **state)
{
    struct lcl_csr A = test_identity(3), B = test_identity(4);
    struct lcl_device_matrix a, b, c;
    upload(&a, *state, &A);
    upload(&b, *state, &B);
    assert_int_equal(lcl_spgemm(&c, *state, &a, &b), LCL_EINVAL);
    assert_null(c.row_ptr);
    b.block_rows = 3;
    b.block = 2;
    assert_int_equal(lcl_spgemm(&c, *state, &a, &b), LCL_EUNSUPPORTED);
    lcl_device_matrix_finish(&a);
    lcl_device_matrix_finish(&b);
    test_csr_finish(&A);
    test_csr_finish(&B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spgemm__squares_match),
        cmocka_unit_test(test_spgemm__rectangular_matrices_match),
        cmocka_unit_test(test_spgemm__entries_that_cancel_stay),
        cmocka_unit_test(test_spgemm__sizes_that_do_not_fit_are_refused),
    };
    return test_device_run(tests);
}
