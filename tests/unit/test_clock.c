// SPDX-License-Identifier: BSD-3-Clause
// Tasks: each second counts once, for the innermost task.
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
        seconds += lcl_clock_seconds(clock, (enum lcl_phase)p);
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

static void test_clock__nested_tasks_are_counted_once(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    const double start = lcl_now();
    lcl_clock_enter(&clock, LCL_TASK_NUMERIC);
    pass_time();
    lcl_clock_enter(&clock, LCL_TASK_COMPILE);
    pass_time();
    lcl_clock_leave(&clock);
    pass_time();
    lcl_clock_leave(&clock);
    const double all = lcl_now() - start;
    expect_some(clock.task[LCL_TASK_NUMERIC].seconds / 2);
    expect_some(clock.task[LCL_TASK_COMPILE].seconds);
    assert_true(sum(&clock) <= all);
    assert_int_equal(clock.depth, 0);
}

static void test_clock__task_inside_itself_is_counted_once(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    const double start = lcl_now();
    lcl_clock_enter(&clock, LCL_TASK_UPLOAD);
    lcl_clock_enter(&clock, LCL_TASK_UPLOAD);
    pass_time();
    lcl_clock_leave(&clock);
    lcl_clock_leave(&clock);
    const double all = lcl_now() - start;
    expect_some(clock.task[LCL_TASK_UPLOAD].seconds);
    assert_true(sum(&clock) <= all);
}

static void test_clock__time_between_tasks_is_nobodys(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    lcl_clock_enter(&clock, LCL_TASK_SOLVE);
    lcl_clock_leave(&clock);
    const double before = sum(&clock);
    pass_time();
    assert_true(sum(&clock) == before);
    lcl_clock_enter(&clock, LCL_TASK_SOLVE);
    lcl_clock_leave(&clock);
    assert_true(sum(&clock) < 1e-3 * MILLISECONDS);
}

static void test_clock__next_task_replaces_the_innermost(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    lcl_clock_next(&clock, LCL_TASK_SCHEDULE);
    lcl_clock_count(&clock, 5, 1);
    assert_int_equal(clock.depth, 0);
    lcl_clock_enter(&clock, LCL_TASK_PARTITION);
    lcl_clock_enter(&clock, LCL_TASK_PATTERN);
    pass_time();
    lcl_clock_next(&clock, LCL_TASK_SCHEDULE);
    lcl_clock_count(&clock, 7, 2);
    pass_time();
    lcl_clock_leave(&clock);
    lcl_clock_leave(&clock);
    const struct lcl_task_info *task = clock.task;
    expect_some(task[LCL_TASK_PATTERN].seconds);
    expect_some(task[LCL_TASK_SCHEDULE].seconds);
    assert_true(task[LCL_TASK_PARTITION].seconds < 1e-3 * MILLISECONDS);
    assert_int_equal(task[LCL_TASK_PATTERN].bytes, 0);
    assert_int_equal(task[LCL_TASK_SCHEDULE].bytes, 7);
    assert_int_equal(task[LCL_TASK_SCHEDULE].launches, 2);
}

// Powers of two: their sums are exact.
static void test_clock__each_task_counts_for_one_phase(void **state)
{
    (void)state;
    struct lcl_clock clock = {.depth = 0};
    double tasks = 0;
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        tasks += clock.task[t].seconds = 1 << t;
    assert_true(sum(&clock) == tasks);
    assert_true(lcl_clock_seconds(&clock, LCL_PHASE_PARTITION) ==
                (1 << LCL_TASK_PARTITION) + (1 << LCL_TASK_MATCHING) +
                    (1 << LCL_TASK_CONTRACTION) + (1 << LCL_TASK_REFINEMENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock__time_never_goes_back),
        cmocka_unit_test(test_clock__nested_tasks_are_counted_once),
        cmocka_unit_test(test_clock__task_inside_itself_is_counted_once),
        cmocka_unit_test(test_clock__time_between_tasks_is_nobodys),
        cmocka_unit_test(test_clock__next_task_replaces_the_innermost),
        cmocka_unit_test(test_clock__each_task_counts_for_one_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
