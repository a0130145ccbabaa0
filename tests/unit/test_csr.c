// SPDX-License-Identifier: BSD-3-Clause
// The CSR struct: checks, the reference product, conversion from entries.
#include "lib/matrix/csr.h"
#include "lib/matrix/entries.h"
#include "lib/matrix/view.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// [1 0 2; 0 3 0; 4 0 5] in arrays that tests may modify.
struct sample {
    int64_t row_ptr[4];
    int32_t col_ind[5];
    double val[5];
    struct lcl_csr A;
};

static struct lcl_csr *make(struct sample *s)
{
    *s = (struct sample){.row_ptr = {0, 2, 3, 5},
                         .col_ind = {0, 2, 1, 0, 2},
                         .val = {1, 2, 3, 4, 5}};
    s->A = (struct lcl_csr){3, 3, 5, s->row_ptr, s->col_ind, s->val};
    return &s->A;
}

static void expect_format(const struct lcl_csr *A, const char *message)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_csr_check(A, &capture.log), LCL_EFORMAT);
    assert_string_equal(capture.last, message);
}

static void test_csr__well_formed_matrix_passes(void **state)
{
    (void)state;
    struct sample s;
    assert_int_equal(lcl_csr_check(make(&s), NULL), LCL_OK);
}

static void test_csr__matrix_without_entries_passes(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 0};
    const struct lcl_csr A = {2, 3, 0, row_ptr, NULL, NULL};
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
}

static void test_csr__missing_arrays_are_invalid(void **state)
{
    (void)state;
    struct sample s;
    assert_misuse(lcl_csr_check(NULL, NULL));
    make(&s)->row_ptr = NULL;
    assert_misuse(lcl_csr_check(&s.A, NULL));
    make(&s)->col_ind = NULL;
    assert_misuse(lcl_csr_check(&s.A, NULL));
    make(&s)->val = NULL;
    assert_misuse(lcl_csr_check(&s.A, NULL));
}

static void test_csr__bad_counts_are_named(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->rows = 0;
    expect_format(&s.A, "matrix: expected at least one row and column, found "
                        "0 x 3 with 5 entries");
    make(&s)->nnz = -1;
    expect_format(&s.A, "matrix: expected at least one row and column, found "
                        "3 x 3 with -1 entries");
    make(&s)->cols = (int64_t)INT32_MAX + 1;
    expect_format(&s.A, "matrix: expected at most 2147483647 rows and "
                        "columns, found 3 x 2147483648");
}

static void test_csr__bad_row_pointers_are_named(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->row_ptr[0] = 1;
    expect_format(&s.A, "matrix: row 0 starts at entry 1, expected 0");
    make(&s)->row_ptr[2] = 1;
    expect_format(&s.A, "matrix: row 1 ends at entry 1, expected 2 to 5");
    make(&s)->row_ptr[1] = INT64_MAX;
    expect_format(&s.A, "matrix: row 0 ends at entry 9223372036854775807, "
                        "expected 0 to 5");
    make(&s)->row_ptr[3] = 4;
    expect_format(&s.A, "matrix: the last row 2 ends at entry 4, expected 5");
}

static void test_csr__bad_columns_and_values_are_named(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->col_ind[2] = 3;
    expect_format(&s.A, "matrix: row 1 has column 3, expected 0 to 2");
    make(&s)->col_ind[0] = -1;
    expect_format(&s.A, "matrix: row 0 has column -1, expected 0 to 2");
    make(&s)->col_ind[3] = 2;
    expect_format(&s.A, "matrix: row 2 has column 2 after 2, expected "
                        "ascending columns");
    make(&s)->val[4] = INFINITY;
    expect_format(&s.A, "matrix: row 2, column 2 has value inf, expected a "
                        "finite one");
    make(&s)->val[0] = NAN;
    assert_int_equal(lcl_csr_check(&s.A, NULL), LCL_EFORMAT);
}

