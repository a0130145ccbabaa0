// SPDX-License-Identifier: BSD-3-Clause
// Phases: each second counts once, for the innermost phase.
#include "host/clock.h"
#include "tests/support/test.h"

#include <time.h>

enum { MILLISECONDS = 20 };

static void pass_time(void)
{
    const double end = lcl_now() + 1e-3 * MILLISECONDS;
    while (lcl_now() < end)
        continue;
}

static double sum(const struct lcl_clock *clock)
{
    double seconds = 0;
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        seconds += clock->seconds[p];
    return seconds;
}

static void expect_some(double seconds)
{
    if (seconds < 1e-3 * MILLISECONDS)
        fail_msg("%g s, at least %d ms expected", seconds, MILLISECONDS);
}

static void test_clock__time_never_goes_back(void **state)
{
    (void)state;
    double before = lcl_now();
    for (int i = 0; i < 1000; ++i) {
        const double now = lcl_now();
        assert_true(now >= before);
        before = now;
    }
}

static void test_clock__nested_phases_are_counted_once(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    const double start = lcl_now();
    lcl_clock_enter(&clock, LCL_PHASE_NUMERIC);
    pass_time();
    lcl_clock_enter(&clock, LCL_PHASE_COMPILE);
    pass_time();
    lcl_clock_leave(&clock);
    pass_time();
    lcl_clock_leave(&clock);
    const double all = lcl_now() - start;
    expect_some(clock.seconds[LCL_PHASE_NUMERIC] / 2);
    expect_some(clock.seconds[LCL_PHASE_COMPILE]);
    assert_true(sum(&clock) <= all);
    assert_int_equal(clock.depth, 0);
}

static void test_clock__phase_inside_itself_is_counted_once(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    const double start = lcl_now();
    lcl_clock_enter(&clock, LCL_PHASE_UPLOAD);
    lcl_clock_enter(&clock, LCL_PHASE_UPLOAD);
    pass_time();
    lcl_clock_leave(&clock);
    lcl_clock_leave(&clock);
    const double all = lcl_now() - start;
    expect_some(clock.seconds[LCL_PHASE_UPLOAD]);
    assert_true(sum(&clock) <= all);
}

static void test_clock__time_between_phases_is_nobodys(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    lcl_clock_enter(&clock, LCL_PHASE_SOLVE);
    lcl_clock_leave(&clock);
    const double before = sum(&clock);
    pass_time();
    assert_true(sum(&clock) == before);
    lcl_clock_enter(&clock, LCL_PHASE_SOLVE);
    lcl_clock_leave(&clock);
    assert_true(sum(&clock) < 1e-3 * MILLISECONDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock__time_never_goes_back),
        cmocka_unit_test(test_clock__nested_phases_are_counted_once),
        cmocka_unit_test(test_clock__phase_inside_itself_is_counted_once),
        cmocka_unit_test(test_clock__time_between_phases_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
