// SPDX-License-Identifier: BSD-3-Clause
// block_jacobi.cl: extraction and inversion of diagonal blocks, compared with
// the reference.
#include "tests/support/device.h"
#include "tests/support/diagonal.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- inverses

// The values of every block are near the reference, and the gaps between blocks
// are unchanged.
static void expect_inverse(const struct test_diagonal *T, double tolerance)
{
    const struct lcl_ref_block_jacobi *J = &T->reference;
    double *expected = test_vector(T->inverse.values);
    double *got = test_diagonal_values(T);
    memset(expected, 0xff, (size_t)T->inverse.values * sizeof *expected);
    for (int64_t p = 0; p < J->blocks; ++p) {
        const int m = J->ptr[p + 1] - J->ptr[p];
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j)
                expected[test_diagonal_place(T, p, i, j)] =
                    J->inverse[J->at[p] + i * m + j];
    }
    for (int64_t k = 0; k < T->inverse.values; ++k)
        if (isnan(expected[k]) ? !isnan(got[k])
                               : !(fabs(got[k] - expected[k]) <=
                                   tolerance * fmax(1, fabs(expected[k]))))
            fail_msg("value %lld: got %.17g, expected %.17g", (long long)k,
                     got[k], expected[k]);
    free(expected);
    free(got);
}

static int64_t bad_blocks(const struct lcl_ref_block_jacobi *J)
{
    int64_t bad = 0;
    for (int64_t p = 0; p < J->blocks; ++p)
        bad += J->bad[p];
    return bad;
}

static void expect_matrix(lcl_context *ctx, const struct lcl_csr *A, int block,
                          const struct lcl_diagonal_blocks *blocks,
                          double tolerance)
{
    for (int e = LCL_BLOCK_EXTRACTION_DEFAULT; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e)
        for (int a = LCL_BLOCK_APPLY_SLAB; a < LCL_BLOCK_APPLY_COUNT; ++a) {
            const struct lcl_block_inverse_params params = {
                .extraction = (enum lcl_block_extraction)e,
                .apply = (enum lcl_block_apply)a,
            };
            struct test_diagonal T;
            test_diagonal_init(&T, ctx, A, block, blocks, &params);
            test_diagonal_run(&T);
            assert_int_equal(T.counts.bad, bad_blocks(&T.reference));
            expect_inverse(&T, tolerance);
            test_diagonal_finish(&T);
        }
}

// Blocks of at most `bound` rows found by supervariable blocking.
static void expect_bound(lcl_context *ctx, const struct lcl_csr *A, int block,
                         int bound, double tolerance)
{
    struct lcl_diagonal_blocks blocks;
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    assert_int_equal(lcl_supervariables(&blocks, &B, bound, NULL), LCL_OK);
    expect_matrix(ctx, A, block, &blocks, tolerance);
    lcl_diagonal_blocks_finish(&blocks);
}

static void test_block_jacobi__inverses_match_on_every_structure(void **state)
{
    static const int bounds[] = {2, 5, 13};
    for (int s = 0; s < TEST_STRUCTURES; ++s)
        for (int i = 0; i < (int)test_size(2, 3); ++i) {
            struct lcl_csr A = test_structure(s, test_size(37, 301));
            expect_bound(*state, &A, 1, bounds[i], 1e-12);
            test_csr_finish(&A);
        }
}

static void test_block_jacobi__inverses_of_the_largest_blocks_match(
    void **state)
{
    const int rows = test_width(*state) == 1 ? LCL_DIAGONAL_BLOCK_MAX
                                             : (int)test_size(9, 20);
    struct lcl_csr A = test_random_csr(3 * rows + 1, 0.7 * rows, 2);
    expect_bound(*state, &A, 1, rows, 1e-12);
    test_csr_finish(&A);
}

// Adjacent blocks of any sizes, rows without dominant entries.
static void test_block_jacobi__rows_are_pivoted_in_mixed_blocks(void **state)
{
    const int64_t n = test_size(33, 400);
    struct lcl_csr A = test_pivoting(n, 5);
    for (unsigned seed = 1; seed <= 3; ++seed) {
        struct lcl_diagonal_blocks blocks =
            test_random_diagonal(n, (int)test_size(5, 13), seed);
        expect_matrix(*state, &A, 1, &blocks, 1e-7);
        lcl_diagonal_blocks_finish(&blocks);
    }
    test_csr_finish(&A);
}

// Diagonal blocks start anywhere within the blocks of the matrix.
static void test_block_jacobi__matrices_in_blocks_give_the_same(void **state)
{
    // compilation takes long with many lanes
    for (int b = 2; b <= (test_width(*state) == 1 ? 3 : 2); ++b) {
        const int64_t n = b * test_size(9, 90);
        struct lcl_csr A = test_structure(3, n);
        struct lcl_diagonal_blocks blocks = test_random_diagonal(n, 5, 4);
        expect_matrix(*state, &A, b, &blocks, 1e-12);
        lcl_diagonal_blocks_finish(&blocks);
        test_csr_finish(&A);
    }
}