// Many chunks of rows with one fault; the message names it wherever it is.
static void test_csr__flaws_of_large_matrices_are_named(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(40, 41, 43);
    struct test_capture capture;
    char text[64];
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_csr_check(&A, &capture.log), LCL_OK);
    for (int64_t i = 0; i < A.rows; i += 997) {
        const int64_t k = A.row_ptr[i + 1] - 1;
        const int32_t column = A.col_ind[k];
        const double value = A.val[k];
        A.val[k] = i % 2 ? NAN : -INFINITY;
        assert_int_equal(lcl_csr_check(&A, &capture.log), LCL_EFORMAT);
        snprintf(text, sizeof text, "row %" PRId64 ", column %d has value", i,
                 (int)column);
        test_capture_expect(&capture, text);
        A.val[k] = value;
        A.col_ind[k] = i % 2 ? A.col_ind[k - 1] : (int32_t)A.cols;
        assert_int_equal(lcl_csr_check(&A, &capture.log), LCL_EFORMAT);
        snprintf(text, sizeof text, "row %" PRId64 " has column", i);
        test_capture_expect(&capture, text);
        A.col_ind[k] = column;
    }
    assert_int_equal(lcl_csr_check(&A, &capture.log), LCL_OK);
    test_csr_finish(&A);
}

static void test_csr__values_that_are_not_finite_are_found(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    enum { COUNT = 100000 };
    double *val = calloc(COUNT, sizeof *val);
    assert_non_null(val);
    for (int k = 0; k < COUNT; ++k)
        val[k] = k % 3 == 0 ? DBL_MAX : k % 3 == 1 ? -DBL_MIN / 2 : -DBL_MAX;
    assert_int_equal(lcl_find_not_finite(val, COUNT), -1);
    assert_int_equal(lcl_find_not_finite(NULL, 0), -1);
    for (int k = COUNT - 1; k >= 0; k -= 7001) {
        val[k] = odd[k % 3];
        assert_int_equal(lcl_find_not_finite(val, COUNT), k);
    }
    free(val);
}

static void test_csr__the_row_of_an_entry_is_found(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 2, 2, 2, 3, 7, 7};
    const struct lcl_csr A = {7, 9, 7, row_ptr, NULL, NULL};
    static const int64_t rows[] = {1, 1, 4, 5, 5, 5, 5};
    for (int64_t k = 0; k < 7; ++k)
        assert_int_equal(lcl_csr_row_of(&A, k), rows[k]);
}

static void test_csr__multiply_is_the_product(void **state)
{
    (void)state;
    struct sample s;
    const double x[] = {1, 10, 100};
    double y[3] = {-1, -1, -1};
    lcl_csr_multiply(make(&s), x, y);
    assert_true(y[0] == 201 && y[1] == 30 && y[2] == 504);
}

static void test_csr__finish_accepts_null_and_zeroes(void **state)
{
    (void)state;
    struct lcl_csr A = {1, 1, 0, calloc(2, 8), calloc(1, 4), calloc(1, 8)};
    struct lcl_dense X = {1, 1, calloc(1, 8)};
    lcl_csr_finish(&A);
    lcl_csr_finish(&A);
    lcl_dense_finish(&X);
    lcl_dense_finish(&X);
    assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    assert_true(X.rows == 0 && !X.val);
    lcl_csr_finish(NULL);
    lcl_dense_finish(NULL);
}

static void test_csr__entries_are_sorted_and_summed_in_order(void **state)
{
    (void)state;
    // 1e16 + 1 - 1e16 is 0 only in this order
    struct lcl_entry at[] = {{1, 2, 5}, {0, 1, 1e16},  {1, 0, 3},
                             {0, 1, 1}, {0, 1, -1e16}, {0, 0, 7}};
    const struct lcl_entries E = {at, 6};
    struct lcl_csr A = {.rows = 2, .cols = 3};
    int64_t duplicates = -1;
    assert_int_equal(
        lcl_csr_from_entries(&A, &E, LCL_GENERAL, &duplicates, NULL), LCL_OK);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    assert_int_equal(duplicates, 2);
    assert_int_equal(A.nnz, 4);
    const int32_t col[] = {0, 1, 0, 2};
    const double val[] = {7, 0, 3, 5};
    assert_memory_equal(A.col_ind, col, sizeof col);
    assert_memory_equal(A.val, val, sizeof val);
    lcl_csr_finish(&A);
}

static void test_csr__long_disordered_rows_are_sorted(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct lcl_entry *at = calloc(2 * N, sizeof *at);
    for (int k = 0; k < 2 * N; ++k)
        at[k] = (struct lcl_entry){1, k * 617 % N, k < N ? k : 1e6};
    const struct lcl_entries E = {at, 2 * N};
    struct lcl_csr A = {.rows = 3, .cols = N};
    int64_t duplicates = 0;
    assert_int_equal(
        lcl_csr_from_entries(&A, &E, LCL_GENERAL, &duplicates, NULL), LCL_OK);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    assert_int_equal(duplicates, N);
    for (int k = 0; k < N; ++k)
        assert_true(A.val[at[k].col] == k + 1e6);
    lcl_csr_finish(&A);
    free(at);
}

