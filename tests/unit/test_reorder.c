// SPDX-License-Identifier: BSD-3-Clause
// The reordered matrix and the cost of dropped couplings, by brute force.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "host/alloc.h"
#include "lib/matrix/csr.h"
#include "lib/partition/partition.h"

#include <stdlib.h>

static void finish(struct lcl_csr *B, int64_t *map)
{
    lcl_free(B->row_ptr);
    lcl_free(B->col_ind);
    lcl_free(B->val);
    lcl_free(map);
}

static void expect_row(const struct lcl_csr *B, const int64_t *map,
                       const struct lcl_csr *A, const int32_t *perm, int64_t i)
{
    const int64_t old = perm[i];
    assert_int_equal(B->row_ptr[i + 1] - B->row_ptr[i],
                     A->row_ptr[old + 1] - A->row_ptr[old]);
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        if (k > B->row_ptr[i])
            assert_true(B->col_ind[k - 1] < B->col_ind[k]);
        assert_in_range(map[k], A->row_ptr[old], A->row_ptr[old + 1] - 1);
        assert_int_equal(perm[B->col_ind[k]], A->col_ind[map[k]]);
        assert_true(B->val[k] == A->val[map[k]]);
        assert_true(B->val[k] == test_entry(A, old, perm[B->col_ind[k]]));
    }
}

static void expect_reordered(const struct lcl_csr *A, int32_t *perm)
{
    struct lcl_csr B;
    int64_t *map;
    assert_int_equal(lcl_csr_reorder(&B, &map, A, perm, NULL), LCL_OK);
    assert_int_equal(B.rows, A->rows);
    assert_int_equal(B.cols, A->cols);
    assert_int_equal(B.nnz, A->nnz);
    assert_int_equal(B.row_ptr[0], 0);
    for (int64_t i = 0; i < A->rows; ++i)
        expect_row(&B, map, A, perm, i);
    finish(&B, map);
}

static void test_reorder__random_matrices_match_brute_force(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const int64_t n = 1 + 17 * (seed - 1);
        struct lcl_csr A = test_random_csr(n, seed % 7, seed);
        int32_t *perm = test_random_permutation(n, seed + 100);
        expect_reordered(&A, perm);
        free(perm);
        test_csr_finish(&A);
    }
}

static void test_reorder__long_and_empty_rows_are_sorted_too(void **state)
{
    (void)state;
    struct lcl_csr dense_row = test_dense_row(300, 7);
    struct lcl_csr dense = test_random_csr(60, 59, 3);
    struct lcl_csr empty = test_identity(60);
    for (int i = 0; i <= 60; ++i)
        empty.row_ptr[i] = 0;
    empty.nnz = 0;
    struct lcl_csr *matrices[] = {&dense_row, &dense, &empty};
    for (size_t m = 0; m < 3; ++m) {
        int32_t *perm = test_random_permutation(matrices[m]->rows, 5);
        expect_reordered(matrices[m], perm);
        free(perm);
        test_csr_finish(matrices[m]);
    }
}

static void test_reorder__the_identity_changes_nothing(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(4, 3, 2);
    int32_t perm[24];
    for (int32_t i = 0; i < 24; ++i)
        perm[i] = i;
    struct lcl_csr B;
    int64_t *map;
    assert_int_equal(lcl_csr_reorder(&B, &map, &A, perm, NULL), LCL_OK);
    assert_memory_equal(B.col_ind, A.col_ind, sizeof(int32_t) * (size_t)A.nnz);
    for (int64_t k = 0; k < A.nnz; ++k)
        assert_int_equal(map[k], k);
    finish(&B, map);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reorder__random_matrices_match_brute_force),
        cmocka_unit_test(test_reorder__long_and_empty_rows_are_sorted_too),
        cmocka_unit_test(test_reorder__the_identity_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
