// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on the host: checks, the product, the union of patterns.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "lib/kron/kron.h"
#include "lib/kron/pairs.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/kron.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------- checks

static void expect_refused(const struct lcl_kron *K, enum lcl_status status,
                           const char *part)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_kron_check(K, &capture.log), status);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, part);
}

static void test_kron__sound_systems_pass(void **state)
{
    (void)state;
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p) {
        struct test_kron T;
        test_kron_init(&T, 1 + p, 2, 9, (enum test_kron_patterns)p);
        assert_int_equal(lcl_kron_check(&T.K, NULL), LCL_OK);
        test_kron_finish(&T);
    }
}

static void test_kron__null_is_misuse(void **state)
{
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 2, 2, 5, TEST_KRON_EQUAL);
    for (int which = 0; which < 4; ++which) {
        struct lcl_kron K = T.K;
        K.A = which == 0 ? NULL : K.A;
        K.B = which == 1 ? NULL : K.B;
        K.M = which == 2 ? NULL : K.M;
        K.L = which == 3 ? NULL : K.L;
        assert_misuse(lcl_kron_check(&K, NULL));
    }
    assert_misuse(lcl_kron_check(NULL, NULL));
    test_kron_finish(&T);
}

static void test_kron__stages_are_1_to_16(void **state)
{
    static const int wrong[] = {0, -1, 17, INT32_MAX, INT32_MIN};
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 16, 1, 5, TEST_KRON_EQUAL);
    assert_int_equal(lcl_kron_check(&T.K, NULL), LCL_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        T.K.stages = wrong[i];
        expect_refused(&T.K, LCL_EFORMAT, "stages");
    }
    test_kron_finish(&T);
}

static void test_kron__coefficients_are_finite(void **state)
{
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 1, 5, TEST_KRON_EQUAL);
    T.A[5] = NAN;
    expect_refused(&T.K, LCL_EFORMAT, "entry (2, 3) of A");
    T.A[5] = 1;
    T.B[3] = INFINITY;
    expect_refused(&T.K, LCL_EFORMAT, "entry (2, 1) of tau B");
    T.B[3] = 1e300;
    T.K.tau = 1e300;
    expect_refused(&T.K, LCL_EFORMAT, "entry (2, 1) of tau B");
    T.K.tau = -INFINITY;
    expect_refused(&T.K, LCL_EFORMAT, "tau");
    test_kron_finish(&T);
}

static void test_kron__sizes_fit_each_other(void **state)
{
    struct test_kron T, other;
    (void)state;
    test_kron_init(&T, 2, 2, 6, TEST_KRON_CHAIN);
    test_kron_init(&other, 2, 2, 7, TEST_KRON_CHAIN);
    T.K.L = &other.L;
    expect_refused(&T.K, LCL_EFORMAT, "6 x 6 blocks, L has 7 x 7");
    test_kron_finish(&other);
    test_kron_init(&other, 2, 3, 6, TEST_KRON_CHAIN);
    T.K.L = &other.L;
    expect_refused(&T.K, LCL_EFORMAT,
                   "blocks of 2 rows, L has blocks of 3 rows");
    T.K.L = &T.L;
    T.M.cols = 8;
    expect_refused(&T.K, LCL_EFORMAT, "6 x 8");
    T.M.cols = 6;
    T.L.cols = 9;
    expect_refused(&T.K, LCL_EFORMAT, "6 x 9");
    T.L.cols = 6;
    T.L.val[5] = NAN;
    assert_int_equal(lcl_kron_check(&T.K, NULL), LCL_EFORMAT);
    test_kron_finish(&other);
    test_kron_finish(&T);
}

static void test_kron__rows_of_all_stages_are_counted(void **state)
{
    enum { ROWS = 1 << 24 };
    const double one[256] = {1};
    int64_t *row_ptr = calloc(ROWS + 1, sizeof *row_ptr);
    int32_t no_column = 0;
    double no_value = 0;
    (void)state;
    assert_non_null(row_ptr);
    const struct lcl_bsr T = {ROWS, ROWS, 0, 8, row_ptr, &no_column, &no_value};
    struct lcl_kron K = {16, one, one, 1, &T, &T};
    expect_refused(&K, LCL_ERANGE, "2147483648 rows");
    K.stages = 15;
    assert_int_equal(lcl_kron_check(&K, NULL), LCL_OK);
    free(row_ptr);
}

// ------------------------------------------------------------------- product

static void test_kron__the_product_is_that_of_the_matrix(void **state)
{
    (void)state;
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p) {
        struct test_kron T;
        struct lcl_csr A;
        test_kron_init(&T, 1 + p, 3, 11, (enum test_kron_patterns)p);
        const int64_t n = lcl_kron_rows(&T.K);
        double *x = test_random_vector(n, 3);
        double *y = test_random_vector(n, 4), *expected = test_vector(n);
        assert_int_equal(lcl_ref_kron_csr(&A, &T.K, NULL), LCL_OK);
        lcl_csr_multiply(&A, x, expected);
        assert_int_equal(lcl_kron_multiply(&T.K, x, y), LCL_OK);
        test_expect_near("y", y, expected, n, 1e-12);
        lcl_csr_finish(&A);
        test_kron_finish(&T);
        free(x);
        free(y);
        free(expected);
    }
}