static void test_block_jacobi__wide_row_pointers_give_the_same(void **state)
{
    const int64_t n = test_size(31, 200);
    struct lcl_csr A = test_structure(0, n);
    struct lcl_diagonal_blocks blocks = test_random_diagonal(n, 5, 9);
    for (int e = LCL_BLOCK_EXTRACTION_CACHED; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e) {
        const struct lcl_block_inverse_params params = {
            .extraction = (enum lcl_block_extraction)e};
        struct test_diagonal T;
        test_diagonal_init_wide(&T, *state, &A, &blocks, &params);
        test_diagonal_run(&T);
        expect_inverse(&T, 1e-12);
        test_diagonal_finish(&T);
    }
    lcl_diagonal_blocks_finish(&blocks);
    test_csr_finish(&A);
}

static void test_block_jacobi__groups_do_not_change_a_bit(void **state)
{
    const struct lcl_block_inverse_params params = {.apply =
                                                        LCL_BLOCK_APPLY_SPMV};
    const int64_t n = test_size(40, 300);
    struct lcl_csr A = test_structure(3, n);
    struct lcl_diagonal_blocks blocks = test_random_diagonal(n, 5, 2);
    struct test_diagonal T;
    test_diagonal_init(&T, *state, &A, 1, &blocks, &params);
    test_diagonal_run(&T);
    double *before = test_diagonal_values(&T);
    T.inverse.invert_groups = 2;
    test_diagonal_run(&T);
    double *after = test_diagonal_values(&T);
    test_expect_same("inverse", after, before, T.inverse.values);
    test_diagonal_finish(&T);
    lcl_diagonal_blocks_finish(&blocks);
    test_csr_finish(&A);
    free(before);
    free(after);
}

// ------------------------------------------------------------------- no
// inverse

// D is the block of rows 3, 4 and 5, next to two blocks that have inverses.
static void expect_bad(lcl_context *ctx, const double D[9], int64_t first_row,
                       int64_t last_row)
{
    enum { N = 11 };
    double dense[N * N] = {0};
    int32_t ptr[] = {0, 3, 6, N};
    for (int i = 0; i < N; ++i)
        dense[(N + 1) * i] = 2 + i;
    for (int i = 0; i < 9; ++i)
        dense[(3 + i / 3) * N + 3 + i % 3] = D[i];
    const struct lcl_diagonal_blocks blocks = {3, ptr, N - 6};
    struct lcl_csr A = test_csr_from_dense(N, dense);
    for (int e = LCL_BLOCK_EXTRACTION_CACHED; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e) {
        const struct lcl_block_inverse_params params = {
            .extraction = (enum lcl_block_extraction)e};
        struct test_diagonal T;
        int64_t rows[2] = {-1, -1};
        test_diagonal_init(&T, ctx, &A, 1, &blocks, &params);
        test_diagonal_run(&T);
        assert_int_equal(T.counts.bad, 1);
        assert_true(T.reference.bad[1] && !T.reference.bad[0]);
        assert_int_equal(lcl_block_inverse_bad_rows(&T.inverse, rows, 2),
                         LCL_OK);
        assert_in_range(rows[0], first_row, last_row);
        assert_int_equal(rows[1], -1);
        expect_inverse(&T, 1e-14);
        test_diagonal_finish(&T);
    }
    test_csr_finish(&A);
}

static void test_block_jacobi__a_block_without_entries_becomes_ones(
    void **state)
{
    const double D[9] = {0};
    expect_bad(*state, D, 3, 3);
}

static void test_block_jacobi__singular_blocks_become_their_diagonals(
    void **state)
{
    const double no_row[9] = {4, 1, 2, 0, 0, 0, 1, 0, 2};
    const double no_column[9] = {4, 0, 2, 1, 0, 0, 1, 0, 2};
    const double twice[9] = {1, 2, 4, 0.5, 1, 2, 0, 0, 1};
    expect_bad(*state, no_row, 3, 5);
    expect_bad(*state, no_column, 3, 5);
    expect_bad(*state, twice, 3, 5);
}

static void test_block_jacobi__what_is_not_finite_does_not_spread(void **state)
{
    for (int k = 0; k < 9; ++k) {
        double D[9] = {4, 1, 0.5, 1, 5, 1, 0.25, 1, 6};
        D[k] = NAN;
        expect_bad(*state, D, 3, 5);
        D[k] = INFINITY;
        expect_bad(*state, D, 3, 5);
    }
}

static void test_block_jacobi__inverses_that_overflow_are_none(void **state)
{
    const double D[9] = {1, 0, 0, 0, 1e-310, 0, 0, 0, 1};
    expect_bad(*state, D, 3, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_jacobi__inverses_match_on_every_structure),
        cmocka_unit_test(
            test_block_jacobi__inverses_of_the_largest_blocks_match),
        cmocka_unit_test(test_block_jacobi__rows_are_pivoted_in_mixed_blocks),
        cmocka_unit_test(test_block_jacobi__matrices_in_blocks_give_the_same),
        cmocka_unit_test(test_block_jacobi__wide_row_pointers_give_the_same),
        cmocka_unit_test(test_block_jacobi__groups_do_not_change_a_bit),
        cmocka_unit_test(
            test_block_jacobi__a_block_without_entries_becomes_ones),
        cmocka_unit_test(
            test_block_jacobi__singular_blocks_become_their_diagonals),
        cmocka_unit_test(test_block_jacobi__what_is_not_finite_does_not_spread),
        cmocka_unit_test(test_block_jacobi__inverses_that_overflow_are_none),
    };
    return test_device_run(tests);
}
