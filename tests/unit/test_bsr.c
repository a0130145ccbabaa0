// SPDX-License-Identifier: BSD-3-Clause
// The BSR struct: checks, natural blocks, the conversion, the product.
#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Blocks of two rows at (0, 0), (0, 2) and (1, 1), in arrays that tests may
// modify.
struct sample {
    int64_t row_ptr[3];
    int32_t col_ind[3];
    double val[12];
    struct lcl_bsr A;
};

static struct lcl_bsr *make(struct sample *s)
{
    *s = (struct sample){.row_ptr = {0, 2, 3},
                         .col_ind = {0, 2, 1},
                         .val = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    s->A = (struct lcl_bsr){2, 3, 3, 2, s->row_ptr, s->col_ind, s->val};
    return &s->A;
}

// ------------------------------------------------------------------ checks

static void expect_format(const struct lcl_bsr *A, const char *message)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_bsr_check(A, &capture.log), LCL_EFORMAT);
    assert_string_equal(capture.last, message);
}

static void test_bsr__well_formed_matrix_passes(void **state)
{
    (void)state;
    struct sample s;
    int64_t row_ptr[] = {0, 0, 0};
    const struct lcl_bsr empty = {2, 3, 0, 8, row_ptr, NULL, NULL};
    assert_int_equal(lcl_bsr_check(make(&s), NULL), LCL_OK);
    assert_int_equal(lcl_bsr_check(&empty, NULL), LCL_OK);
}

static void test_bsr__missing_arrays_are_invalid(void **state)
{
    (void)state;
    struct sample s;
    assert_misuse(lcl_bsr_check(NULL, NULL));
    make(&s)->row_ptr = NULL;
    assert_misuse(lcl_bsr_check(&s.A, NULL));
    make(&s)->col_ind = NULL;
    assert_misuse(lcl_bsr_check(&s.A, NULL));
    make(&s)->val = NULL;
    assert_misuse(lcl_bsr_check(&s.A, NULL));
}

static void test_bsr__bad_sizes_are_named(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->block_size = 0;
    expect_format(&s.A,
                  "block matrix: expected blocks of 1 to 8 rows, found 0");
    make(&s)->block_size = 9;
    expect_format(&s.A,
                  "block matrix: expected blocks of 1 to 8 rows, found 9");
    make(&s)->block_size = INT32_MIN;
    assert_int_equal(lcl_bsr_check(&s.A, NULL), LCL_EFORMAT);
    make(&s)->rows = 0;
    expect_format(&s.A, "block matrix: expected at least one row and column, "
                        "found 0 x 3 with 3 entries");
    make(&s)->cols = INT32_MAX / 2 + 1;
    expect_format(&s.A, "block matrix: expected at most 2147483647 rows and "
                        "columns, found 2 x 1073741824 blocks of 2");
    make(&s)->rows = INT64_MAX;
    assert_int_equal(lcl_bsr_check(&s.A, NULL), LCL_EFORMAT);
    make(&s)->nnz = INT64_MAX;
    assert_int_equal(lcl_bsr_check(&s.A, NULL), LCL_EFORMAT);
}

static void test_bsr__bad_patterns_and_values_are_named(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->row_ptr[1] = 4;
    expect_format(&s.A, "block matrix: row 0 ends at entry 4, expected 0 to 3");
    make(&s)->col_ind[1] = 0;
    expect_format(&s.A, "block matrix: row 0 has column 0 after 0, expected "
                        "ascending columns");
    make(&s)->col_ind[2] = 3;
    expect_format(&s.A, "block matrix: row 1 has column 3, expected 0 to 2");
    make(&s)->val[11] = NAN;
    expect_format(&s.A, "block matrix: row 1, column 1 has value nan, expected "
                        "a finite one");
}

// ------------------------------------------------------------------ natural

static void expect_natural(struct lcl_csr A, int block)
{
    assert_int_equal(lcl_csr_natural_block(&A), block);
    test_csr_finish(&A);
}

static void test_bsr__full_blocks_are_found(void **state)
{
    (void)state;
    struct lcl_csr cells = test_laplacian(3, 2, 2);
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b)
        expect_natural(test_expand_blocks(&cells, b), b);
    test_csr_finish(&cells);
}

static void test_bsr__blocks_may_not_exceed_eight_rows(void **state)
{
    (void)state;
    struct lcl_csr cells = test_laplacian(2, 2, 1);
    expect_natural(test_expand_blocks(&cells, 9), 3);
    expect_natural(test_expand_blocks(&cells, 10), 5);
    expect_natural(test_expand_blocks(&cells, 11), 1);
    expect_natural(test_expand_blocks(&cells, 16), 8);
    test_csr_finish(&cells);
}

