// SPDX-License-Identifier: BSD-3-Clause
// Pictures in SVG, and their plots.
#include "tests/support/test.h"
#include "tools/clsolve/svg_plot.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- captures

struct capture {
    FILE *out;
    char *text;
    size_t bytes;
};

static void begin(struct capture *C)
{
    *C = (struct capture){0};
    C->out = open_memstream(&C->text, &C->bytes);
    assert_non_null(C->out);
}

// Compares what was written, and frees it.
static void expect(struct capture *C, const char *expected)
{
    assert_int_equal(fclose(C->out), 0);
    assert_string_equal(C->text, expected);
    free(C->text);
}

static void expect_number(double number, const char *expected)
{
    struct capture C;
    begin(&C);
    svg_number(C.out, number);
    expect(&C, expected);
}

static void expect_escaped(const char *text, const char *expected)
{
    struct capture C;
    begin(&C);
    svg_escape(C.out, text);
    expect(&C, expected);
}

// ---------------------------------------------------------------- svg

static void test_svg__numbers_have_two_decimals_at_most(void **state)
{
    (void)state;
    expect_number(0, "0");
    expect_number(-0.001, "0");
    expect_number(3, "3");
    expect_number(0.5, "0.5");
    expect_number(-12.345, "-12.35");
    expect_number(7.999, "8");
    expect_number(1.05, "1.05");
    expect_number(1e300, "1000000000");
    expect_number(-INFINITY, "-1000000000");
}

static void test_svg__numbers_are_those_of_every_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                        ""};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        setlocale(LC_ALL, names[k]);
        expect_number(1234.5, "1234.5");
    }
    setlocale(LC_ALL, "C");
}

static void test_svg__text_is_escaped(void **state)
{
    (void)state;
    expect_escaped("a<b>&\"c\"'d", "a&lt;b&gt;&amp;&quot;c&quot;&#39;d");
    expect_escaped("]]></svg>", "]]&gt;&lt;/svg&gt;");
    expect_escaped("gr\xc3\xb6\xc3\x9f"
                   "er",
                   "gr\xc3\xb6\xc3\x9f"
                   "er");
    expect_escaped("\xff\x01\n\x7f\xc3", "\\xff\\x01\\x0a\\x7f\\xc3");
    expect_escaped("\xef\xbf\xbe \xef\xbf\xbf \xef\xbf\xbd",
                   "\\ufffe \\uffff \xef\xbf\xbd");
    expect_escaped("", "");
}

static void test_svg__polylines_are_interrupted(void **state)
{
    (void)state;
    const struct svg_point point[] = {{0, 1}, {2, 3},   {NAN, 4},
                                      {5, 6}, {7, NAN}, {7, INFINITY},
                                      {8, 9}, {10, 11}};
    struct capture C;
    begin(&C);
    svg_polyline(C.out, "k1", point, 8);
    expect(&C, "<path class=\"k1\" d=\"M0 1L2 3M5 6M8 9L10 11\"/>\n");
    begin(&C);
    svg_polyline(C.out, "k1", point, 0);
    expect(&C, "<path class=\"k1\" d=\"\"/>\n");
}

static void test_svg__cells_are_runs_of_their_shade(void **state)
{
    (void)state;
    const uint8_t shade[] = {1, 1, 0, //
                             0, 2, 1};
    const struct svg_cells cells = {2, 3, shade};
    struct capture C;
    begin(&C);
    svg_cells(C.out, "d", &cells);
    expect(&C, "<path class=\"d1\" d=\"M0 0h2v1h-2zM2 1h1v1h-1z\"/>\n"
               "<path class=\"d2\" d=\"M1 1h1v1h-1z\"/>\n");
}

static void test_svg__borders_separate_different_numbers(void **state)
{
    (void)state;
    const int32_t number[] = {5, 5, 7, //
                              5, 7, 7, //
                              9, 9, 7};
    struct capture C;
    begin(&C);
    svg_borders(C.out, "border", 3, 3, number);
    expect(&C,
           "<path class=\"border\" d=\"M1 1h1M0 2h2M1 1v1M2 0v1M2 2v1\"/>\n");
}

