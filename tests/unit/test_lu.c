// SPDX-License-Identifier: BSD-3-Clause
// Inverses by LU, with which levelbench compares batched inversion.
#include "tools/levelbench/published/lu.h"

#include "tests/support/test.h"

#include <math.h>

enum { MOST = 64 };

// |i, j| of A X - I at most.
static double defect(int n, const double *A, const double *X)
{
    double most = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; ++k)
                sum += A[i * n + k] * X[k * n + j];
            most = fmax(most, fabs(sum));
        }
    return most;
}

// Cyclic and without a diagonal, so that every column needs an exchange.
static void fill(int n, double *A)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            A[i * n + j] =
                (j == (i + 1) % n ? 2 : 0) + 0.5 / n * cos(i + 3 * j);
}

static void test_lu__inverse_times_matrix_is_one(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 5, 32, MOST};
    for (int s = 0; s < 5; ++s) {
        const int n = sizes[s];
        static double A[MOST * MOST], LU[MOST * MOST], X[MOST * MOST];
        static float A32[MOST * MOST], X32[MOST * MOST];
        fill(n, A);
        for (int k = 0; k < n * n; ++k) {
            LU[k] = A[k];
            A32[k] = (float)A[k];
        }
        assert_true(lu_invert_fp64(n, LU, X));
        if (!(defect(n, A, X) < 1e-13))
            fail_msg("n = %d, fp64: A X - I is %g", n, defect(n, A, X));
        assert_true(lu_invert_fp32(n, A32, X32));
        for (int k = 0; k < n * n; ++k)
            X[k] = (double)X32[k];
        if (!(defect(n, A, X) < 1e-5))
            fail_msg("n = %d, fp32: A X - I is %g", n, defect(n, A, X));
    }
}

static void test_lu__singular_matrix_is_refused(void **state)
{
    (void)state;
    double A[] = {1, 2, 2, 4}, X[4];
    assert_false(lu_invert_fp64(2, A, X));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu__inverse_times_matrix_is_one),
        cmocka_unit_test(test_lu__singular_matrix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
