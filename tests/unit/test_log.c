// SPDX-License-Identifier: BSD-3-Clause
// Delivery to the log callback, and the return values of error functions.
#include "host/build_log.h"
#include "host/log.h"
#include "tests/support/capture.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void test_log__levels_up_to_the_wanted_one_are_passed_on(void **state)
{
    (void)state;
    for (int wanted = LCL_LOG_NONE; wanted < LCL_LOG_COUNT; ++wanted) {
        struct test_capture capture;
        test_capture_init(&capture, (enum lcl_log_level)wanted);
        for (int level = LCL_LOG_ERROR; level < LCL_LOG_COUNT; ++level)
            lcl_log_msg(&capture.log, (enum lcl_log_level)level, "message");
        assert_int_equal(capture.messages, wanted);
    }
}

static void test_log__null_and_zero_are_silent(void **state)
{
    (void)state;
    const struct lcl_log zero = {0}, no_function = {.level = LCL_LOG_TRACE};
    lcl_log_msg(NULL, LCL_LOG_ERROR, "message");
    lcl_log_msg(&zero, LCL_LOG_ERROR, "message");
    lcl_log_msg(&no_function, LCL_LOG_ERROR, "message");
    assert_false(lcl_log_wants(NULL, LCL_LOG_ERROR));
    assert_false(lcl_log_wants(&no_function, LCL_LOG_ERROR));
    assert_int_equal(lcl_fail(NULL, LCL_EIO, "message"), LCL_EIO);
}

static void test_log__long_lines_are_cut(void **state)
{
    (void)state;
    char text[5000];
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    memset(text, 'x', sizeof text);
    lcl_log_msg(&capture.log, LCL_LOG_ERROR, "%.*s", (int)sizeof text, text);
    assert_int_equal(capture.messages, 1);
    assert_in_range(strlen(capture.last), 500, sizeof capture.last - 1);
}

static void test_log__fail_says_why_and_returns_the_status(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_fail(&capture.log, LCL_EFORMAT, "line %d", 7),
                     LCL_EFORMAT);
    assert_string_equal(capture.last, "line 7");
    assert_int_equal(lcl_fail_memory(&capture.log, "a vector"), LCL_ENOMEM);
    assert_string_equal(capture.last, "out of memory: no room for a vector");
    assert_int_equal(capture.messages, 2);
}

// User input never aborts the process, in any build.
static void test_log__invalid_input_is_no_misuse(void **state)
{
    (void)state;
    assert_int_equal(lcl_fail(NULL, LCL_EINVAL, "width 5"), LCL_EINVAL);
}

static void test_log__misuse_is_invalid_or_aborts(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_misuse(lcl_misuse(&capture.log, "%s is NULL", "out"));
#ifndef LCL_DEBUG_ABORT
    assert_string_equal(capture.last, "out is NULL");
#endif
}

static void add_line(void *user, enum lcl_log_level level, const char *text)
{
    char *all = user;
    (void)level;
    snprintf(all + strlen(all), 256 - strlen(all), "%s|", text);
}

static void test_log__sources_are_numbered(void **state)
{
    (void)state;
    char all[256] = "";
    const struct lcl_log log = {add_line, all, LCL_LOG_DEBUG};
    lcl_log_source(&log, "first\n\nthird\nlast without an end");
    assert_string_equal(all, "   1  first|   2  |   3  third|"
                             "   4  last without an end|");
}

static void test_log__sources_are_for_debugging_only(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_INFO);
    lcl_log_source(&capture.log, "first\nsecond\n");
    lcl_log_source(NULL, "first\n");
    assert_int_equal(capture.messages, 0);
}

static void expect_printable(const char *text, const char *expected)
{
    char shown[64];
    assert_int_equal(lcl_printable(shown, sizeof shown, text),
                     strlen(expected));
    assert_string_equal(shown, expected);
    // what is printable stays
    assert_int_equal(lcl_printable(shown, sizeof shown, expected),
                     strlen(expected));
    assert_string_equal(shown, expected);
}

