// SPDX-License-Identifier: BSD-3-Clause
// The plot of a residual history.
#include "tools/clsolve/plot.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The caller frees the text.
static char *plot(const double *history, int count, int width)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    plot_history(out, history, count, width);
    assert_int_equal(fclose(out), 0);
    return text;
}

static size_t longest_line(const char *text)
{
    size_t most = 0;
    for (; *text; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") > most)
            most = strcspn(text, "\n");
    return most;
}

static void test_plot__a_fall_goes_from_corner_to_corner(void **state)
{
    static const double history[] = {1, 0.1, 0.01};
    char *text = plot(history, 3, 20);
    (void)state;
    assert_memory_equal(text, "  1.0e+00 |*\n", 13);
    assert_non_null(
        strstr(text, "\n  1.0e-02 |        *\n          +--------"));
    assert_non_null(strstr(text, "-\n           0       2\n"));
    free(text);
}

static void test_plot__fits_the_width(void **state)
{
    double history[500];
    (void)state;
    for (int i = 0; i < 500; ++i)
        history[i] = pow(10, -0.02 * i + sin(i));
    for (int width = 1; width < 200; width += 9) {
        char *text = plot(history, 500, width);
        assert_true(longest_line(text) <= (size_t)(width < 20 ? 20 : width));
        free(text);
    }
}

static void test_plot__leaves_out_what_has_no_logarithm(void **state)
{
    static const double history[] = {1, 0, NAN, INFINITY, -1, 1e-3};
    static const double flat[] = {1, 1}, lone[] = {0, 1, NAN};
    char *text = plot(history, 6, 40);
    int stars = 0;
    (void)state;
    for (const char *at = text; (at = strchr(at, '*')); ++at)
        ++stars;
    assert_int_equal(stars, 2);
    free(text);
    text = plot(flat, 2, 40);
    assert_non_null(strstr(text, "1.0e+00 |*"));
    free(text);
    text = plot(lone, 3, 40);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot__a_fall_goes_from_corner_to_corner),
        cmocka_unit_test(test_plot__fits_the_width),
        cmocka_unit_test(test_plot__leaves_out_what_has_no_logarithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
