// SPDX-License-Identifier: BSD-3-Clause
// The references of factorisation and triangular solve compared with the
// definition: on a full pattern ILU(0) is LU, so its solve is the inverse.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/ref/trisolve.h"

#include <math.h>
#include <stdlib.h>

enum { N = 23 };

static struct lcl_ref_ildu0 factor(const struct lcl_csr *A,
                                   const int64_t *part_ptr, int64_t parts,
                                   const struct lcl_precond_params *params)
{
    struct lcl_ref_ildu0 F;
    assert_int_equal(lcl_ref_ildu0_init(&F, A, part_ptr, parts, params),
                     LCL_OK);
    return F;
}

static void test_ildu0__full_patterns_are_inverted(void **state)
{
    (void)state;
    const int64_t part_ptr[] = {0, N};
    struct lcl_csr A = test_random_csr(N, N - 1, 1);
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct lcl_ref_ildu0 F = factor(&A, part_ptr, 1, &params);
    double x[N], b[N];
    for (int i = 0; i < N; ++i)
        x[i] = i - 5;
    lcl_csr_multiply(&A, x, b);
    lcl_ref_trisolve(&F, b, b);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(b[i] - x[i]) < 1e-12);
    assert_int_equal(F.repaired, 0);
    lcl_ref_ildu0_finish(&F);
    test_csr_finish(&A);
}

// (L D U)_ij = a_ij for stored a_ij: the defining property of ILU(0).
static void test_ildu0__product_agrees_on_the_pattern(void **state)
{
    (void)state;
    const int64_t part_ptr[] = {0, 40};
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct lcl_csr A = test_random_csr(40, 4, 2);
    struct lcl_ref_ildu0 F = factor(&A, part_ptr, 1, &params);
    struct lcl_csr LU = A;
    LU.val = F.val;
    for (int64_t i = 0; i < 40; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const int64_t j = A.col_ind[k];
            double sum = 0;
            for (int64_t m = 0; m <= i && m <= j; ++m) {
                const double l = m == i ? 1 : test_entry(&LU, i, m);
                const double u = m == j ? 1 : test_entry(&LU, m, j);
                sum += l * u / F.inv_d[m];
            }
            assert_true(fabs(sum - A.val[k]) < 1e-12);
        }
    lcl_ref_ildu0_finish(&F);
    test_csr_finish(&A);
}

static void test_ildu0__subdomains_are_factored_alone(void **state)
{
    (void)state;
    const int64_t whole[] = {0, 20, 30}, alone[] = {0, 20};
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct lcl_csr A = test_random_csr(30, 5, 3);
    struct lcl_ref_ildu0 F = factor(&A, whole, 2, &params);
    struct lcl_ref_ildu0 G = factor(&A, alone, 1, &params);
    for (int i = 0; i < 20; ++i)
        assert_true(F.inv_d[i] == G.inv_d[i]);
    assert_true(F.inv_d[29] != 0 && G.inv_d[29] == 0);
    lcl_ref_ildu0_finish(&F);
    lcl_ref_ildu0_finish(&G);
    test_csr_finish(&A);
}

static void test_ildu0__zero_pivots_follow_the_policy(void **state)
{
    (void)state;
    const double dense[] = {0, 2, 2, 1};
    const double inverse[] = {
        [LCL_PIVOT_BOOST] = 1 / (2 * 1e-4), [LCL_PIVOT_REPLACE] = 0.5};
    const int64_t part_ptr[] = {0, 2};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    for (int pivot = LCL_PIVOT_BOOST; pivot <= LCL_PIVOT_REPLACE; ++pivot) {
        const struct lcl_precond_params params = {
            .pivot = (enum lcl_pivot)pivot, .pivot_tol = 1e-4};
        struct lcl_ref_ildu0 F = factor(&A, part_ptr, 1, &params);
        assert_int_equal(F.repaired, 1);
        assert_true(F.bad[0] && !F.bad[1]);
        assert_true(fabs(F.inv_d[0] - inverse[pivot]) < 1e-9);
        lcl_ref_ildu0_finish(&F);
    }
    test_csr_finish(&A);
}

static void test_ildu0__shift_grows_until_pivots_are_large(void **state)
{
    (void)state;
    const double dense[] = {0, 2, 2, 1};
    const int64_t part_ptr[] = {0, 2};
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_SHIFT,
                                              .pivot_tol = 0.01};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    struct lcl_ref_ildu0 F = factor(&A, part_ptr, 1, &params);
    // 1e-3, doubled until above 0.01, times the largest entry 2
    assert_true(fabs(F.inv_d[0] - 1 / (2 * 0.016)) < 1e-9);
    assert_int_equal(F.repaired, 1);
    lcl_ref_ildu0_finish(&F);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ildu0__full_patterns_are_inverted),
        cmocka_unit_test(test_ildu0__product_agrees_on_the_pattern),
        cmocka_unit_test(test_ildu0__subdomains_are_factored_alone),
        cmocka_unit_test(test_ildu0__zero_pivots_follow_the_policy),
        cmocka_unit_test(test_ildu0__shift_grows_until_pivots_are_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
