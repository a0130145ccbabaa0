// SPDX-License-Identifier: BSD-3-Clause
// When METIS uses edge weights, and that they stay in range.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/partition/weights.h"

#include <stdlib.h>

static const int64_t no_budget_worry = INT32_MAX;

static bool is_weighted(const struct lcl_csr *A, enum lcl_weights weights)
{
    struct lcl_weighing W;
    assert_int_equal(lcl_weighing_create(&W, A, weights, no_budget_worry, NULL),
                     LCL_OK);
    const bool weighted = W.root != NULL;
    lcl_weighing_finish(&W);
    return weighted;
}

// Multiplies the couplings at one distance from the diagonal.
static void scale_couplings(struct lcl_csr *A, int64_t distance, double factor)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (llabs(A->col_ind[k] - i) == distance)
                A->val[k] *= factor;
}

static void test_weights__auto_is_off_for_uniform_coefficients(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    assert_false(is_weighted(&A, LCL_WEIGHTS_AUTO));
    scale_couplings(&A, 30, 0.25);
    assert_false(is_weighted(&A, LCL_WEIGHTS_AUTO));
    test_csr_finish(&A);
}

static void test_weights__auto_is_on_for_strong_anisotropy(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    scale_couplings(&A, 30, 0.01);
    assert_true(is_weighted(&A, LCL_WEIGHTS_AUTO));
    test_csr_finish(&A);
}

static void test_weights__auto_does_not_count_stored_zeros(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    scale_couplings(&A, 30, 0);
    assert_false(is_weighted(&A, LCL_WEIGHTS_AUTO));
    test_csr_finish(&A);
}

static void test_weights__auto_ignores_the_scaling_of_unknowns(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= pow(10, (double)(i % 5 + A.col_ind[k] % 5));
    assert_false(is_weighted(&A, LCL_WEIGHTS_AUTO));
    test_csr_finish(&A);
}

static void test_weights__on_and_off_are_obeyed(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(6, 5, 4);
    assert_true(is_weighted(&A, LCL_WEIGHTS_ON));
    scale_couplings(&A, 30, 0.01);
    assert_false(is_weighted(&A, LCL_WEIGHTS_OFF));
    test_csr_finish(&A);
    A = test_identity(3);
    assert_false(is_weighted(&A, LCL_WEIGHTS_AUTO));
    assert_true(is_weighted(&A, LCL_WEIGHTS_ON));
    test_csr_finish(&A);
}

static void test_weights__zero_diagonals_give_finite_strengths(void **state)
{
    (void)state;
    const double dense[] = {0, 4, 0, 0, 4, 1, 1e-300, 0,
                            0, 2, 0, 0, 0, 0, 0,      0};
    struct lcl_csr A = test_csr_from_dense(4, dense);
    struct lcl_weighing W;
    assert_int_equal(
        lcl_weighing_create(&W, &A, LCL_WEIGHTS_ON, no_budget_worry, NULL), 0);
    for (int64_t i = 0; i < 4; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const double s = lcl_strength(&W, A.val[k], i, A.col_ind[k]);
            assert_true(s >= 0 && s <= 1);
        }
    assert_true(lcl_strength(&W, 4, 0, 1) == 1);
    lcl_weighing_finish(&W);
    test_csr_finish(&A);
}

// The sum of the weights over both ends of all couplings.
static double sum_of_weights(const struct lcl_csr *A,
                             const struct lcl_weighing *W)
{
    double sum = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] != i)
                sum += 2 + 2 * W->scale *
                               lcl_strength(W, A->val[k], i, A->col_ind[k]);
    return sum;
}

static void test_weights__the_budget_bounds_the_sum(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(500, 6, 3);
    int weighted = 0;
    for (int64_t budget = 1; budget < 10000000; budget *= 2) {
        struct lcl_weighing W;
        assert_int_equal(
            lcl_weighing_create(&W, &A, LCL_WEIGHTS_ON, budget, NULL), 0);
        if (W.root) {
            assert_true(W.scale >= 1 && W.scale <= 1000);
            assert_true(sum_of_weights(&A, &W) <= (double)budget * 1.000001);
            ++weighted;
        }
        lcl_weighing_finish(&W);
    }
    assert_in_range(weighted, 5, 15);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights__auto_is_off_for_uniform_coefficients),
        cmocka_unit_test(test_weights__auto_is_on_for_strong_anisotropy),
        cmocka_unit_test(test_weights__auto_does_not_count_stored_zeros),
        cmocka_unit_test(test_weights__auto_ignores_the_scaling_of_unknowns),
        cmocka_unit_test(test_weights__on_and_off_are_obeyed),
        cmocka_unit_test(test_weights__zero_diagonals_give_finite_strengths),
        cmocka_unit_test(test_weights__the_budget_bounds_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
