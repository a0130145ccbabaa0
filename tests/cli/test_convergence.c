// SPDX-License-Identifier: BSD-3-Clause
// The rate of a residual and the time left.
#include "tools/clsolve/convergence.h"

#include "tests/support/test.h"

#include <math.h>

static void test_convergence__one_sample_tells_no_rate(void **state)
{
    struct convergence C = {.count = 0};
    (void)state;
    convergence_note(&C, 0, 1, 0);
    assert_true(isnan(convergence_rate(&C)));
    assert_true(isnan(convergence_seconds_left(&C, 1e-8)));
}

// One decade in each iteration of half a second.
static void test_convergence__steady_fall_has_its_rate(void **state)
{
    struct convergence C = {.count = 0};
    (void)state;
    for (int i = 0; i <= 100; ++i)
        convergence_note(&C, i, pow(10, -0.01 * i), 0.5 * i);
    assert_true(fabs(convergence_rate(&C) - pow(10, -0.01)) < 1e-12);
    assert_true(fabs(convergence_seconds_left(&C, 1e-3) - 100) < 1e-9);
    assert_true(convergence_seconds_left(&C, 0.5) == 0);
    assert_true(isinf(convergence_seconds_left(&C, 0)));
}

static void test_convergence__only_the_last_samples_count(void **state)
{
    struct convergence C = {.count = 0};
    int i = 0;
    (void)state;
    for (; i < 50; ++i)
        convergence_note(&C, i, 1, i);
    assert_true(isinf(convergence_seconds_left(&C, 1e-8)));
    for (double r = 1; i < 50 + CONVERGENCE_SAMPLES; ++i)
        convergence_note(&C, i, r *= 0.5, i);
    assert_true(fabs(convergence_rate(&C) - 0.5) < 1e-12);
}

static void test_convergence__an_earlier_iteration_starts_anew(void **state)
{
    struct convergence C = {.count = 0};
    (void)state;
    convergence_note(&C, 5, 1, 0);
    convergence_note(&C, 10, 1e-3, 1);
    convergence_note(&C, 2, 1, 2);
    assert_int_equal(C.count, 1);
    assert_true(isnan(convergence_rate(&C)));
}

static void test_convergence__zero_and_nan_are_no_rates(void **state)
{
    struct convergence C = {.count = 0};
    (void)state;
    convergence_note(&C, 1, 0, 0);
    convergence_note(&C, 2, 0, 1);
    assert_true(isnan(convergence_rate(&C)));
    convergence_note(&C, 3, NAN, 2);
    assert_true(isnan(convergence_seconds_left(&C, 1e-8)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convergence__one_sample_tells_no_rate),
        cmocka_unit_test(test_convergence__steady_fall_has_its_rate),
        cmocka_unit_test(test_convergence__only_the_last_samples_count),
        cmocka_unit_test(test_convergence__an_earlier_iteration_starts_anew),
        cmocka_unit_test(test_convergence__zero_and_nan_are_no_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
