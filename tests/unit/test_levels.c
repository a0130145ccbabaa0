// SPDX-License-Identifier: BSD-3-Clause
// The reference of the level assignment compared with longest paths.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/ref/levels.h"

#include <stdlib.h>

// The longest chain of dependences that ends in row i, by definition.
static int32_t longest_path(const struct lcl_csr *B, int64_t first, int64_t i,
                            const int32_t *known)
{
    int32_t longest = 0;
    for (int64_t j = first; j < i; ++j) {
        const int depends =
            test_entry(B, i, j) != 0 || test_entry(B, j, i) != 0;
        if (depends && known[j - first] + 1 > longest)
            longest = known[j - first] + 1;
    }
    return longest;
}

static void expect_levels(const struct lcl_csr *B, int64_t first, int64_t last)
{
    int32_t *level = malloc((size_t)(last - first + 1) * sizeof *level);
    int32_t *known = calloc((size_t)(last - first + 1), sizeof *known);
    assert_non_null(level);
    assert_non_null(known);
    level[last - first] = -1;
    const int32_t levels = lcl_ref_levels(B, first, last, level);
    assert_int_equal(level[last - first], -1);
    int32_t most = 0;
    for (int64_t i = first; i < last; ++i) {
        known[i - first] = longest_path(B, first, i, known);
        assert_int_equal(level[i - first], known[i - first]);
        most = known[i - first] + 1 > most ? known[i - first] + 1 : most;
    }
    assert_int_equal(levels, most);
    free(known);
    free(level);
}

static void test_levels__random_matrices_match_longest_paths(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const int64_t n = 1 + 11 * (seed - 1);
        struct lcl_csr B = test_random_csr(n, seed % 6, seed);
        expect_levels(&B, 0, n);
        expect_levels(&B, n / 3, n);
        expect_levels(&B, n / 4, n - n / 4);
        test_csr_finish(&B);
    }
}

static void test_levels__diagonal_matrix_is_one_level(void **state)
{
    (void)state;
    int32_t level[5];
    struct lcl_csr B = test_identity(5);
    assert_int_equal(lcl_ref_levels(&B, 0, 5, level), 1);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(level[i], 0);
    test_csr_finish(&B);
}

static void test_levels__upper_triangle_alone_gives_dependences(void **state)
{
    (void)state;
    const double dense[] = {1, 0, 7, 0, 1, 7, 0, 0, 1};
    const int32_t expected[] = {0, 0, 1};
    int32_t level[3];
    struct lcl_csr B = test_csr_from_dense(3, dense);
    assert_int_equal(lcl_ref_levels(&B, 0, 3, level), 2);
    assert_memory_equal(level, expected, sizeof level);
    test_csr_finish(&B);
}

static void test_levels__dense_matrix_has_a_level_per_row(void **state)
{
    (void)state;
    struct lcl_csr B = test_random_csr(40, 39, 1);
    int32_t level[40];
    assert_int_equal(lcl_ref_levels(&B, 0, 40, level), 40);
    test_csr_finish(&B);
}

static void test_levels__grid_levels_are_its_diagonals(void **state)
{
    (void)state;
    struct lcl_csr B = test_laplacian(4, 3, 5);
    int32_t level[60];
    assert_int_equal(lcl_ref_levels(&B, 0, 60, level), 10);
    for (int i = 0; i < 60; ++i)
        assert_int_equal(level[i], i % 4 + i / 4 % 3 + i / 12);
    test_csr_finish(&B);
}

static void test_levels__one_dense_row_splits_the_rest(void **state)
{
    (void)state;
    struct lcl_csr B = test_dense_row(9, 4);
    int32_t level[9];
    assert_int_equal(lcl_ref_levels(&B, 0, 9, level), 3);
    for (int i = 0; i < 9; ++i)
        assert_int_equal(level[i], (i > 3) + (i > 4));
    test_csr_finish(&B);
}

static void test_levels__empty_range_has_none(void **state)
{
    (void)state;
    struct lcl_csr B = test_identity(3);
    assert_int_equal(lcl_ref_levels(&B, 2, 2, NULL), 0);
    test_csr_finish(&B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels__random_matrices_match_longest_paths),
        cmocka_unit_test(test_levels__diagonal_matrix_is_one_level),
        cmocka_unit_test(test_levels__upper_triangle_alone_gives_dependences),
        cmocka_unit_test(test_levels__dense_matrix_has_a_level_per_row),
        cmocka_unit_test(test_levels__grid_levels_are_its_diagonals),
        cmocka_unit_test(test_levels__one_dense_row_splits_the_rest),
        cmocka_unit_test(test_levels__empty_range_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