// Removing any entry of a matrix of 3 x 3 blocks leaves a block incomplete.
static void test_bsr__one_missing_entry_is_seen(void **state)
{
    (void)state;
    struct lcl_csr cells = test_random_csr(5, 2, 3);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    double dense[15 * 15];
    for (int64_t k = 0; k < A.nnz; ++k) {
        memset(dense, 0, sizeof dense);
        for (int64_t i = 0; i < 15; ++i)
            for (int64_t e = A.row_ptr[i]; e < A.row_ptr[i + 1]; ++e)
                dense[i * 15 + A.col_ind[e]] = e != k;
        expect_natural(test_csr_from_dense(15, dense), 1);
    }
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

// Full blocks that do not start at multiples of their size.
static void test_bsr__shifted_blocks_are_none(void **state)
{
    (void)state;
    const double dense[36] = {[0] = 1,  [7] = 1,  [8] = 1,  [13] = 1, [14] = 1,
                              [21] = 1, [22] = 1, [27] = 1, [28] = 1, [35] = 1};
    expect_natural(test_csr_from_dense(6, dense), 1);
}

static void test_bsr__matrices_without_blocks_have_one(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 0, 2, 4};
    int32_t col_ind[] = {1, 0, 1, 0};
    double val[] = {1, 2, 3, 4};
    const struct lcl_csr empty = {2, 2, 0, row_ptr, NULL, NULL};
    const struct lcl_csr disordered = {4, 2, 4, row_ptr, col_ind, val};
    assert_int_equal(lcl_csr_natural_block(NULL), 1);
    assert_int_equal(lcl_csr_natural_block(&empty), 1);
    assert_int_equal(lcl_csr_natural_block(&disordered), 1);
    expect_natural(test_identity(8), 1);
    expect_natural(test_identity(1), 1);
}

// ------------------------------------------------------------------ conversion

// Exactly the entries of A, in well-formed blocks, none of them empty.
static void expect_same_matrix(const struct lcl_bsr *B, const int64_t *place,
                               const struct lcl_csr *A)
{
    const int64_t b = B->block_size;
    double sum = 0, expected = 0;
    assert_int_equal(lcl_bsr_check(B, NULL), LCL_OK);
    assert_true(B->rows * b == A->rows && B->cols * b == A->cols);
    const struct lcl_csr pattern = lcl_bsr_pattern(B);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            const int64_t block = lcl_csr_find(&pattern, i / b, j / b);
            assert_true(block >= 0);
            assert_int_equal(place[k], (block * b + i % b) * b + j % b);
            assert_true(B->val[place[k]] == A->val[k]);
            expected += fabs(A->val[k]);
        }
    for (int64_t k = 0; k < B->nnz; ++k) {
        double block = 0;
        for (int64_t e = 0; e < b * b; ++e)
            block += fabs(B->val[k * b * b + e]);
        assert_true(block > 0);
        sum += block;
    }
    assert_true(fabs(sum - expected) < 1e-12 * (1 + expected));
}

static void expect_conversions(const struct lcl_csr *A)
{
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_bsr B;
        int64_t *place;
        if (A->rows % b != 0)
            continue;
        assert_int_equal(lcl_bsr_from_csr_placed(&B, &place, A, b, NULL),
                         LCL_OK);
        expect_same_matrix(&B, place, A);
        lcl_free(place);
        lcl_bsr_finish(&B);
    }
}

static void test_bsr__conversion_keeps_every_entry(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 8, 24, 35, 840};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct lcl_csr A = test_random_csr(sizes[i], 5, i);
        expect_conversions(&A);
        test_csr_finish(&A);
        A = test_dense_row(sizes[i], sizes[i] / 2);
        expect_conversions(&A);
        test_csr_finish(&A);
    }
}

static void test_bsr__natural_blocks_add_nothing(void **state)
{
    (void)state;
    struct lcl_csr cells = test_laplacian(3, 3, 1);
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_csr A = test_expand_blocks(&cells, b);
        struct lcl_bsr B;
        assert_int_equal(lcl_bsr_from_csr(&B, &A, b, NULL), LCL_OK);
        assert_int_equal(B.nnz, cells.nnz);
        assert_int_equal(B.nnz * b * b, A.nnz);
        lcl_bsr_finish(&B);
        test_csr_finish(&A);
    }
    test_csr_finish(&cells);
}

