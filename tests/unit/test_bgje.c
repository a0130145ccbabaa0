// SPDX-License-Identifier: BSD-3-Clause
// The reference of batched inversion.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/ref/bgje.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 24 };

static void fill(double *A, int m, unsigned seed)
{
    uint64_t state = seed;
    for (int i = 0; i < m * m; ++i)
        A[i] = 2 * test_random(&state) - 1;
}

// The largest entry of |A X - I|.
static double defect(const double *A, const double *X, int m)
{
    double largest = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < m; ++k)
                sum += A[i * m + k] * X[k * m + j];
            largest = fmax(largest, fabs(sum));
        }
    return largest;
}

static void test_bgje__a_times_its_inverse_is_the_identity(void **state)
{
    (void)state;
    double A[LARGEST * LARGEST], X[LARGEST * LARGEST];
    int perm[LARGEST];
    for (int m = 1; m <= LARGEST; ++m) {
        fill(A, m, (unsigned)m);
        assert_int_equal(lcl_ref_bgje(X, A, perm, m), 0);
        assert_true(defect(A, X, m) < 1e-11);
        assert_true(defect(X, A, m) < 1e-11);
    }
}

static void test_bgje__rows_are_exchanged(void **state)
{
    (void)state;
    // rows that allow the elimination of only one column each
    const double A[] = {0, 0, 4, 0, 0, 2, 0, 0, 0, 0, 0, -8, 0.5, 0, 0, 0};
    const double inverse[] = {0,    0, 0, 2, 0, 0.5, 0,      0,
                              0.25, 0, 0, 0, 0, 0,   -0.125, 0};
    double X[16];
    int perm[4];
    assert_int_equal(lcl_ref_bgje(X, A, perm, 4), 0);
    for (int i = 0; i < 16; ++i)
        assert_true(X[i] == inverse[i]);
}

static void test_bgje__inverse_may_take_the_place_of_the_matrix(void **state)
{
    (void)state;
    double A[LARGEST * LARGEST], X[LARGEST * LARGEST];
    int perm[LARGEST];
    fill(A, LARGEST, 3);
    assert_int_equal(lcl_ref_bgje(X, A, perm, LARGEST), 0);
    assert_int_equal(lcl_ref_bgje(A, A, perm, LARGEST), 0);
    assert_memory_equal(A, X, sizeof A);
}

static void test_bgje__the_step_without_a_pivot_is_told(void **state)
{
    (void)state;
    const struct {
        double A[4];
        int step;
    } cases[] = {
        {{0, 1, 0, 1}, 1},          {{1, 2, 2, 4}, 2},
        {{NAN, 1, 1, 1}, 1},        {{1, 1, NAN, 1}, 1},
        {{1, INFINITY, 0, 1}, 2},   {{1, NAN, 0, 1}, 2},
        {{INFINITY, 0, 0, 1}, 1},   {{1e-310, 0, 0, 1}, 1},
        {{1e-200, 1e200, 0, 1}, 2}, // the inverse overflows
    };
    double X[4];
    int perm[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_int_equal(lcl_ref_bgje(X, cases[i].A, perm, 2), cases[i].step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bgje__a_times_its_inverse_is_the_identity),
        cmocka_unit_test(test_bgje__rows_are_exchanged),
        cmocka_unit_test(test_bgje__inverse_may_take_the_place_of_the_matrix),
        cmocka_unit_test(test_bgje__the_step_without_a_pivot_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
