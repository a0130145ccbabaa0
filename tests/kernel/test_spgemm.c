// SPDX-License-Identifier: BSD-3-Clause
// spgemm.cl and spgemm_long.cl against the product on the host.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/simulator.h"
#include "tests/support/systems.h"

#include "host/context.h"
#include "host/runtime.h"
#include "lib/ref/spgemm.h"
#include "lib/storage/spgemm.h"

#include <stdlib.h>
#include <string.h>

static void expect_wide_product(lcl_context *ctx, const struct lcl_csr *A,
                                const struct lcl_csr *B, bool wide_a,
                                bool wide_b)
{
    struct lcl_csr expected;
    struct lcl_device_matrix a, b, C;
    struct lcl_spgemm S;
    assert_int_equal(lcl_ref_spgemm(&expected, A, B, NULL), LCL_OK);
    test_upload_wide_csr(&a, ctx, A, wide_a);
    test_upload_wide_csr(&b, ctx, B, wide_b);
    assert_int_equal(lcl_spgemm_init(&S, &C, ctx, &a, &b), LCL_OK);
    for (int repeat = 0; repeat < 2; ++repeat) {
        assert_int_equal(lcl_buffer_fill(C.val, 0xff), LCL_OK);
        assert_int_equal(lcl_spgemm_update(&S, &C, &a, &b), LCL_OK);
        test_expect_csr(&C, &expected, true);
    }
    lcl_spgemm_finish(&S);
    lcl_device_matrix_finish(&C);
    lcl_device_matrix_finish(&b);
    lcl_device_matrix_finish(&a);
    lcl_csr_finish(&expected);
}

static void expect_product(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_csr *B)
{
    expect_wide_product(ctx, A, B, false, false);
}

// Row i with length[i] random columns and values in [-1, 1).
static struct lcl_csr random_rows(int64_t rows, int64_t cols,
                                  const int64_t *length, unsigned seed)
{
    uint64_t state = seed;
    int64_t nnz = 0;
    for (int64_t i = 0; i < rows; ++i)
        nnz += length[i];
    struct lcl_csr A = {
        .rows = rows,
        .cols = cols,
        .row_ptr = calloc((size_t)rows + 1, sizeof *A.row_ptr),
        .col_ind = calloc((size_t)nnz + 1, sizeof *A.col_ind),
        .val = calloc((size_t)nnz + 1, sizeof *A.val),
    };
    assert_true(A.row_ptr && A.col_ind && A.val);
    for (int64_t i = 0; i < rows; ++i) {
        int64_t left = length[i];
        // each column with the probability that `left` of the rest are chosen
        for (int64_t j = 0; j < cols; ++j)
            if (test_random(&state) * (double)(cols - j) < (double)left) {
                A.col_ind[A.nnz] = (int32_t)j;
                A.val[A.nnz++] = 2 * test_random(&state) - 1;
                --left;
            }
        A.row_ptr[i + 1] = A.nnz;
    }
    return A;
}

// Rows with 0 .. 2 * mean columns.
static struct lcl_csr random_matrix(int64_t rows, int64_t cols, double mean,
                                    unsigned seed)
{
    uint64_t state = seed + 77;
    int64_t *length = calloc((size_t)rows + 1, sizeof *length);
    assert_non_null(length);
    for (int64_t i = 0; i < rows; ++i) {
        length[i] = (int64_t)(test_random(&state) * (2 * mean + 1));
        length[i] = length[i] < cols ? length[i] : cols;
    }
    const struct lcl_csr A = random_rows(rows, cols, length, seed);
    free(length);
    return A;
}

