// SPDX-License-Identifier: BSD-3-Clause
// The plot of residuals: short, broken and long histories.
#include "tests/support/test.h"
#include "tools/clsolve/residual_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The picture, which the caller frees.
static char *draw(const struct residuals *R, struct residual_remarks *remarks)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    *remarks = residual_plot(out, R);
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    while ((text = strstr(text, word))) {
        ++count;
        text += strlen(word);
    }
    return count;
}

// The path of a curve, cut off from the picture.
static const char *path_of(char *text, const char *class)
{
    char start[64];
    snprintf(start, sizeof start, "<path class=\"%s\" d=\"", class);
    char *path = strstr(text, start);
    assert_non_null(path);
    path += strlen(start);
    path[strcspn(path, "\"")] = '\0';
    return path;
}

static void test_residual_plot__one_residual_is_a_dot(void **state)
{
    (void)state;
    static const double residual[] = {1, 0, NAN, INFINITY};
    const int end[] = {0};
    for (int k = 0; k < 4; ++k) {
        struct residual_remarks remarks;
        const struct residuals R = {.history = &residual[k],
                                    .count = 1,
                                    .end = end,
                                    .attempts = 1,
                                    .tolerance = 1e-8,
                                    .true_residual = NAN};
        char *text = draw(&R, &remarks);
        assert_int_equal(remarks.zero, k == 1);
        assert_int_equal(remarks.gaps, k >= 2);
        assert_int_equal(count_of(text, "<circle class=\"k1\""), k < 2);
        assert_int_equal(count_of(text, "class=\"mark\""), 0);
        free(text);
    }
}

static void test_residual_plot__what_is_not_finite_is_a_gap(void **state)
{
    (void)state;
    static const double history[] = {1, 0.1, INFINITY, 0.01, NAN, NAN, 1e-3, 0};
    const int end[] = {7};
    struct residual_remarks remarks;
    const struct residuals R = {.history = history,
                                .count = 8,
                                .end = end,
                                .attempts = 1,
                                .tolerance = 1e-2,
                                .x_iteration = 6,
                                .true_residual = 1e-3};
    char *text = draw(&R, &remarks);
    assert_true(remarks.gaps && remarks.zero);
    assert_int_equal(count_of(text, "class=\"mark\""), 1);
    const char *path = path_of(text, "k1");
    assert_int_equal(count_of(path, "M"), 3);
    assert_int_equal(count_of(path, "L"), 2);
    free(text);
}

static void test_residual_plot__each_attempt_has_a_curve(void **state)
{
    (void)state;
    static const double history[] = {1, 2, 4, 0.5, 0.25, 1e-9};
    const int end[] = {2, 2, 5};
    struct residual_remarks remarks;
    const struct residuals R = {.history = history,
                                .count = 6,
                                .end = end,
                                .attempts = 3,
                                .tolerance = 1e-8,
                                .x_iteration = 5,
                                .true_residual = 1e-9};
    char *text = draw(&R, &remarks);
    assert_int_equal(count_of(text, "<path class=\"k"), 3);
    assert_int_equal(count_of(text, "<circle class=\"k2\""), 1);
    assert_int_equal(count_of(text, ">1</text>"), 2); // and the tick of y
    assert_int_equal(count_of(text, ">2</text>"), 1); // the tick of x
    assert_int_equal(count_of(text, ">3</text>"), 2);
    assert_int_equal(count_of(path_of(text, "k3"), "L"), 3);
    free(text);
}

static void test_residual_plot__close_attempts_share_a_label(void **state)
{
    enum { COUNT = 1000 };
    static const int end[] = {400, 402, 404, 500, COUNT - 1};
    double history[COUNT];
    struct residual_remarks remarks;
    const struct residuals R = {.history = history,
                                .count = COUNT,
                                .end = end,
                                .attempts = 5,
                                .tolerance = 1e-8,
                                .x_iteration = COUNT - 1,
                                .true_residual = 0.5};
    (void)state;
    for (int i = 0; i < COUNT; ++i)
        history[i] = 0.5;
    char *text = draw(&R, &remarks);
    assert_int_equal(count_of(text, ">2-4</text>"), 1);
    assert_int_equal(count_of(text, ">3</text>"), 0);
    assert_int_equal(count_of(text, ">5</text>"), 1);
    free(text);
}

// The extremes of a long history stay.
static void test_residual_plot__long_histories_keep_their_peaks(void **state)
{
    (void)state;
    enum { COUNT = 100001 };
    double *history = malloc(COUNT * sizeof *history);
    const int end[] = {COUNT - 1};
    struct residual_remarks remarks;
    assert_non_null(history);
    for (int i = 0; i < COUNT; ++i)
        history[i] = 1;
    history[77777] = 1e4;
    history[77779] = 1e-8;
    const struct residuals R = {.history = history,
                                .count = COUNT,
                                .end = end,
                                .attempts = 1,
                                .tolerance = 1e-8,
                                .true_residual = 1};
    char *text = draw(&R, &remarks);
    const char *path = path_of(text, "k1");
    assert_in_range(count_of(path, "L"), 100, 800);
    assert_int_equal(count_of(path, " 10L"), 1);  // the upper end of the area
    assert_int_equal(count_of(path, " 260L"), 1); // the lower one
    free(text);
    free(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residual_plot__one_residual_is_a_dot),
        cmocka_unit_test(test_residual_plot__what_is_not_finite_is_a_gap),
        cmocka_unit_test(test_residual_plot__each_attempt_has_a_curve),
        cmocka_unit_test(test_residual_plot__close_attempts_share_a_label),
        cmocka_unit_test(test_residual_plot__long_histories_keep_their_peaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
