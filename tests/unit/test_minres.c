// SPDX-License-Identifier: BSD-3-Clause
// The reference of MINRES.
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include "lib/ref/minres.h"

#include <math.h>
#include <stdlib.h>

enum { ROOM = 500 };

static struct lcl_ref_minres reference(struct test_inverse *M, double *history)
{
    return (struct lcl_ref_minres){.apply = test_apply_inverse,
                                   .user = M,
                                   .rtol = 1e-10,
                                   .max_iters = ROOM,
                                   .history = history};
}

static void test_minres__exact_after_as_many_steps_as_eigenvalues(void **state)
{
    (void)state;
    double history[ROOM + 1], x[40] = {0};
    struct lcl_csr A = test_identity(40);
    for (int64_t i = 0; i < 40; ++i)
        A.val[i] = (double)(1 + i % 3) * (i % 2 ? 1 : -1);
    double *b = test_right_side(&A);
    struct test_inverse M = test_identity_of(&A);
    struct lcl_ref_minres K = reference(&M, history);
    assert_int_equal(lcl_ref_minres(&K, &A, b, x), LCL_OK);
    assert_int_equal(K.iterations, 6);
    assert_true(test_residual(&A, b, x) <= 1e-10);
    test_csr_finish(&A);
    free(b);
}

// Without preconditioner the residual never grows; with one it still ends at
// the solution.
static void test_minres__indefinite_matrices_are_solved(void **state)
{
    (void)state;
    double history[ROOM + 1], x[90] = {0}, y[90] = {0};
    struct lcl_csr A = test_laplacian(9, 10, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] -= A.col_ind[k] == i ? 1.0 + (double)(i % 4) : 0;
    double *b = test_right_side(&A);
    struct test_inverse M = test_identity_of(&A);
    struct lcl_ref_minres K = reference(&M, history);
    assert_int_equal(lcl_ref_minres(&K, &A, b, x), LCL_OK);
    assert_true(test_residual(&A, b, x) <= 1e-10);
    for (int k = 0; k < K.iterations; ++k)
        assert_true(history[k + 1] <= history[k] * (1 + 1e-12));
    for (int64_t i = 0; i < M.n; ++i)
        M.inv_d[i] = 1 / (double)(1 + i % 5);
    assert_int_equal(lcl_ref_minres(&K, &A, b, y), LCL_OK);
    assert_true(test_residual(&A, b, y) <= 1e-10);
    test_csr_finish(&A);
    free(b);
}

static void test_minres__breakdowns_and_limits_are_told_apart(void **state)
{
    (void)state;
    const double singular[] = {1, 1, 1, 1}, b[] = {1, -1};
    double history[ROOM + 1], x[2] = {0, 0};
    struct lcl_csr A = test_csr_from_dense(2, singular);
    struct test_inverse M = test_identity_of(&A);
    struct lcl_ref_minres K = reference(&M, history);
    assert_int_equal(lcl_ref_minres(&K, &A, b, x), LCL_BREAKDOWN);
    M.inv_d[0] = -1;
    assert_int_equal(lcl_ref_minres(&K, &A, b, x), LCL_BREAKDOWN);
    assert_int_equal(K.iterations, 0);
    K.max_iters = 0;
    assert_int_equal(lcl_ref_minres(&K, &A, b, x), LCL_ITERATION_LIMIT);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minres__exact_after_as_many_steps_as_eigenvalues),
        cmocka_unit_test(test_minres__indefinite_matrices_are_solved),
        cmocka_unit_test(test_minres__breakdowns_and_limits_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
