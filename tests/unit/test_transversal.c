// SPDX-License-Identifier: BSD-3-Clause
// Transversals of largest product against all permutations.
#include "host/limit.h"
#include "lib/matrix/transversal.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 7 };

// The largest sum of log2 |a_ij| over the rows from `i` on, of columns that are
// not in `used`.
static double best(const struct lcl_csr *A, int64_t i, unsigned used)
{
    double most = i == A->rows ? 0 : -INFINITY;
    for (int64_t j = 0; j < A->rows && i < A->rows; ++j) {
        const double a = fabs(test_entry(A, i, j));
        if (!(used >> j & 1) && a > 0)
            most = fmax(most, log2(a) + best(A, i + 1, used | 1u << j));
    }
    return most;
}

// The columns are a permutation, and the scaled entries are as promised.
static double expect_sound(const struct lcl_transversal *T,
                           const struct lcl_csr *A)
{
    char *seen = calloc((size_t)A->rows, 1);
    double sum = 0;
    assert_non_null(seen);
    assert_int_equal(T->n, A->rows);
    for (int64_t i = 0; i < A->rows; ++i) {
        const int32_t j = T->column[i];
        assert_true(j >= 0 && j < A->rows && !seen[j]);
        seen[j] = 1;
        const double a = fabs(test_entry(A, i, j));
        assert_true(a > 0);
        sum += log2(a);
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const double scaled = fabs(T->row_scale[i] * A->val[k] *
                                       T->column_scale[A->col_ind[k]]);
            assert_true(scaled <= 2 * (1 + 1e-9));
            if (A->col_ind[k] == j)
                assert_true(scaled >= 0.5 * (1 - 1e-9));
        }
    }
    free(seen);
    return sum;
}

static void test_transversal__products_are_the_largest(void **state)
{
    (void)state;
    int singular = 0, regular = 0;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        struct lcl_csr A = test_random_csr(1 + seed % MOST, 2, seed);
        struct lcl_transversal T;
        for (int64_t k = 0; k < A.nnz; ++k) // also without some diagonals
            A.val[k] *= seed % 3 == 0 && k % 4 == 0 ? 0 : exp2((double)(k % 9));
        const double most = best(&A, 0, 0);
        const enum lcl_status st = lcl_transversal_find(&T, &A, NULL, NULL);
        if (isinf(most)) {
            ++singular;
            assert_int_equal(st, LCL_EPIVOT);
            assert_null(T.column);
        } else {
            ++regular;
            assert_int_equal(st, LCL_OK);
            assert_true(fabs(expect_sound(&T, &A) - most) <= 1e-9);
        }
        lcl_transversal_finish(&T);
        test_csr_finish(&A);
    }
    assert_true(singular > 20 && regular > 200);
}

static void test_transversal__large_matrices_are_matched(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(3000, 6, 5);
    struct lcl_transversal T;
    for (int64_t i = 0; i < A.rows; ++i) // tiny diagonal, bad scaling
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = ldexp(A.val[k],
                             (int)(7 * i % 200) - (A.col_ind[k] == i ? 80 : 0));
    assert_int_equal(lcl_transversal_find(
                         &T, &A, &(struct lcl_limit){.deadline = 1e-9}, NULL),
                     LCL_ECANCELLED);
    assert_int_equal(lcl_transversal_find(&T, &A, NULL, NULL), LCL_OK);
    expect_sound(&T, &A);
    lcl_transversal_finish(&T);
    test_csr_finish(&A);
}

static void test_transversal__a_shift_is_undone(void **state)
{
    (void)state;
    const double dense[] = {1e-300, 1e300, 0, 0, 1e-300, 1e-10, 1, 0, 1e-300};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    struct lcl_transversal T;
    assert_int_equal(lcl_transversal_find(&T, &A, NULL, NULL), LCL_OK);
    for (int32_t i = 0; i < 3; ++i)
        assert_int_equal(T.column[i], (i + 1) % 3);
    expect_sound(&T, &A);
    lcl_transversal_finish(&T);
    test_csr_finish(&A);
}

// The scaling of 5e-309 would be 2e308, which is no double.
static void test_transversal__scalings_are_finite(void **state)
{
    (void)state;
    const double dense[] = {5e-309};
    struct lcl_csr A = test_csr_from_dense(1, dense);
    struct lcl_transversal T;
    assert_int_equal(lcl_transversal_find(&T, &A, NULL, NULL), LCL_OK);
    const double scaled = T.row_scale[0] * dense[0] * T.column_scale[0];
    assert_true(isfinite(T.row_scale[0]) && scaled > 0.25 && scaled <= 2);
    lcl_transversal_finish(&T);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transversal__products_are_the_largest),
        cmocka_unit_test(test_transversal__large_matrices_are_matched),
        cmocka_unit_test(test_transversal__a_shift_is_undone),
        cmocka_unit_test(test_transversal__scalings_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