static void test_kron__patterns_are_told_apart(void **state)
{
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 2, 2, 9, TEST_KRON_NEAR);
    const uint64_t pattern = lcl_kron_pattern(&T.K);
    T.M.val[0] += 1;
    T.K.tau = 7;
    assert_true(lcl_kron_pattern(&T.K) == pattern);
    T.K.stages = 1;
    assert_true(lcl_kron_pattern(&T.K) != pattern);
    T.K.stages = 2;
    T.K.M = &T.L;
    T.K.L = &T.M;
    assert_true(lcl_kron_pattern(&T.K) != pattern);
    test_kron_finish(&T);
}

// ------------------------------------------------------------------- pairs

static int64_t find(const struct lcl_bsr *A, int64_t i, int32_t column)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == column)
            return k;
    return -1;
}

static double value(const struct lcl_bsr *A, int64_t k, int r, int c)
{
    const int b = A->block_size;
    return k < 0 ? 0 : A->val[(k * b + r) * b + c];
}

static void expect_pair(const double *pair, const struct test_kron *T,
                        int64_t i, int32_t column)
{
    const int64_t in_m = find(&T->M, i, column), in_l = find(&T->L, i, column);
    const int b = T->M.block_size;
    assert_true(in_m >= 0 || in_l >= 0);
    for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c, pair += 2) {
            assert_true(pair[0] == value(&T->M, in_m, r, c));
            assert_true(pair[1] == value(&T->L, in_l, r, c));
        }
}

static void expect_union(const struct test_kron *T)
{
    struct lcl_bsr both;
    const int size = lcl_block_values(&T->M);
    int64_t in_both = 0;
    assert_int_equal(lcl_pairs_pattern(&both, &T->M, &T->L,
                                       lcl_pairs_count(&T->M, &T->L), NULL),
                     LCL_OK);
    assert_int_equal(both.nnz, lcl_pairs_count(&T->M, &T->L));
    double *val = test_random_vector(2 * both.nnz * size, 1);
    struct lcl_pairs pairs = {&T->M, &T->L, both.row_ptr};
    for (int64_t k = 0; k < both.nnz; k += 7)
        lcl_pairs_fill(&pairs, k, both.nnz - k < 7 ? both.nnz - k : 7,
                       val + 2 * k * size);
    for (int64_t i = 0; i < both.rows; ++i)
        for (int64_t k = both.row_ptr[i]; k < both.row_ptr[i + 1]; ++k) {
            const int32_t column = both.col_ind[k];
            assert_true(k == both.row_ptr[i] || both.col_ind[k - 1] < column);
            in_both +=
                find(&T->M, i, column) >= 0 && find(&T->L, i, column) >= 0;
            expect_pair(val + 2 * k * size, T, i, column);
        }
    assert_int_equal(both.nnz + in_both, T->M.nnz + T->L.nnz);
    lcl_bsr_finish(&both);
    free(val);
}

static void test_kron__unions_hold_both_patterns(void **state)
{
    (void)state;
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p) {
        struct test_kron T;
        test_kron_init(&T, 1, 1 + p, 30, (enum test_kron_patterns)p);
        expect_union(&T);
        test_kron_finish(&T);
    }
}

static void test_kron__unions_of_rows_without_blocks_are_empty(void **state)
{
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 1, 2, 6, TEST_KRON_CHAIN);
    for (int64_t i = 0; i <= T.M.rows; ++i)
        T.M.row_ptr[i] = T.L.row_ptr[i] = i > 3 ? 1 : 0;
    T.M.nnz = T.L.nnz = 1;
    expect_union(&T);
    T.M.nnz = 0;
    for (int64_t i = 0; i <= T.M.rows; ++i)
        T.M.row_ptr[i] = 0;
    expect_union(&T);
    test_kron_finish(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__sound_systems_pass),
        cmocka_unit_test(test_kron__null_is_misuse),
        cmocka_unit_test(test_kron__stages_are_1_to_16),
        cmocka_unit_test(test_kron__coefficients_are_finite),
        cmocka_unit_test(test_kron__sizes_fit_each_other),
        cmocka_unit_test(test_kron__rows_of_all_stages_are_counted),
        cmocka_unit_test(test_kron__the_product_is_that_of_the_matrix),
        cmocka_unit_test(test_kron__patterns_are_told_apart),
        cmocka_unit_test(test_kron__unions_hold_both_patterns),
        cmocka_unit_test(test_kron__unions_of_rows_without_blocks_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
