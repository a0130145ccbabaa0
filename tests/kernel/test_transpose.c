// SPDX-License-Identifier: BSD-3-Clause
// transpose.cl against the transpose on the host.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/ref/spgemm.h"
#include "lib/storage/transpose.h"

#include "host/alloc.h"

#include <stdlib.h>

// With and without values.
static void expect_transpose(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    struct lcl_csr expected;
    struct lcl_device_matrix D, T;
    lcl_buffer *map;
    int64_t *places;
    assert_int_equal(lcl_ref_transpose(&expected, &places, A, NULL), LCL_OK);
    for (int values = 0; values < 2; ++values) {
        assert_int_equal(values ? lcl_device_matrix_init(&D, ctx, &view)
                                : lcl_device_pattern_init(&D, ctx, &view),
                         LCL_OK);
        assert_int_equal(lcl_transpose_init(&T, &map, ctx, &D), LCL_OK);
        assert_true((T.val != NULL) == (values == 1));
        test_expect_csr(&T, &expected, T.val != NULL);
        test_expect_places("map", map, places, A->nnz);
        lcl_buffer_destroy(&map);
        lcl_device_matrix_finish(&T);
        lcl_device_matrix_finish(&D);
    }
    lcl_free(places);
    lcl_csr_finish(&expected);
}

static void expect_transposes(lcl_context *ctx, struct lcl_csr A)
{
    struct lcl_csr T;
    int64_t *map;
    assert_int_equal(lcl_ref_transpose(&T, &map, &A, NULL), LCL_OK);
    lcl_free(map);
    expect_transpose(ctx, &A);
    expect_transpose(ctx, &T);
    lcl_csr_finish(&T);
    test_csr_finish(&A);
}

static void test_transpose__random_matrices(void **state)
{
    const int64_t n = test_size(30, 3000);
    for (int per_row = 1; per_row < 40; per_row = 3 * per_row + 1)
        expect_transposes(*state, test_random_csr(n, per_row, 7));
    expect_transposes(*state, test_stretched_csr(n, 3 * n, 2));
    expect_transposes(*state, test_laplacian(5, 3, test_size(2, 30)));
    for (int64_t size = 1; size < 6; ++size)
        expect_transposes(*state, test_random_csr(size, 1, 5));
}

static void test_transpose__dense_rows_and_columns(void **state)
{
    const int64_t n = test_size(600, 5000);
    expect_transposes(*state, test_dense_row(n, 0));
    expect_transposes(*state, test_dense_row(n, n / 2));
    expect_transposes(*state, test_long_rows(2, test_size(20, 900), 3));
}

static void test_transpose__no_entries_and_no_rows(void **state)
{
    int64_t none[] = {0, 0, 0, 0}, last[] = {0, 0, 0, 2};
    int32_t col[] = {0, 4};
    double val[] = {1, 2};
    const struct lcl_csr empty = {3, 5, 0, none, col, val};
    const struct lcl_csr thin = {3, 0, 0, none, col, val};
    const struct lcl_csr flat = {0, 3, 0, none, col, val};
    const struct lcl_csr two = {3, 5, 2, last, col, val};
    expect_transpose(*state, &empty);
    expect_transpose(*state, &thin);
    expect_transpose(*state, &flat);
    expect_transpose(*state, &two);
}

// One column with rows so far apart that its bitmap has several windows.
static void test_transpose__many_windows_of_rows(void **state)
{
    const int64_t rows = 400000, each = 333, nnz = (rows + each - 1) / each;
    int64_t *row_ptr = calloc((size_t)rows + 1, sizeof *row_ptr);
    int32_t *col = calloc((size_t)nnz, sizeof *col);
    double *val = test_random_vector(nnz, 3);
    assert_true(row_ptr && col);
    for (int64_t i = 0; i < rows; ++i)
        row_ptr[i + 1] = row_ptr[i] + (i % each == 0);
    const struct lcl_csr A = {rows, 1, nnz, row_ptr, col, val};
    expect_transpose(*state, &A);
    free(val);
    free(col);
    free(row_ptr);
}

static void test_transpose__wide_matrices_and_blocks_are_refused(void **state)
{
    struct lcl_csr A = test_identity(4);
    struct lcl_device_matrix D, T;
    lcl_buffer *map;
    test_upload_csr(&D, *state, &A);
    D.wide = true;
    assert_int_equal(lcl_transpose_init(&T, &map, *state, &D),
                     LCL_EUNSUPPORTED);
    assert_true(!map && !T.row_ptr && !T.col && !T.val);
    D.wide = false;
    D.block = 2;
    assert_int_equal(lcl_transpose_init(&T, &map, *state, &D), LCL_EINVAL);
    assert_true(!map && !T.row_ptr && !T.col && !T.val);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose__random_matrices),
        cmocka_unit_test(test_transpose__dense_rows_and_columns),
        cmocka_unit_test(test_transpose__no_entries_and_no_rows),
        cmocka_unit_test(test_transpose__many_windows_of_rows),
        cmocka_unit_test(test_transpose__wide_matrices_and_blocks_are_refused),
    };
    return test_device_run(tests);
}
