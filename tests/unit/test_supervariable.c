// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks: found from equal columns, given by the caller, refused.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/dense/supervariable.h"
#include "lib/matrix/bsr.h"

#include <limits.h>
#include <stdlib.h>

static void expect_blocks(const struct lcl_diagonal_blocks *blocks,
                          const int32_t *expected, int64_t count)
{
    int rows_max = 0;
    assert_int_equal(blocks->count, count);
    for (int64_t p = 0; p <= count; ++p)
        assert_int_equal(blocks->ptr[p], expected[p]);
    for (int64_t p = 0; p < count; ++p)
        if (expected[p + 1] - expected[p] > rows_max)
            rows_max = expected[p + 1] - expected[p];
    assert_int_equal(blocks->rows_max, rows_max);
}

static void expect_found(const struct lcl_bsr *A, int bound,
                         const int32_t *expected, int64_t count)
{
    struct lcl_diagonal_blocks blocks;
    assert_int_equal(lcl_supervariables(&blocks, A, bound, NULL), LCL_OK);
    expect_blocks(&blocks, expected, count);
    lcl_diagonal_blocks_finish(&blocks);
    assert_null(blocks.ptr);
}

static void expect_found_in_csr(const struct lcl_csr *A, int bound,
                                const int32_t *expected, int64_t count)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    expect_found(&B, bound, expected, count);
}

