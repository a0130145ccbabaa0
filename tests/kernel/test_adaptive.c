// SPDX-License-Identifier: BSD-3-Clause
// adaptive.cl and row_bins.cl compared with the plain product.
#include "lib/spmv/autotune.h"
#include "tests/support/device.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include <math.h>
#include <stdlib.h>

enum { COLS = 10000 }; // three parts of a long row

static void expect(void **state, int64_t rows, const int64_t *length, bool wide)
{
    test_product_expect_lengths(*state, LCL_SPMV_ADAPTIVE, rows, COLS, length,
                                wide);
}

static void test_adaptive__every_matrix_matches(void **state)
{
    test_product_expect_systems(*state, LCL_SPMV_ADAPTIVE, false);
}

// Lengths on both sides of the limits of each bin, with empty rows between
// them.
static void test_adaptive__rows_of_all_bins_match(void **state)
{
    static const int64_t lengths[] = {0,  1,  4,  5,  8,   9,   16, 17,
                                      32, 33, 64, 65, 512, 513, 0,  3};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    const int64_t rows = test_size(LENGTHS, 40 * LENGTHS);
    int64_t *length = calloc((size_t)rows, sizeof *length);
    assert_non_null(length);
    for (int64_t i = 0; i < rows; ++i)
        length[i] = lengths[i * 7 % LENGTHS];
    expect(state, rows, length, false);
    free(length);
}

// Also with wide row pointers.
static void test_adaptive__a_dense_row_is_cut_in_parts(void **state)
{
    static const int64_t among_equals[] = {3, 2, 3, COLS, 3, 1, 3};
    static const int64_t among_others[] = {3, 70, 3, COLS, 8, 0, 40, 600, 25};
    static const int64_t alone[] = {COLS};
    static const int64_t at_the_limit[] = {4096, 4097, 8192, 8193};
    expect(state, 7, among_equals, false);
    expect(state, 9, among_others, false);
    expect(state, 9, among_others, true);
    expect(state, 1, alone, false);
    expect(state, 4, at_the_limit, false);
}

static void test_adaptive__a_dense_column_matches(void **state)
{
    const int64_t n = test_size(50, 3000);
    struct lcl_csr pattern = test_identity(n);
    for (int64_t i = 0; i < n; ++i)
        pattern.col_ind[i] = 4;
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    test_product_expect_type(*state, LCL_SPMV_ADAPTIVE, &A, false);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_adaptive__empty_rows_give_zero(void **state)
{
    static const int64_t none[5] = {0};
    static const int64_t between[] = {0, 0, 9, 0, 0, 0, 700, 0};
    expect(state, 1, none, false);
    expect(state, 5, none, false);
    expect(state, 8, between, false);
}

// Infinite entries of x that other rows use do not affect the sum of a row.
static void test_adaptive__infinities_stay_where_they_are(void **state)
{
    static const int64_t length[] = {3, 2, 3, 9, 3, 1, 70};
    struct lcl_csr pattern = test_rows_of_lengths(7, 80, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct test_product p;
    test_product_init(&p, *state, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_ADAPTIVE, *state, &p.D),
                     LCL_OK);
    for (int64_t j = 0; j < A.cols; ++j)
        p.x[j] = INFINITY;
    for (int64_t k = A.row_ptr[5]; k < A.row_ptr[6]; ++k)
        p.x[A.col_ind[k]] = 2;
    assert_int_equal(
        lcl_buffer_write(p.device_x, p.x, (size_t)A.cols * sizeof *p.x),
        LCL_OK);
    lcl_bsr_multiply(&A, p.x, p.ax);
    lcl_buffer *go_on = test_stop_flag(*state, 0);
    lcl_buffer *y = test_poisoned(*state, p.n, sizeof *p.x);
    double got[7];
    const struct lcl_operands v = {p.device_x, NULL, y, NULL, go_on, 0};
    assert_int_equal(lcl_multiply(&p.S, LCL_APPLY, &v), LCL_OK);
    test_download(y, got, 7, sizeof *got);
    assert_true(isfinite(p.ax[5]));
    test_expect_near("y", &got[5], &p.ax[5], 1, 1e-14);
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&go_on);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// Products with several columns use the matrix as stored.
static void test_adaptive__several_columns_match(void **state)
{
    static const int64_t length[] = {3, 2, 3, 9, 3, 1, 70};
    struct lcl_csr pattern = test_rows_of_lengths(7, 80, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct test_product p;
    test_product_init(&p, *state, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_ADAPTIVE, *state, &p.D),
                     LCL_OK);
    test_product_expect_many(&p, 2);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_adaptive__blocks_are_refused(void **state)
{
    (void)state;
    test_product_expect_no_blocks(LCL_SPMV_ADAPTIVE,
                                  "the adaptive product requires block size "
                                  "1, but the matrix is stored in blocks of 2 "
                                  "rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaptive__every_matrix_matches),
        cmocka_unit_test(test_adaptive__rows_of_all_bins_match),
        cmocka_unit_test(test_adaptive__a_dense_row_is_cut_in_parts),
        cmocka_unit_test(test_adaptive__a_dense_column_matches),
        cmocka_unit_test(test_adaptive__empty_rows_give_zero),
        cmocka_unit_test(test_adaptive__infinities_stay_where_they_are),
        cmocka_unit_test(test_adaptive__several_columns_match),
        cmocka_unit_test(test_adaptive__blocks_are_refused),
    };
    return test_device_run(tests);
}
