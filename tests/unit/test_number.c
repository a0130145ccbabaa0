// SPDX-License-Identifier: BSD-3-Clause
// Numbers in text: bitwise equal to the results of strtod().
#include "lib/io/number.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parses a copy of `text`; returns the bytes used, or -1 if there is no number.
static ptrdiff_t parse(const char *text, double *value)
{
    char line[4096];
    snprintf(line, sizeof line, "%s", text);
    const char *end = lcl_parse_double(line, value);
    return end ? end - line : -1;
}

static void expect_same(const char *text)
{
    double got = 0;
    const double expected = strtod(text, NULL);
    if (parse(text, &got) != (ptrdiff_t)strlen(text) ||
        memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("'%s': got %a, expected %a", text, got, expected);
}

static void test_number__integers_stop_where_digits_do(void **state)
{
    (void)state;
    char text[] = "+120x";
    int64_t value = 0;
    assert_ptr_equal(lcl_parse_int(text, &value), text + 4);
    assert_int_equal(value, 120);
    char negative[] = "-7", empty[] = "", sign[] = "-";
    assert_non_null(lcl_parse_int(negative, &value));
    assert_int_equal(value, -7);
    assert_null(lcl_parse_int(empty, &value));
    assert_null(lcl_parse_int(sign, &value));
}

static void test_number__integers_saturate(void **state)
{
    (void)state;
    char big[] = "9223372036854775808000", small[] = "-99999999999999999999";
    int64_t value = 0;
    assert_non_null(lcl_parse_int(big, &value));
    assert_true(value == INT64_MAX);
    assert_non_null(lcl_parse_int(small, &value));
    assert_true(value == -INT64_MAX);
}

static void test_number__hard_cases_are_correctly_rounded(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "+1",
        ".5",
        "5.",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993e22",
        "1.0000000000000000",
        "0.1",
        "123456789012345678901234567890",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e400",
        "-1e999",
        "1e100000000000000000000",
        "0e999999",
        "1e-99999999999",
        "0.000000000000000000000000000000000000012345678901234567",
        "7.2057594037927933e16",
        "12345678901234567890000000000e-5",
        "100000000000000000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        expect_same(cases[i]);
}

static void test_number__random_doubles_come_back(void **state)
{
    (void)state;
    static const char *const formats[] = {"%.17g", "%.16e", "%.15g", "%.6f",
                                          "%.20e", "%g",    "%.9E"};
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 70000; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double value;
        memcpy(&value, &random, sizeof value);
        if (i % 2)
            value = (double)(random >> 11) * 0x1p-53 - 0.5;
        if (!isfinite(value))
            continue;
        char text[512];
        snprintf(text, sizeof text, formats[i % 7], value);
        expect_same(text);
    }
}

// 16 to 19 digits, also those of numbers halfway between two doubles.
static void test_number__long_digits_are_correctly_rounded(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200000; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint64_t digits = random >> (i % 11);
        if (i % 2)
            digits = digits >> (digits >> 60 ? 12 : 2) << 8 | 0x80;
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, i % 53 - 26);
        expect_same(text);
    }
}

static void test_number__fortran_exponents_are_read(void **state)
{
    (void)state;
    double value = 0;
    assert_int_equal(parse("1.5D+02", &value), 7);
    assert_true(value == 150);
    assert_int_equal(parse("12345678901234567d280", &value), 21);
    assert_true(value == 12345678901234567e280);
}

static void test_number__what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",    "-",         ".",   "+.",
                                        "e5",  "1e",        "1e+", "nan",
                                        "inf", "-Infinity", "x",   "- 1"};
    double value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_int_equal(parse(cases[i], &value), -1);
    assert_int_equal(parse("0x10", &value), 1);
}

static void test_number__the_locale_of_the_thread_comes_back(void **state)
{
    (void)state;
    const locale_t before = uselocale((locale_t)0);
    struct lcl_c_locale locale;
    assert_true(lcl_c_locale_enter(&locale));
    assert_string_equal(localeconv()->decimal_point, ".");
    lcl_c_locale_leave(&locale);
    assert_ptr_equal(uselocale((locale_t)0), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number__integers_stop_where_digits_do),
        cmocka_unit_test(test_number__integers_saturate),
        cmocka_unit_test(test_number__hard_cases_are_correctly_rounded),
        cmocka_unit_test(test_number__random_doubles_come_back),
        cmocka_unit_test(test_number__long_digits_are_correctly_rounded),
        cmocka_unit_test(test_number__fortran_exponents_are_read),
        cmocka_unit_test(test_number__what_is_no_number_is_refused),
        cmocka_unit_test(test_number__the_locale_of_the_thread_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
