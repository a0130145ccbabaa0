// SPDX-License-Identifier: BSD-3-Clause
// binned.cl and product_sums.cl compared with the plain product, and the lists
// of row_bins.cl.
#include "lib/spmv/autotune.h"
#include "lib/spmv/binned.h"
#include "tests/support/device.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include <levelcl/published.h>

#include <stdlib.h>

static void test_binned__every_matrix_matches(void **state)
{
    test_product_expect_systems(*state, LCL_SPMV_BINNED, false);
}

// Both bins, on both sides of the threshold; with one bin only, there is no
// second kernel to run concurrently.
static void test_binned__rows_of_each_bin_match(void **state)
{
    static const int64_t both[] = {16, 17, 0, 1, 70, 15, 33, 2, 0, 18};
    static const int64_t few[] = {16, 0, 3, 16, 1};
    static const int64_t many[] = {17, 90, 32};
    test_product_expect_lengths(*state, LCL_SPMV_BINNED, 10, 90, both, true);
    test_product_expect_lengths(*state, LCL_SPMV_BINNED, 5, 90, few, false);
    test_product_expect_lengths(*state, LCL_SPMV_BINNED, 3, 90, many, false);
}

static void expect_rows(lcl_context *ctx, const struct lcl_bsr *A,
                        enum lcl_binned_rows rows, int64_t bin0, int64_t bin1)
{
    struct test_product p;
    test_product_init(&p, ctx, A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_binned_init(&p.S, ctx, &p.D, rows), LCL_OK);
    assert_int_equal(lcl_binned_rows(&p.S, 0), bin0);
    assert_int_equal(lcl_binned_rows(&p.S, 1), bin1);
    test_product_expect_all(&p);
    test_product_finish(&p);
}

static void test_binned__either_kernel_takes_all_rows(void **state)
{
    static const int64_t length[] = {16, 17, 0, 40, 5};
    struct lcl_csr pattern = test_rows_of_lengths(5, 40, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    expect_rows(*state, &A, LCL_BINNED_BOTH, 3, 2);
    expect_rows(*state, &A, LCL_BINNED_ONLY_BIN0, 5, 0);
    expect_rows(*state, &A, LCL_BINNED_ONLY_BIN1, 0, 5);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// Consecutive products on the same vector: each waits for both kernels of the
// previous one.
static void test_binned__products_follow_each_other(void **state)
{
    enum { TIMES = 20 };
    struct lcl_csr pattern = test_dense_row(test_size(40, 3000), 7);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct test_product p;
    test_product_init(&p, *state, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_BINNED, *state, &p.D),
                     LCL_OK);
    lcl_buffer *go_on = test_stop_flag(*state, 0);
    lcl_buffer *y = test_poisoned(*state, p.n, sizeof *p.x);
    double *expected = test_vector(p.n), *got = test_vector(p.n);
    for (int i = 0; i < TIMES; ++i) {
        const struct lcl_operands v = {p.device_x, NULL, y, NULL, go_on, 0};
        assert_int_equal(lcl_multiply(&p.S, LCL_APPLY, &v), LCL_OK);
        assert_int_equal(lcl_buffer_copy(p.device_x, y), LCL_OK);
        lcl_bsr_multiply(&A, p.x, expected);
        for (int64_t k = 0; k < p.n; ++k)
            p.x[k] = expected[k];
    }
    test_download(y, got, p.n, sizeof *got);
    test_expect_near("A^20 x", got, expected, p.n, 1e-9);
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&go_on);
    free(expected);
    free(got);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// ------------------------------------------------------------------ in fp32

// y is left alone while the stopping flag is set.
static void expect_fp32(lcl_context *ctx, const struct lcl_bsr *A,
                        enum lcl_binned_rows rows, bool wide)
{
    struct test_product p;
    test_product_init(&p, ctx, A);
    test_product_upload(&p, wide);
    lcl_buffer_destroy(&p.D.val);
    p.D.val = test_upload_reals(ctx, A->val, A->nnz, sizeof(float));
    assert_int_equal(lcl_binned_init_fp32(&p.S, ctx, &p.D, rows), LCL_OK);
    lcl_buffer *x = test_upload_reals(ctx, p.x, p.cols, sizeof(float));
    lcl_buffer *y = test_poisoned(ctx, p.n, sizeof(float));
    lcl_buffer *stop = test_stop_flag(ctx, 1), *go_on = test_stop_flag(ctx, 0);
    struct lcl_operands v = {.x = x, .y = y, .stop = stop};
    assert_int_equal(lcl_multiply(&p.S, LCL_APPLY, &v), LCL_OK);
    test_untouched(y);
    v.stop = go_on;
    assert_int_equal(lcl_multiply(&p.S, LCL_APPLY, &v), LCL_OK);
    double *got = test_vector(p.n), *expected = test_vector(p.n);
    test_download_reals(y, got, p.n, sizeof(float));
    lcl_bsr_multiply(A, p.x, expected);
    test_expect_near("A x", got, expected, p.n, 1e-4);
    free(got);
    free(expected);
    lcl_buffer_destroy(&x);
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&stop);
    lcl_buffer_destroy(&go_on);
    test_product_finish(&p);
}

static void test_binned__in_fp32_every_row_matches(void **state)
{
    static const int64_t length[] = {16, 17, 0, 90, 5, 1, 33, 64};
    struct lcl_csr pattern = test_rows_of_lengths(8, 90, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    expect_fp32(*state, &A, LCL_BINNED_BOTH, false);
    expect_fp32(*state, &A, LCL_BINNED_BOTH, true);
    expect_fp32(*state, &A, LCL_BINNED_ONLY_BIN0, false);
    expect_fp32(*state, &A, LCL_BINNED_ONLY_BIN1, false);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_binned__blocks_are_refused(void **state)
{
    (void)state;
    test_product_expect_no_blocks(LCL_SPMV_BINNED,
                                  "the row-binned product requires block size "
                                  "1, but the matrix is stored in blocks of 2 "
                                  "rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binned__every_matrix_matches),
        cmocka_unit_test(test_binned__rows_of_each_bin_match),
        cmocka_unit_test(test_binned__either_kernel_takes_all_rows),
        cmocka_unit_test(test_binned__products_follow_each_other),
        cmocka_unit_test(test_binned__in_fp32_every_row_matches),
        cmocka_unit_test(test_binned__blocks_are_refused),
    };
    return test_device_run(tests);
}
