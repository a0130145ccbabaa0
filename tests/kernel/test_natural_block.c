// SPDX-License-Identifier: BSD-3-Clause
// natural_block.cl against the search on the host.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/storage/natural_block.h"

#include <stdlib.h>
#include <string.h>

static void expect_found(lcl_context *ctx, const struct lcl_csr *A, bool wide)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    const int expected = lcl_csr_natural_block(A);
    assert_int_equal(lcl_csr_check(A, NULL), LCL_OK);
    struct lcl_device_matrix D;
    int got = -1;
    assert_int_equal(lcl_device_pattern_init(&D, ctx, &view), LCL_OK);
    if (wide) {
        lcl_buffer_destroy(&D.row_ptr);
        D.row_ptr = test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t));
        D.wide = true;
    }
    assert_int_equal(lcl_natural_block(&got, ctx, &D), LCL_OK);
    if (got != expected)
        fail_msg("%lld x %lld, %lld entries: got blocks of %d, expected %d",
                 (long long)A->rows, (long long)A->cols, (long long)A->nnz, got,
                 expected);
    lcl_device_matrix_finish(&D);
}

static void expect_natural(lcl_context *ctx, struct lcl_csr A)
{
    expect_found(ctx, &A, false);
    expect_found(ctx, &A, true);
    test_csr_finish(&A);
}

static void test_natural_block__full_blocks_are_found(void **state)
{
    const int64_t n = test_size(4, 12);
    struct lcl_csr cells[] = {test_laplacian(n, n, 2), test_random_csr(9, 4, 1),
                              test_dense_row(5, 2), test_stretched_csr(8, 8, 3),
                              test_identity(1)};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; ++c) {
        for (int b = 1; b <= 12; ++b)
            expect_natural(*state, test_expand_blocks(&cells[c], b));
        test_csr_finish(&cells[c]);
    }
}

// A full matrix without one entry, at each place in turn.
static void test_natural_block__one_missing_entry_is_seen(void **state)
{
    enum { N = 16 };
    double dense[N * N];
    const int64_t n = N;
    for (int64_t at = 0; at < n * n; at += test_size(7, 1)) {
        for (int64_t e = 0; e < n * n; ++e)
            dense[e] = e != at;
        expect_natural(*state, test_csr_from_dense(n, dense));
    }
}

// More entries in the first rows than the host looks at.
static void test_natural_block__dense_first_rows(void **state)
{
    static const int64_t length[] = {9000, 9000, 9000, 9000,
                                     9000, 9000, 9000, 9000};
    struct lcl_csr A = test_rows_of_lengths(8, 9000, length);
    assert_int_equal(lcl_csr_natural_block(&A), 8);
    expect_found(*state, &A, false);
    test_csr_finish(&A);
}

// Also full blocks with the last entry of a row in the next block column.
static void test_natural_block__shifted_blocks_are_none(void **state)
{
    const double dense[36] = {[0] = 1,  [7] = 1,  [8] = 1,  [13] = 1, [14] = 1,
                              [21] = 1, [22] = 1, [27] = 1, [28] = 1, [35] = 1};
    struct lcl_csr cells = test_laplacian(4, 4, 1);
    struct lcl_csr A = test_expand_blocks(&cells, 4);
    expect_natural(*state, test_csr_from_dense(6, dense));
    for (int64_t i = 1; i < A.rows; i += 5) {
        const int64_t last = A.row_ptr[i + 1] - 1;
        const int32_t before = A.col_ind[last];
        if (before + 4 >= A.cols)
            continue;
        A.col_ind[last] = before + 4;
        expect_found(*state, &A, false);
        A.col_ind[last] = before;
    }
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

static void test_natural_block__rectangles_and_no_entries(void **state)
{
    int64_t row_ptr[] = {0, 0, 0, 2, 4};
    int32_t col_ind[] = {4, 5, 4, 5};
    double val[] = {1, 2, 3, 4};
    const struct lcl_csr two = {4, 6, 4, row_ptr, col_ind, val};
    const struct lcl_csr odd = {4, 7, 4, row_ptr, col_ind, val};
    const struct lcl_csr empty = {2, 2, 0, row_ptr, col_ind, val};
    assert_int_equal(lcl_csr_natural_block(&two), 2);
    expect_found(*state, &two, false);
    expect_found(*state, &odd, false);
    expect_found(*state, &empty, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_natural_block__full_blocks_are_found),
        cmocka_unit_test(test_natural_block__one_missing_entry_is_seen),
        cmocka_unit_test(test_natural_block__dense_first_rows),
        cmocka_unit_test(test_natural_block__shifted_blocks_are_none),
        cmocka_unit_test(test_natural_block__rectangles_and_no_entries),
    };
    return test_device_run(tests);
}