// So many entries that several threads sort them by row; their sums round.
static void test_csr__many_entries_are_summed_in_order(void **state)
{
    (void)state;
    enum { N = 100, COUNT = 200000 };
    struct lcl_entry *at = calloc(COUNT, sizeof *at);
    double *sum = calloc(N * N, sizeof *sum);
    for (int k = 0; k < COUNT; ++k) {
        const int i = 1 + k * 7919 % (N - 1), j = k * 617 % i;
        at[k] = (struct lcl_entry){i, j, 1 / (1.0 + k)};
        sum[i * N + j] += at[k].val;
        sum[j * N + i] -= at[k].val;
    }
    const struct lcl_entries E = {at, COUNT};
    struct lcl_csr A = {.rows = N, .cols = N};
    int64_t duplicates = 0;
    assert_int_equal(
        lcl_csr_from_entries(&A, &E, LCL_SKEW_SYMMETRIC, &duplicates, NULL),
        LCL_OK);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    assert_int_equal(2 * (COUNT - duplicates), A.nnz);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            assert_true(A.val[k] == sum[i * N + A.col_ind[k]]);
    lcl_csr_finish(&A);
    free(sum);
    free(at);
}

static void test_csr__triangles_are_mirrored(void **state)
{
    (void)state;
    struct lcl_entry at[] = {{2, 0, 4}, {1, 0, 2}, {2, 0, 1}};
    const struct lcl_entries E = {at, 3};
    struct lcl_csr A = {.rows = 3, .cols = 3};
    int64_t duplicates = 0;
    assert_int_equal(
        lcl_csr_from_entries(&A, &E, LCL_SKEW_SYMMETRIC, &duplicates, NULL),
        LCL_OK);
    assert_int_equal(duplicates, 1);
    const int32_t col[] = {1, 2, 0, 0};
    const double val[] = {-2, -5, 2, 5};
    assert_int_equal(A.nnz, 4);
    assert_memory_equal(A.col_ind, col, sizeof col);
    assert_memory_equal(A.val, val, sizeof val);
    lcl_csr_finish(&A);
}

static void test_csr__find_knows_where_entries_are(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 3, 3, 4};
    int32_t col_ind[] = {0, 2, 5, 1};
    double val[] = {1, 2, 3, 4};
    const struct lcl_csr A = {3, 6, 4, row_ptr, col_ind, val};
    assert_int_equal(lcl_csr_find(&A, 0, 0), 0);
    assert_int_equal(lcl_csr_find(&A, 0, 2), 1);
    assert_int_equal(lcl_csr_find(&A, 0, 5), 2);
    assert_int_equal(lcl_csr_find(&A, 2, 1), 3);
    assert_int_equal(lcl_csr_find(&A, 0, 1), -1);
    assert_int_equal(lcl_csr_find(&A, 0, 6), -1);
    assert_int_equal(lcl_csr_find(&A, 1, 0), -1);
    assert_int_equal(lcl_csr_find(&A, 2, 5), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr__well_formed_matrix_passes),
        cmocka_unit_test(test_csr__matrix_without_entries_passes),
        cmocka_unit_test(test_csr__missing_arrays_are_invalid),
        cmocka_unit_test(test_csr__bad_counts_are_named),
        cmocka_unit_test(test_csr__bad_row_pointers_are_named),
        cmocka_unit_test(test_csr__bad_columns_and_values_are_named),
        cmocka_unit_test(test_csr__flaws_of_large_matrices_are_named),
        cmocka_unit_test(test_csr__values_that_are_not_finite_are_found),
        cmocka_unit_test(test_csr__the_row_of_an_entry_is_found),
        cmocka_unit_test(test_csr__multiply_is_the_product),
        cmocka_unit_test(test_csr__finish_accepts_null_and_zeroes),
        cmocka_unit_test(test_csr__entries_are_sorted_and_summed_in_order),
        cmocka_unit_test(test_csr__long_disordered_rows_are_sorted),
        cmocka_unit_test(test_csr__many_entries_are_summed_in_order),
        cmocka_unit_test(test_csr__triangles_are_mirrored),
        cmocka_unit_test(test_csr__find_knows_where_entries_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
