// SPDX-License-Identifier: BSD-3-Clause
// The Radau IIA methods compared with published tables and with their defining
// conditions.
#include "tests/support/test.h"

#include "lib/io/problems/radau.h"

#include <math.h>

enum { VALUES = LCL_RADAU_MAX * LCL_RADAU_MAX };

static void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 4e-15)
        fail_msg("got %.17g, expected %.17g", got, expected);
}

static void expect_table(int s, const double *c, const double *matrix)
{
    double got_c[LCL_RADAU_MAX], got[VALUES];
    lcl_radau(s, got_c, got);
    for (int i = 0; i < s; ++i)
        assert_near(got_c[i], c[i]);
    for (int k = 0; k < s * s; ++k)
        assert_near(got[k], matrix[k]);
}

static void test_radau__small_methods_are_those_of_the_tables(void **state)
{
    (void)state;
    const double r = sqrt(6);
    const double one[] = {1};
    const double c2[] = {1.0 / 3, 1};
    const double two[] = {5.0 / 12, -1.0 / 12, 3.0 / 4, 1.0 / 4};
    const double c3[] = {(4 - r) / 10, (4 + r) / 10, 1};
    const double three[] = {
        (88 - 7 * r) / 360,     (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,
        (296 + 169 * r) / 1800, (88 + 7 * r) / 360,     (-2 - 3 * r) / 225,
        (16 - r) / 36,          (16 + r) / 36,          1.0 / 9};
    expect_table(1, one, one);
    expect_table(2, c2, two);
    expect_table(3, c3, three);
}

static void test_radau__nodes_ascend_to_one(void **state)
{
    (void)state;
    for (int s = 1; s <= LCL_RADAU_MAX; ++s) {
        double c[LCL_RADAU_MAX], matrix[VALUES];
        lcl_radau(s, c, matrix);
        assert_true(c[0] > 0);
        for (int i = 1; i < s; ++i)
            assert_true(c[i] > c[i - 1]);
        assert_true(c[s - 1] == 1);
    }
}

// C(s): the stages integrate polynomials up to degree s - 1 exactly.
static void test_radau__stages_integrate_powers(void **state)
{
    (void)state;
    for (int s = 1; s <= LCL_RADAU_MAX; ++s) {
        double c[LCL_RADAU_MAX], matrix[VALUES];
        lcl_radau(s, c, matrix);
        for (int i = 0; i < s; ++i)
            for (int k = 0; k < s; ++k) {
                double sum = 0;
                for (int j = 0; j < s; ++j)
                    sum += matrix[i * s + j] * pow(c[j], k);
                assert_near(sum, pow(c[i], k + 1) / (k + 1));
            }
    }
}

// B(2 s - 1): the last stage does so up to degree 2 s - 2.
static void test_radau__last_stage_has_the_order_of_the_method(void **state)
{
    (void)state;
    for (int s = 1; s <= LCL_RADAU_MAX; ++s) {
        double c[LCL_RADAU_MAX], matrix[VALUES];
        lcl_radau(s, c, matrix);
        for (int k = 0; k <= 2 * s - 2; ++k) {
            double sum = 0;
            for (int j = 0; j < s; ++j)
                sum += matrix[(s - 1) * s + j] * pow(c[j], k);
            assert_near(sum, 1.0 / (k + 1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau__small_methods_are_those_of_the_tables),
        cmocka_unit_test(test_radau__nodes_ascend_to_one),
        cmocka_unit_test(test_radau__stages_integrate_powers),
        cmocka_unit_test(test_radau__last_stage_has_the_order_of_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