// Dense diagonal blocks of these sizes, terminated by 0.
static struct lcl_csr block_diagonal(const int *sizes)
{
    int64_t n = 0;
    for (const int *s = sizes; *s; ++s)
        n += *s;
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    assert_non_null(dense);
    int64_t first = 0;
    for (const int *s = sizes; *s; first += *s++)
        for (int64_t i = first; i < first + *s; ++i)
            for (int64_t j = first; j < first + *s; ++j)
                dense[i * n + j] = (double)(1 + i + j);
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

// ------------------------------------------------------------------ found

static void test_supervariable__rows_of_equal_columns_are_blocks(void **state)
{
    (void)state;
    static const int sizes[] = {3, 4, 1, 4, 0};
    struct lcl_csr A = block_diagonal(sizes);
    expect_found_in_csr(&A, 4, (const int32_t[]){0, 3, 7, 8, 12}, 4);
    test_csr_finish(&A);
}

static void test_supervariable__neighbours_are_joined_up_to_the_bound(
    void **state)
{
    (void)state;
    static const int sizes[] = {2, 2, 3, 1, 1, 4, 0};
    struct lcl_csr A = block_diagonal(sizes);
    expect_found_in_csr(&A, 4, (const int32_t[]){0, 4, 8, 9, 13}, 4);
    expect_found_in_csr(&A, 5, (const int32_t[]){0, 4, 9, 13}, 3);
    expect_found_in_csr(&A, 12, (const int32_t[]){0, 9, 13}, 2);
    expect_found_in_csr(&A, 13, (const int32_t[]){0, 13}, 1);
    expect_found_in_csr(&A, INT_MAX, (const int32_t[]){0, 13}, 1);
    test_csr_finish(&A);
}

static void test_supervariable__natural_blocks_are_cut_off_at_the_bound(
    void **state)
{
    (void)state;
    static const int sizes[] = {10, 2, 0};
    struct lcl_csr A = block_diagonal(sizes);
    expect_found_in_csr(&A, 4, (const int32_t[]){0, 4, 8, 12}, 3);
    expect_found_in_csr(&A, 3, (const int32_t[]){0, 3, 6, 9, 12}, 4);
    expect_found_in_csr(
        &A, 1, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12);
    test_csr_finish(&A);
}

// Rows with equally many but different columns.
static void test_supervariable__columns_are_compared_not_only_counted(
    void **state)
{
    (void)state;
    const double dense[] = {1, 2, 0, 0, 3, 4, 0, 0, 5, 0, 6, 0, 0, 0, 7, 8};
    struct lcl_csr A = test_csr_from_dense(4, dense);
    expect_found_in_csr(&A, 2, (const int32_t[]){0, 2, 4}, 2);
    expect_found_in_csr(&A, 3, (const int32_t[]){0, 3, 4}, 2);
    test_csr_finish(&A);
}

static void test_supervariable__empty_rows_are_rows_of_equal_columns(
    void **state)
{
    (void)state;
    const double dense[9] = {0};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    expect_found_in_csr(&A, 2, (const int32_t[]){0, 2, 3}, 2);
    test_csr_finish(&A);
}

static void test_supervariable__block_rows_are_natural_blocks(void **state)
{
    (void)state;
    struct lcl_csr pattern = test_laplacian(5, 1, 1);
    struct lcl_bsr A = test_random_blocks(&pattern, 3, 1);
    expect_found(&A, 3, (const int32_t[]){0, 3, 6, 9, 12, 15}, 5);
    expect_found(&A, 8, (const int32_t[]){0, 6, 12, 15}, 3);
    // not split, but cut off below their own size
    expect_found(&A, 2, (const int32_t[]){0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15},
                 10);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// No block exceeds the bound, none could hold all of the natural block that
// follows, and no natural block within the bound is split.
static void test_supervariable__random_matrices_keep_the_rules(void **state)
{
    (void)state;
    struct lcl_csr cells = test_random_csr(300, 3, 5);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    for (int bound = 3; bound <= 32; ++bound) {
        struct lcl_diagonal_blocks blocks;
        assert_int_equal(lcl_supervariables(&blocks, &B, bound, NULL), LCL_OK);
        assert_int_equal(blocks.ptr[blocks.count], A.rows);
        for (int64_t p = 0; p < blocks.count; ++p) {
            const int32_t *at = &blocks.ptr[p];
            assert_in_range(at[1] - at[0], 1, bound);
            assert_int_equal(at[0] % 3, 0);
            if (p + 1 < blocks.count)
                assert_true(at[1] + 3 - at[0] > bound);
        }
        lcl_diagonal_blocks_finish(&blocks);
    }
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

// ------------------------------------------------------------------ given

static void test_supervariable__blocks_of_the_caller_are_taken(void **state)
{
    (void)state;
    struct lcl_diagonal_blocks blocks;
    const int64_t ptr[] = {0, 1, 5, 8};
    assert_int_equal(lcl_diagonal_blocks_from_ptr(&blocks, ptr, 4, 8, 4, NULL),
                     LCL_OK);
    expect_blocks(&blocks, (const int32_t[]){0, 1, 5, 8}, 3);
    lcl_diagonal_blocks_finish(&blocks);
}

static void test_supervariable__wrong_pointers_are_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t ptr[4];
        int64_t count;
    } wrong[] = {
        {{1, 4, 6, 8}, 4},                 // does not start at 0
        {{0, 4, 4, 8}, 4},                 // an empty block
        {{0, 5, 4, 8}, 4},                 // blocks that overlap
        {{0, 4, 6, 7}, 4},                 // ends before the rows do
        {{0, 4, 6, 9}, 4},                 // ends after the rows
        {{0, 1, 6, 8}, 4},                 // one above the limit
        {{0, -3, 4, 8}, 4},                // negative
        {{0, INT64_MAX, INT64_MIN, 8}, 4}, // overflow
        {{INT64_MIN, INT64_MAX, 6, 8}, 4},
        {{0, 4, 6, 8}, 1}, // no block at all
        {{0, 4, 6, 8}, 0},
        {{0, 4, 6, 8}, -1},
    };
    struct lcl_diagonal_blocks blocks;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        if (lcl_diagonal_blocks_from_ptr(&blocks, wrong[i].ptr, wrong[i].count,
                                         8, 4, NULL) != LCL_EINVAL)
            fail_msg("pointers %zu were taken", i);
    assert_int_equal(lcl_diagonal_blocks_from_ptr(&blocks, NULL, 4, 8, 4, NULL),
                     LCL_EINVAL);
    struct lcl_csr A = test_identity(3);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    assert_int_equal(lcl_supervariables(&blocks, &B, 0, NULL), LCL_EINVAL);
    assert_int_equal(lcl_supervariables(&blocks, &B, INT_MIN, NULL),
                     LCL_EINVAL);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ share

static void test_supervariable__entries_inside_blocks_are_counted(void **state)
{
    (void)state;
    const int64_t ptr[] = {0, 2, 3, 6};
    const double dense[] = {
        1, 2, 3, 0, 0, 0, //
        0, 0, 0, 0, 0, 5, //
        1, 1, 0, 1, 0, 0, //
        0, 0, 7, 8, 0, 9, //
        0, 0, 0, 1, 1, 0, //
        1, 0, 0, 0, 0, 1, //
    };
    struct lcl_csr A = test_csr_from_dense(6, dense);
    struct lcl_bsr B = lcl_bsr_of_csr(&A), C;
    struct lcl_diagonal_blocks blocks;
    assert_int_equal(lcl_diagonal_blocks_from_ptr(&blocks, ptr, 4, 6, 32, NULL),
                     LCL_OK);
    struct lcl_diagonal_share share = lcl_diagonal_blocks_share(&blocks, &B);
    assert_int_equal(share.entries, 7);
    assert_int_equal(share.missing_diagonals, 2);
    assert_int_equal(lcl_bsr_from_csr(&C, &A, 2, NULL), LCL_OK);
    share = lcl_diagonal_blocks_share(&blocks, &C);
    // including the zeros that pad blocks
    assert_int_equal(share.entries, 4 + 1 + 9);
    assert_int_equal(share.missing_diagonals, 0);
    lcl_diagonal_blocks_finish(&blocks);
    lcl_bsr_finish(&C);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_supervariable__rows_of_equal_columns_are_blocks),
        cmocka_unit_test(
            test_supervariable__neighbours_are_joined_up_to_the_bound),
        cmocka_unit_test(
            test_supervariable__natural_blocks_are_cut_off_at_the_bound),
        cmocka_unit_test(
            test_supervariable__columns_are_compared_not_only_counted),
        cmocka_unit_test(
            test_supervariable__empty_rows_are_rows_of_equal_columns),
        cmocka_unit_test(test_supervariable__block_rows_are_natural_blocks),
        cmocka_unit_test(test_supervariable__random_matrices_keep_the_rules),
        cmocka_unit_test(test_supervariable__blocks_of_the_caller_are_taken),
        cmocka_unit_test(test_supervariable__wrong_pointers_are_refused),
        cmocka_unit_test(test_supervariable__entries_inside_blocks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
