// SPDX-License-Identifier: BSD-3-Clause
// Medians and their confidence intervals.
#include "tests/support/test.h"
#include "tools/clsolve/stats.h"

static void test_stats__median_is_the_middle(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {8, 1, 2, 4}, one[] = {7};
    assert_true(stats_median(odd, 3) == 3);
    assert_true(stats_median(even, 4) == 3);
    assert_true(stats_median(one, 1) == 7);
    assert_true(odd[0] == 1 && odd[2] == 5);
}

// From the binomial distribution: 1 - 2 (1 + n + n (n - 1) / 2 + ...) / 2^n.
static void test_stats__interval_is_the_shortest_of_95_percent(void **state)
{
    (void)state;
    static const struct {
        int n, rank;
        double coverage;
    } cases[] = {{1, 1, 0},
                 {5, 1, 1 - 2.0 / 32},
                 {6, 1, 1 - 2.0 / 64},
                 {8, 1, 1 - 2.0 / 256},
                 {9, 2, 1 - 2.0 * (1 + 9) / 512},
                 {11, 2, 1 - 2.0 * (1 + 11) / 2048},
                 {12, 3, 1 - 2.0 * (1 + 12 + 66) / 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct interval got = stats_interval(cases[i].n);
        assert_int_equal(got.rank, cases[i].rank);
        assert_true(got.coverage == cases[i].coverage);
    }
}

static void test_stats__interval_of_many_values_is_narrow(void **state)
{
    (void)state;
    const struct interval got = stats_interval(1000);
    assert_int_equal(got.rank, 469);
    assert_true(got.coverage >= 0.95 && got.coverage < 0.955);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stats__median_is_the_middle),
        cmocka_unit_test(test_stats__interval_is_the_shortest_of_95_percent),
        cmocka_unit_test(test_stats__interval_of_many_values_is_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
