// SPDX-License-Identifier: BSD-3-Clause
// to_blocks.cl against the conversion on the host.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/storage/blocked.h"
#include "lib/storage/to_blocks.h"

#include <stdlib.h>
#include <string.h>

// Pattern and values, bit for bit.
static void expect_blocks(const struct lcl_device_matrix *D,
                          const struct lcl_bsr *expected)
{
    struct lcl_bsr got;
    assert_true(D->block == expected->block_size && !D->wide &&
                D->block_rows == expected->rows &&
                D->block_cols == expected->cols &&
                D->n == expected->rows * expected->block_size);
    assert_int_equal(D->blocks, expected->nnz);
    assert_int_equal(lcl_device_matrix_read(&got, D, D->val != NULL, NULL),
                     LCL_OK);
    for (int64_t i = 0; i <= got.rows; ++i)
        assert_int_equal(got.row_ptr[i], expected->row_ptr[i]);
    test_expect_words("column", D->col, expected->col_ind, got.nnz);
    if (D->val)
        test_expect_same("value", got.val, expected->val,
                         got.nnz * lcl_block_values(&got));
    lcl_bsr_finish(&got);
}

static void expect_conversion(lcl_context *ctx, const struct lcl_csr *A,
                              int block, bool wide)
{
    struct lcl_bsr expected;
    struct lcl_device_matrix D, B;
    lcl_buffer *place;
    int64_t *places;
    assert_int_equal(
        lcl_bsr_from_csr_placed(&expected, &places, A, block, NULL), LCL_OK);
    test_upload_wide_csr(&D, ctx, A, wide);
    assert_int_equal(lcl_to_blocks(&B, &place, ctx, &D, block), LCL_OK);
    expect_blocks(&B, &expected);
    test_expect_places("place", place, places, A->nnz);
    lcl_device_matrix_finish(&B);
    lcl_buffer_destroy(&place);
    lcl_device_matrix_finish(&D);
    lcl_free(places);
    lcl_bsr_finish(&expected);
}

// With values, from the host's arrays.
static void expect_values(lcl_context *ctx, const struct lcl_csr *A, int block)
{
    struct lcl_bsr expected;
    struct lcl_blocked B;
    assert_int_equal(lcl_bsr_from_csr(&expected, A, block, NULL), LCL_OK);
    assert_int_equal(lcl_blocked_from_csr(&B, ctx, A, block), LCL_OK);
    assert_int_equal(B.entries, A->nnz);
    assert_true(!B.sources.of == (block == 1));
    expect_blocks(&B.A, &expected);
    lcl_blocked_finish(&B);
    lcl_bsr_finish(&expected);
}

// In blocks of all sizes that divide it.
static void expect_conversions(lcl_context *ctx, struct lcl_csr A)
{
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b)
        if (A.rows % b == 0 && A.cols % b == 0) {
            expect_conversion(ctx, &A, b, b % 2 == 0);
            expect_values(ctx, &A, b);
        }
    test_csr_finish(&A);
}

static void test_to_blocks__blocks_are_those_of_the_host(void **state)
{
    const int64_t n = test_size(12, 840);
    for (unsigned seed = 1; seed <= test_size(1, 2); ++seed)
        expect_conversions(*state, test_random_csr(n, 4 * seed, seed));
    expect_conversions(*state, test_stretched_csr(n, 2 * n, 4));
    expect_conversions(*state, test_laplacian(6, 4, test_size(2, 20)));
    expect_conversions(*state, test_identity(n));
    for (int64_t size = 1; size < 10; size += test_size(4, 1))
        expect_conversions(*state, test_random_csr(size, 2, 5));
}

// One row with all columns, at each place of a block row, and columns that all
// rows have.
static void test_to_blocks__dense_rows_and_columns(void **state)
{
    const int64_t n = test_size(12, 840);
    for (int64_t row = 0; row < 9; row += test_size(8, 1))
        expect_conversions(*state, test_dense_row(n, row));
    struct lcl_csr rows = test_dense_row(n, 1);
    for (int64_t i = 0; i < n; ++i)
        if (i != 1)
            rows.col_ind[rows.row_ptr[i]] = (int32_t)(n - 1);
    expect_conversions(*state, rows);
}

static void test_to_blocks__natural_blocks_are_full(void **state)
{
    struct lcl_csr cells = test_random_csr(test_size(8, 96), 5, 6);
    for (int b = 2; b <= LCL_BLOCK_MAX; b += (int)test_size(3, 1))
        expect_conversions(*state, test_expand_blocks(&cells, b));
    test_csr_finish(&cells);
}

static void test_to_blocks__no_entries_and_empty_block_rows(void **state)
{
    int64_t none[] = {0, 0, 0, 0, 0, 0, 0, 0, 0},
            last[] = {0, 0, 0, 0, 0, 0, 0, 0, 2};
    int32_t col[] = {0, 15};
    double val[] = {1, 2};
    const struct lcl_csr empty = {8, 16, 0, none, col, val};
    const struct lcl_csr two = {8, 16, 2, last, col, val};
    for (int b = 1; b <= LCL_BLOCK_MAX; b *= 2) {
        expect_conversion(*state, &empty, b, b > 2);
        expect_conversion(*state, &two, b, b > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_blocks__blocks_are_those_of_the_host),
        cmocka_unit_test(test_to_blocks__dense_rows_and_columns),
        cmocka_unit_test(test_to_blocks__natural_blocks_are_full),
        cmocka_unit_test(test_to_blocks__no_entries_and_empty_block_rows),
    };
    return test_device_run(tests);
}