static void expect_random_product(lcl_context *ctx, int64_t rows, int64_t inner,
                                  int64_t cols, double a, double b)
{
    struct lcl_csr A = random_matrix(rows, inner, a, 1);
    struct lcl_csr B = random_matrix(inner, cols, b, 2);
    expect_product(ctx, &A, &B);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// The square of a matrix, which it frees.
static void expect_square(lcl_context *ctx, struct lcl_csr A)
{
    expect_product(ctx, &A, &A);
    test_csr_finish(&A);
}

static void test_spgemm__random_matrices(void **state)
{
    const int64_t n = test_size(13, 700);
    const double means[] = {0.5, 1, 3, 7, 20, 60};
    for (size_t a = 0; a < sizeof means / sizeof *means; ++a)
        for (size_t b = 0; b < sizeof means / sizeof *means; ++b)
            if (test_size(a % 3 == b % 3, 1))
                expect_random_product(*state, n, n + 5, n - 3, means[a],
                                      means[b]);
    expect_random_product(*state, 3, n, 2 * n, 40, 2);
    expect_random_product(*state, n, 3, 2 * n, 2, 40);
    expect_random_product(*state, n, 2 * n, 3, 9, 1);
}

static void test_spgemm__empty_and_tiny_matrices(void **state)
{
    for (int64_t rows = 0; rows < 3; ++rows)
        for (int64_t inner = 0; inner < 2; ++inner)
            expect_random_product(*state, rows, inner, rows + 1, 1, 1);
    expect_random_product(*state, 5, 4, 3, 0, 1);
    expect_random_product(*state, 5, 4, 3, 1, 0);
    expect_square(*state, test_identity(1));
    expect_square(*state, test_identity(test_size(9, 500)));
}

static void test_spgemm__grids(void **state)
{
    expect_square(*state, test_laplacian(5, 4, test_size(2, 25)));
    expect_square(*state, test_random_csr(test_size(20, 3000), 3, 8));
    expect_square(
        *state, test_stretched_csr(test_size(20, 900), test_size(20, 900), 4));
}

// A row of all columns in A, in B, and a column of all rows.
static void test_spgemm__dense_rows_and_columns(void **state)
{
    const int64_t n = test_size(450, 2500);
    struct lcl_csr dense = test_dense_row(n, n / 3);
    struct lcl_csr sparse = random_matrix(n, n, 1.5, 3);
    struct lcl_csr thin = random_matrix(n, 1, 1, 4);
    struct lcl_csr row = random_matrix(1, n, (double)n, 5);
    struct lcl_csr T;
    int64_t *map;
    assert_int_equal(lcl_ref_transpose(&T, &map, &dense, NULL), LCL_OK);
    free(map);
    expect_product(*state, &dense, &sparse);
    expect_product(*state, &sparse, &dense);
    expect_product(*state, &dense, &dense);
    expect_product(*state, &T, &sparse);
    expect_product(*state, &sparse, &T);
    expect_product(*state, &row, &thin);
    if (n > 1000 || test_width(*state) == 1)
        expect_product(*state, &dense, &T);
    lcl_csr_finish(&T);
    test_csr_finish(&row);
    test_csr_finish(&thin);
    test_csr_finish(&sparse);
    test_csr_finish(&dense);
}

// Rows of 1, 2, 4, ... columns between many short ones: each pass has some.
static void test_spgemm__power_law(void **state)
{
    const int64_t n = test_size(480, 3000);
    int64_t *length = calloc((size_t)n, sizeof *length);
    assert_non_null(length);
    for (int64_t i = 0; i < n; ++i)
        length[i] = 1 + (i % 29 == 0 ? (n - 1) / (1 + i / 29) : i % 2);
    struct lcl_csr A = random_rows(n, n, length, 9);
    struct lcl_csr B = random_matrix(n, n, 1, 10);
    expect_product(*state, &A, &B);
    if (n > 1000)
        expect_square(*state, A);
    else
        test_csr_finish(&A);
    test_csr_finish(&B);
    free(length);
}

// Columns so far apart that a bitmap has several windows.
static void test_spgemm__many_windows_of_columns(void **state)
{
    const int64_t n = 400, cols = 500000, each = 3;
    int32_t *col = calloc((size_t)(n * each), sizeof *col);
    int64_t row_ptr[401];
    double *val = test_random_vector(n * each, 3);
    struct lcl_csr A = random_matrix(2, n, (double)n, 6);
    assert_non_null(col);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t e = 0; e < each; ++e)
            col[j * each + e] = (int32_t)(7 * (j % 91) + e * (cols / 3));
    for (int64_t j = 0; j <= n; ++j)
        row_ptr[j] = j * each;
    for (int64_t j = 0; j < n; j += 2)
        col[j * each] = (int32_t)j;
    const struct lcl_csr B = {n, cols, n * each, row_ptr, col, val};
    expect_product(*state, &A, &B);
    test_csr_finish(&A);
    free(val);
    free(col);
}

