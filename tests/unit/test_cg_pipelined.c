// SPDX-License-Identifier: BSD-3-Clause
// The reference of pipelined CG, compared with that of CG.
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include "lib/ref/cg_pipelined.h"

#include <math.h>
#include <stdlib.h>

enum { ROOM = 500 };

static struct lcl_ref_cg reference(struct test_inverse *M, double *history)
{
    return (struct lcl_ref_cg){.apply = test_apply_inverse,
                               .user = M,
                               .rtol = 1e-10,
                               .max_iters = ROOM,
                               .history = history};
}

static void expect_history_of_cg(struct lcl_csr *A, struct test_inverse *M)
{
    double history[ROOM + 1], expected[ROOM + 1];
    double x[TEST_INVERSE_MAX] = {0}, y[TEST_INVERSE_MAX] = {0};
    double *b = test_right_side(A);
    struct lcl_ref_cg K = reference(M, history), L = reference(M, expected);
    assert_int_equal(lcl_ref_cg_pipelined(&K, A, b, x), LCL_OK);
    assert_int_equal(lcl_ref_cg(&L, A, b, y), LCL_OK);
    assert_int_equal(K.iterations, L.iterations);
    for (int i = 0; i <= K.iterations; ++i)
        if (!(fabs(history[i] - expected[i]) <= 1e-6 * expected[i]))
            fail_msg("residual %d: %g, of CG %g", i, history[i], expected[i]);
    assert_true(test_residual(A, b, x) <= 1.001e-10);
    free(b);
}

static void test_cg_pipelined__takes_the_steps_of_cg(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_inverse M = test_identity_of(&A);
    expect_history_of_cg(&A, &M);
    for (int64_t i = 0; i < M.n; ++i)
        M.inv_d[i] = 1 / (double)(1 + i % 3);
    expect_history_of_cg(&A, &M);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= -1;
    expect_history_of_cg(&A, &M);
    test_csr_finish(&A);
}

static void test_cg_pipelined__x_belongs_to_the_last_residual(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    struct test_inverse M = test_identity_of(&A);
    double *b = test_right_side(&A);
    for (int most = 0; most < 8; ++most) {
        double history[ROOM + 1], x[120] = {0};
        struct lcl_ref_cg K = reference(&M, history);
        K.max_iters = most;
        assert_int_equal(lcl_ref_cg_pipelined(&K, &A, b, x),
                         LCL_ITERATION_LIMIT);
        assert_int_equal(K.iterations, most);
        assert_true(fabs(test_residual(&A, b, x) - history[most]) <= 1e-12);
    }
    test_csr_finish(&A);
    free(b);
}

static void test_cg_pipelined__indefinite_matrices_break_down(void **state)
{
    (void)state;
    const double dense[] = {1, 0, 0, -1}, b[] = {1, 1};
    double history[ROOM + 1], x[2] = {0, 0};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    struct test_inverse M = test_identity_of(&A);
    struct lcl_ref_cg K = reference(&M, history);
    assert_int_equal(lcl_ref_cg_pipelined(&K, &A, b, x), LCL_BREAKDOWN);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg_pipelined__takes_the_steps_of_cg),
        cmocka_unit_test(test_cg_pipelined__x_belongs_to_the_last_residual),
        cmocka_unit_test(test_cg_pipelined__indefinite_matrices_break_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