static void test_bsr__rectangles_and_empty_rows_are_converted(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 0, 2, 3};
    int32_t col_ind[] = {1, 5, 4};
    double val[] = {1, 2, 3};
    const struct lcl_csr A = {4, 6, 3, row_ptr, col_ind, val};
    struct lcl_bsr B;
    assert_int_equal(lcl_bsr_from_csr(&B, &A, 2, NULL), LCL_OK);
    const int32_t col[] = {0, 2};
    const double expected[] = {0, 1, 0, 0, 0, 2, 3, 0};
    assert_true(B.rows == 2 && B.cols == 3 && B.nnz == 2);
    assert_true(B.row_ptr[1] == 0 && B.row_ptr[2] == 2);
    assert_memory_equal(B.col_ind, col, sizeof col);
    assert_memory_equal(B.val, expected, sizeof expected);
    lcl_bsr_finish(&B);
}

static void expect_refused(const struct lcl_csr *A, int block_size,
                           const char *message)
{
    struct test_capture capture;
    struct lcl_bsr B = {.rows = 1};
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_bsr_from_csr(&B, A, block_size, &capture.log),
                     LCL_EINVAL);
    assert_string_equal(capture.last, message);
    assert_true(B.rows == 0 && !B.row_ptr && !B.col_ind && !B.val);
}

static void test_bsr__wrong_block_sizes_are_refused(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(12);
    expect_refused(&A, 0, "block size 0: expected a number from 1 to 8");
    expect_refused(&A, -3, "block size -3: expected a number from 1 to 8");
    expect_refused(&A, 9, "block size 9: expected a number from 1 to 8");
    expect_refused(&A, 5,
                   "block size 5 does not divide the matrix, which is 12 x 12");
    A.cols = 13;
    expect_refused(&A, 3,
                   "block size 3 does not divide the matrix, which is 12 x 13");
    test_csr_finish(&A);
}

static void test_bsr__conversion_without_arguments_is_misuse(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(2);
    const struct lcl_csr no_arrays = {2, 2, 0, NULL, NULL, NULL};
    struct lcl_bsr B;
    assert_misuse(lcl_bsr_from_csr(NULL, &A, 1, NULL));
    assert_misuse(lcl_bsr_from_csr(&B, NULL, 1, NULL));
    assert_misuse(lcl_bsr_from_csr(&B, &no_arrays, 1, NULL));
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ the rest

static void test_bsr__multiply_is_the_product_of_the_entries(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(840, 7, 5);
    double x[840], y[840], expected[840];
    uint64_t random = 1;
    for (int i = 0; i < 840; ++i)
        x[i] = test_random(&random);
    lcl_csr_multiply(&A, x, expected);
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_bsr B;
        assert_int_equal(lcl_bsr_from_csr(&B, &A, b, NULL), LCL_OK);
        memset(y, 0xff, sizeof y);
        lcl_bsr_multiply(&B, x, y);
        for (int i = 0; i < 840; ++i)
            assert_true(y[i] == expected[i]);
        lcl_bsr_finish(&B);
    }
    test_csr_finish(&A);
}

static void test_bsr__finish_accepts_null_and_zeroes(void **state)
{
    (void)state;
    struct lcl_bsr A = {1, 1, 0, 2, calloc(2, 8), calloc(1, 4), calloc(4, 8)};
    lcl_bsr_finish(&A);
    lcl_bsr_finish(&A);
    assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    lcl_bsr_finish(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bsr__well_formed_matrix_passes),
        cmocka_unit_test(test_bsr__missing_arrays_are_invalid),
        cmocka_unit_test(test_bsr__bad_sizes_are_named),
        cmocka_unit_test(test_bsr__bad_patterns_and_values_are_named),
        cmocka_unit_test(test_bsr__full_blocks_are_found),
        cmocka_unit_test(test_bsr__blocks_may_not_exceed_eight_rows),
        cmocka_unit_test(test_bsr__one_missing_entry_is_seen),
        cmocka_unit_test(test_bsr__shifted_blocks_are_none),
        cmocka_unit_test(test_bsr__matrices_without_blocks_have_one),
        cmocka_unit_test(test_bsr__conversion_keeps_every_entry),
        cmocka_unit_test(test_bsr__natural_blocks_add_nothing),
        cmocka_unit_test(test_bsr__rectangles_and_empty_rows_are_converted),
        cmocka_unit_test(test_bsr__wrong_block_sizes_are_refused),
        cmocka_unit_test(test_bsr__conversion_without_arguments_is_misuse),
        cmocka_unit_test(test_bsr__multiply_is_the_product_of_the_entries),
        cmocka_unit_test(test_bsr__finish_accepts_null_and_zeroes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