// Sums of zero stay entries.
static void test_spgemm__cancellations_stay(void **state)
{
    int64_t a_ptr[] = {0, 2, 4}, b_ptr[] = {0, 2, 4};
    int32_t a_col[] = {0, 1, 0, 1}, b_col[] = {0, 1, 0, 1};
    double a_val[] = {1, 1, 1, -1}, b_val[] = {2, 3, -2, 3};
    const struct lcl_csr A = {2, 2, 4, a_ptr, a_col, a_val};
    const struct lcl_csr B = {2, 2, 4, b_ptr, b_col, b_val};
    struct lcl_csr C;
    assert_int_equal(lcl_ref_spgemm(&C, &A, &B, NULL), LCL_OK);
    assert_int_equal(C.nnz, 4);
    assert_true(C.val[0] == 0 && C.val[1] == 6 && C.val[2] == 4 &&
                C.val[3] == 0);
    lcl_csr_finish(&C);
    expect_product(*state, &A, &B);
}

static void test_spgemm__wide_row_pointers(void **state)
{
    const int64_t n = test_size(15, 400);
    struct lcl_csr A = random_matrix(n, n, 4, 11);
    struct lcl_csr B = test_dense_row(n, 2);
    expect_wide_product(*state, &A, &B, true, false);
    expect_wide_product(*state, &A, &B, false, true);
    expect_wide_product(*state, &B, &A, true, true);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// Two factors that fit, on the host and on the device.
struct factors {
    struct lcl_csr A, B;
    struct lcl_device_matrix a, b;
};

static void open_factors(struct factors *F, lcl_context *ctx)
{
    F->A = random_matrix(40, 30, 5, 12);
    F->B = random_matrix(30, 50, 3, 13);
    test_upload_csr(&F->a, ctx, &F->A);
    test_upload_csr(&F->b, ctx, &F->B);
}

static void close_factors(struct factors *F)
{
    lcl_device_matrix_finish(&F->b);
    lcl_device_matrix_finish(&F->a);
    test_csr_finish(&F->B);
    test_csr_finish(&F->A);
}

// Only the number of entries, if there are more than wanted.
static void test_spgemm__large_products_are_only_counted(void **state)
{
    struct factors F;
    struct lcl_csr expected;
    struct lcl_device_matrix C;
    struct lcl_spgemm S;
    open_factors(&F, *state);
    assert_int_equal(lcl_ref_spgemm(&expected, &F.A, &F.B, NULL), LCL_OK);
    for (int64_t most = expected.nnz - 1; most <= expected.nnz; ++most) {
        assert_int_equal(lcl_spgemm_init_most(&S, &C, *state, &F.a, &F.b, most),
                         LCL_OK);
        assert_int_equal(C.blocks, expected.nnz);
        assert_true(!C.row_ptr == (most < expected.nnz));
        assert_true(!C.col == !C.row_ptr && !C.val == !C.row_ptr);
        lcl_spgemm_finish(&S);
        lcl_device_matrix_finish(&C);
    }
    lcl_csr_finish(&expected);
    close_factors(&F);
}

// The values of C follow those of A and B.
static void test_spgemm__new_values_need_no_new_pattern(void **state)
{
    struct factors F;
    struct lcl_csr expected;
    struct lcl_device_matrix C;
    struct lcl_spgemm S;
    open_factors(&F, *state);
    assert_int_equal(lcl_spgemm_init(&S, &C, *state, &F.a, &F.b), LCL_OK);
    assert_int_equal(lcl_spgemm_update(&S, &C, &F.a, &F.b), LCL_OK);
    for (int64_t k = 0; k < F.A.nnz; ++k)
        F.A.val[k] = 1 / F.A.val[k];
    assert_int_equal(
        lcl_buffer_write(F.a.val, F.A.val, (size_t)F.A.nnz * sizeof *F.A.val),
        LCL_OK);
    assert_int_equal(lcl_spgemm_update(&S, &C, &F.a, &F.b), LCL_OK);
    assert_int_equal(lcl_ref_spgemm(&expected, &F.A, &F.B, NULL), LCL_OK);
    test_expect_csr(&C, &expected, true);
    lcl_csr_finish(&expected);
    lcl_spgemm_finish(&S);
    lcl_device_matrix_finish(&C);
    close_factors(&F);
}

// ------------------------------------------------------------------- errors

static void expect_refused(lcl_context *ctx, const struct lcl_device_matrix *A,
                           const struct lcl_device_matrix *B,
                           enum lcl_status expected)
{
    struct lcl_device_matrix C;
    struct lcl_spgemm S;
    assert_int_equal(lcl_spgemm_init(&S, &C, ctx, A, B), expected);
    assert_true(!C.row_ptr && !C.col && !C.val && !S.long_rows &&
                !S.longest_rows);
}

static void test_spgemm__matrices_that_do_not_fit_are_refused(void **state)
{
    struct lcl_csr A = random_matrix(4, 6, 2, 1);
    struct lcl_device_matrix a;
    test_upload_csr(&a, *state, &A);
    expect_refused(*state, &a, &a, LCL_EINVAL);
    a.block_cols = 4;
    a.block = 2;
    expect_refused(*state, &a, &a, LCL_EINVAL);
    lcl_device_matrix_finish(&a);
    test_csr_finish(&A);
}

// The device finds more entries than the matrix has places. At width 1 it has
// a mark for each column that there is.
static void test_spgemm__impossible_counts_are_refused(void **state)
{
    if (test_width(*state) == 1)
        skip();
    struct lcl_csr A = random_matrix(20, 20, 9, 1);
    struct lcl_device_matrix a, b;
    test_upload_csr(&a, *state, &A);
    b = a;
    b.block_cols = 3;
    expect_refused(*state, &a, &b, LCL_ESELFTEST);
    lcl_device_matrix_finish(&a);
    test_csr_finish(&A);
}

// A device of little memory: one byte less than the entries need.
static void test_spgemm__products_without_room_are_refused(void **state)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture.log};
    struct lcl_csr A = random_matrix(20, 20, 20, 1), expected;
    struct lcl_device_matrix a;
    lcl_context *ctx;
    (void)state;
    assert_int_equal(lcl_ref_spgemm(&expected, &A, &A, NULL), LCL_OK);
    assert_int_equal(lcl_runtime_create(&ctx, &params, test_simulator_api()),
                     LCL_OK);
    test_upload_csr(&a, ctx, &A);
    ctx->caps.global_bytes = 12 * (uint64_t)expected.nnz - 1;
    expect_refused(ctx, &a, &a, LCL_EDEVMEM);
    test_capture_expect(&capture, "the product of two matrices with ");
    ++ctx->caps.global_bytes;
    expect_product(ctx, &A, &A);
    lcl_csr_finish(&expected);
    lcl_device_matrix_finish(&a);
    lcl_context_destroy(&ctx);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spgemm__random_matrices),
        cmocka_unit_test(test_spgemm__empty_and_tiny_matrices),
        cmocka_unit_test(test_spgemm__grids),
        cmocka_unit_test(test_spgemm__dense_rows_and_columns),
        cmocka_unit_test(test_spgemm__power_law),
        cmocka_unit_test(test_spgemm__many_windows_of_columns),
        cmocka_unit_test(test_spgemm__cancellations_stay),
        cmocka_unit_test(test_spgemm__wide_row_pointers),
        cmocka_unit_test(test_spgemm__large_products_are_only_counted),
        cmocka_unit_test(test_spgemm__new_values_need_no_new_pattern),
        cmocka_unit_test(test_spgemm__matrices_that_do_not_fit_are_refused),
        cmocka_unit_test(test_spgemm__impossible_counts_are_refused),
        cmocka_unit_test(test_spgemm__products_without_room_are_refused),
    };
    return test_device_run(tests);
}