// ---------------------------------------------------------------- plots

static void expect_ticks(const struct axis *axis, const char *expected)
{
    double tick[SVG_PLOT_TICKS];
    char all[SVG_PLOT_TICKS * SVG_PLOT_LABEL] = "", label[SVG_PLOT_LABEL];
    const int count = axis_ticks(axis, tick);
    for (int k = 0; k < count; ++k) {
        axis_tick_label(label, axis, tick[k]);
        strcat(strcat(all, k > 0 ? " " : ""), label);
    }
    assert_string_equal(all, expected);
}

static void test_svg_plot__ticks_are_round(void **state)
{
    (void)state;
    struct axis axis = axis_to(52, "");
    expect_ticks(&axis, "0 10 20 30 40 50");
    axis = axis_to(1, "");
    expect_ticks(&axis, "0 0.2 0.4 0.6 0.8 1");
    axis.whole = true;
    expect_ticks(&axis, "0 1");
    axis = axis_to(83000, "");
    expect_ticks(&axis, "0 20k 40k 60k 80k");
    axis = axis_to(2.9e7, "");
    expect_ticks(&axis, "0 5M 10M 15M 20M 25M");
    axis = axis_to(0.12, "");
    expect_ticks(&axis, "0 0.02 0.04 0.06 0.08 0.1 0.12");
    axis = axis_to(0.01, "");
    expect_ticks(&axis, "0 0.002 0.004 0.006 0.008 0.01");
}

static void test_svg_plot__decades_contain_the_values(void **state)
{
    (void)state;
    struct axis axis = axis_decades(3e-9, 1, "");
    expect_ticks(&axis, "1 1e-2 1e-4 1e-6 1e-8");
    axis = axis_decades(1, 1, "");
    expect_ticks(&axis, "1e1 1");
    axis = axis_decades(0, INFINITY, "");
    assert_true(axis.from > 0 && isfinite(axis.to));
    double tick[SVG_PLOT_TICKS];
    assert_in_range(axis_ticks(&axis, tick), 2, SVG_PLOT_TICKS);
}

static void test_svg_plot__places_are_inside_the_area(void **state)
{
    (void)state;
    const struct svg_plot plot = {.area = {100, 10, 200, 50},
                                  .x = axis_to(4, ""),
                                  .y = axis_decades(1e-4, 1, "")};
    const struct svg_point corner = svg_plot_place(&plot, 0, 1e-4),
                           other = svg_plot_place(&plot, 4, 1),
                           middle = svg_plot_place(&plot, 2, 1e-2);
    assert_true(corner.x == 100 && fabs(corner.y - 60) < 1e-9);
    assert_true(other.x == 300 && fabs(other.y - 10) < 1e-9);
    assert_true(middle.x == 200 && fabs(middle.y - 35) < 1e-9);
    assert_true(isnan(svg_plot_place(&plot, 1, 0).y));
    assert_true(isnan(svg_plot_place(&plot, 1, -1).y));
    assert_true(isnan(svg_plot_place(&plot, 1, NAN).y));
    assert_false(isfinite(svg_plot_place(&plot, 1, INFINITY).y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svg__numbers_have_two_decimals_at_most),
        cmocka_unit_test(test_svg__numbers_are_those_of_every_locale),
        cmocka_unit_test(test_svg__text_is_escaped),
        cmocka_unit_test(test_svg__polylines_are_interrupted),
        cmocka_unit_test(test_svg__cells_are_runs_of_their_shade),
        cmocka_unit_test(test_svg__borders_separate_different_numbers),
        cmocka_unit_test(test_svg_plot__ticks_are_round),
        cmocka_unit_test(test_svg_plot__decades_contain_the_values),
        cmocka_unit_test(test_svg_plot__places_are_inside_the_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
