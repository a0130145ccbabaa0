// SPDX-License-Identifier: BSD-3-Clause
// When a method makes no progress any more.
#include "lib/krylov/patience.h"
#include "tests/support/test.h"

#include <math.h>

enum { PATIENCE = 100, MOST = 1000 };

// The iteration at which a method with this history stops, or MOST. A residual
// falls by `rate` per iteration after it has grown.
static int end_of(struct lcl_patience *P, const double *history)
{
    int best = 0;
    for (int it = 0; it < MOST; ++it) {
        if (history[it] < history[best])
            best = it;
        if (lcl_patience_is_over(P, it - best, PATIENCE, history, it + 1))
            return it;
    }
    return MOST;
}

static int end_of_hump(double rate)
{
    struct lcl_patience P = {0};
    double history[MOST] = {1};
    for (int it = 1; it < MOST; ++it)
        history[it] = 1e3 * pow(rate, it);
    return end_of(&P, history);
}

static void test_patience__a_flat_residual_ends(void **state)
{
    (void)state;
    assert_int_equal(end_of_hump(1), PATIENCE + 1);
}

// The mean of log ||r||^2 has to fall by log 2 in half of the patience, 50
// iterations: ||r|| by 0.993 in each.
static void test_patience__a_falling_residual_goes_on(void **state)
{
    (void)state;
    assert_int_equal(end_of_hump(0.992), MOST);
    assert_int_equal(end_of_hump(0.994), PATIENCE + 1);
}

// Without such a time each new minimum suffices.
static void test_patience__new_minima_go_on(void **state)
{
    struct lcl_patience P = {0};
    double history[MOST];
    (void)state;
    for (int it = 0; it < MOST; ++it)
        history[it] = 1 - 1e-6 * it;
    assert_int_equal(end_of(&P, history), MOST);
    assert_false(P.judged);
}

// After such a time they do not.
static void test_patience__slow_minima_after_growth_end(void **state)
{
    struct lcl_patience P = {0};
    double history[MOST] = {1};
    (void)state;
    for (int it = 1; it < MOST; ++it)
        history[it] = it < 400 ? 100 * pow(0.98, it) : 0.03 - 1e-6 * it;
    const int end = end_of(&P, history);
    assert_true(P.judged);
    assert_true(end > 400 && end <= 400 + 2 * PATIENCE);
}

// CG whose residual does not fall: its steps take from the error what they
// took PATIENCE / 2 steps before, times `factor`.
static int end_of_cg(double factor)
{
    struct lcl_patience P = {0};
    double history[MOST], sum = 0;
    for (int it = 0; it < MOST; ++it) {
        history[it] = 1;
        lcl_patience_note(&P, it, sum, PATIENCE);
        if (lcl_patience_is_over(&P, it, PATIENCE, history, it + 1))
            return it;
        sum += pow(factor, it / (PATIENCE / 2.0));
    }
    return MOST;
}

static void test_patience__cg_is_judged_by_its_error(void **state)
{
    (void)state;
    assert_int_equal(end_of_cg(0.49), MOST);
    assert_int_equal(end_of_cg(0.51), PATIENCE + 1);
    assert_int_equal(end_of_cg(1), PATIENCE + 1);
}

static void test_patience__cycles_sum_from_zero(void **state)
{
    struct lcl_patience P = {0};
    const double history[] = {1};
    (void)state;
    lcl_patience_note(&P, 50, 1, PATIENCE);
    lcl_patience_note(&P, 100, 1.9, PATIENCE);
    assert_true(lcl_patience_is_over(&P, 101, PATIENCE, history, 1));
    lcl_patience_begin(&P, 100);
    assert_true(P.judged);
    lcl_patience_note(&P, 150, 0.5, PATIENCE); // the first half of its own
    assert_false(lcl_patience_is_over(&P, 0, PATIENCE, history, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patience__a_flat_residual_ends),
        cmocka_unit_test(test_patience__a_falling_residual_goes_on),
        cmocka_unit_test(test_patience__new_minima_go_on),
        cmocka_unit_test(test_patience__slow_minima_after_growth_end),
        cmocka_unit_test(test_patience__cg_is_judged_by_its_error),
        cmocka_unit_test(test_patience__cycles_sum_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
