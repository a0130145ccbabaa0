// SPDX-License-Identifier: BSD-3-Clause
// The references of BiCGSTAB and of the diagonal preconditioner.
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include "lib/ref/bicgstab.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>

enum { N = 200, LIMIT = 100 };

// The inverse diagonal of A.
static void apply_diagonal(void *user, const double *r, double *z)
{
    const double *inv_d = user;
    for (int i = 0; i < N; ++i)
        z[i] = inv_d[i] * r[i];
}

static void apply_nothing(void *user, const double *r, double *z)
{
    const int *n = user;
    for (int i = 0; i < *n; ++i)
        z[i] = r[i];
}

static void test_bicgstab__history_ends_at_the_true_residual(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(N, 6, 1);
    double inv_d[N], x[N] = {0}, history[LIMIT + 1];
    unsigned char bad[N];
    double *b = test_right_side(&A);
    struct lcl_ref_bicgstab K = {.apply = apply_diagonal,
                                 .user = inv_d,
                                 .rtol = 1e-10,
                                 .max_iters = LIMIT,
                                 .history = history};
    assert_int_equal(lcl_ref_jacobi(&A, inv_d, bad), 0);
    assert_int_equal(lcl_ref_bicgstab(&K, &A, b, x), LCL_OK);
    assert_true(history[0] == 1);
    assert_in_range(K.iterations, 3, LIMIT);
    assert_true(history[K.iterations] <= 1e-10);
    assert_true(test_residual(&A, b, x) <= 1.1e-10);
    free(b);
    test_csr_finish(&A);
}

static void test_bicgstab__limit_and_breakdown_are_told_apart(void **state)
{
    (void)state;
    const double skew[] = {0, 1, -1, 0}, b[] = {1, 0};
    int n = 2;
    double x[2] = {0}, history[LIMIT + 1];
    struct lcl_ref_bicgstab K = {.apply = apply_nothing,
                                 .user = &n,
                                 .rtol = 1e-10,
                                 .max_iters = LIMIT,
                                 .history = history};
    struct lcl_csr A = test_csr_from_dense(2, skew);
    assert_int_equal(lcl_ref_bicgstab(&K, &A, b, x), LCL_BREAKDOWN);
    K.max_iters = 0;
    assert_int_equal(lcl_ref_bicgstab(&K, &A, b, x), LCL_ITERATION_LIMIT);
    assert_int_equal(K.iterations, 0);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicgstab__history_ends_at_the_true_residual),
        cmocka_unit_test(test_bicgstab__limit_and_breakdown_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