static void test_log__text_is_made_printable(void **state)
{
    (void)state;
    expect_printable("", "");
    expect_printable("plain text, 100 %", "plain text, 100 %");
    expect_printable("a\tb\nc\033[31m\x7f", "a\\x09b\\x0ac\\x1b[31m\\x7f");
    expect_printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
                     "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect_printable("\xe4 \xc3", "\\xe4 \\xc3");        // Latin-1, cut off
    expect_printable("\xc0\x80", "\\xc0\\x80");          // too long a form
    expect_printable("\xed\xa0\x80", "\\xed\\xa0\\x80"); // a surrogate
    expect_printable("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    expect_printable("\xff\xfe", "\\xff\\xfe");
}

// Controls of Unicode, changes of direction, characters without width.
static void test_log__hidden_characters_are_shown(void **state)
{
    (void)state;
    expect_printable("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0",
                     "\\u0080\\u009b\\u009f\xc2\xa0");
    expect_printable("\xd8\x9c\xe2\x80\x8b\xe2\x80\x8f",
                     "\\u061c\\u200b\\u200f");
    expect_printable("\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9",
                     "\\u202a\\u202e\\u2066\\u2069");
    expect_printable("\xef\xbb\xbf\xf3\xa0\x81\x81", "\\ufeff\\U000e0041");
}

static void test_log__printable_text_is_cut_between_characters(void **state)
{
    (void)state;
    char shown[8];
    assert_int_equal(lcl_printable(NULL, 0, "a\033"), 5);
    assert_int_equal(lcl_printable(shown, 5, "a\033"), 5);
    assert_string_equal(shown, "a");
    assert_int_equal(lcl_printable(shown, 4, "\xc3\xa4\xc3\xa4"), 4);
    assert_string_equal(shown, "\xc3\xa4");
    assert_int_equal(lcl_printable(shown, 1, "a"), 1);
    assert_string_equal(shown, "");
}

// What `text` becomes on stderr, which is a pipe meanwhile.
static void expect_on_stderr(const char *text, const char *expected)
{
    char got[64] = "";
    int ends[2];
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    lcl_log_stderr(NULL, LCL_LOG_ERROR, text);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(ends[1]);
    const ssize_t size = read(ends[0], got, sizeof got - 1);
    close(ends[0]);
    close(before);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(got, expected);
}

static void test_log__lines_go_to_stderr(void **state)
{
    (void)state;
    expect_on_stderr("A is 3 x 2", "levelcl: A is 3 x 2\n");
    expect_on_stderr("file a\nb\033", "levelcl: file a\\x0ab\\x1b\n");
    expect_on_stderr(NULL, "levelcl: \n");
}

// The lines of the compiler, then the source around the places that they name,
// in a file or, on NVIDIA, in all of it.
static void test_log__a_failed_build_shows_its_source(void **state)
{
    (void)state;
    static const char source[] = "#define WIDTH 1\n#line 1 \"a.cl.h\"\nint a;\n"
                                 "#line 1 \"b.cl\"\none\ntwo\nthree\nfour\n";
    static const char text[] =
        "b.cl:1:2: warning: w\n\n/tmp/b.cl:4:1: error: e\na.cl.h:9:1: note\n";
    char all[256] = "", fault[64];
    const struct lcl_log log = {add_line, all, LCL_LOG_ERROR};
    lcl_log_build(&log, text, source);
    assert_string_equal(all,
                        " b.cl:1:2: warning: w| /tmp/b.cl:4:1: error: e|"
                        " a.cl.h:9:1: note|"
                        " > b.cl:1  one|   b.cl:2  two|   b.cl:3  three|"
                        "   b.cl:2  two|   b.cl:3  three| > b.cl:4  four|");
    lcl_build_fault(fault, sizeof fault, text);
    assert_string_equal(fault, "/tmp/b.cl:4:1: error: e");
    memset(all, 0, sizeof all);
    lcl_log_build(&log, "<kernel>:8:1: error: e\n<kernel>:99:1: note", source);
    assert_string_equal(all,
                        " <kernel>:8:1: error: e| <kernel>:99:1: note|"
                        "   b.cl:2  two|   b.cl:3  three| > b.cl:4  four|");
    lcl_build_fault(fault, sizeof fault, "\nfirst\nsecond");
    assert_string_equal(fault, "first");
    lcl_build_fault(fault, sizeof fault, "");
    assert_string_equal(fault, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log__levels_up_to_the_wanted_one_are_passed_on),
        cmocka_unit_test(test_log__null_and_zero_are_silent),
        cmocka_unit_test(test_log__long_lines_are_cut),
        cmocka_unit_test(test_log__fail_says_why_and_returns_the_status),
        cmocka_unit_test(test_log__invalid_input_is_no_misuse),
        cmocka_unit_test(test_log__misuse_is_invalid_or_aborts),
        cmocka_unit_test(test_log__sources_are_numbered),
        cmocka_unit_test(test_log__sources_are_for_debugging_only),
        cmocka_unit_test(test_log__text_is_made_printable),
        cmocka_unit_test(test_log__lines_go_to_stderr),
        cmocka_unit_test(test_log__hidden_characters_are_shown),
        cmocka_unit_test(test_log__printable_text_is_cut_between_characters),
        cmocka_unit_test(test_log__a_failed_build_shows_its_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
