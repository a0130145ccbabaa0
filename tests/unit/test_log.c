// SPDX-License-Identifier: BSD-3-Clause
// Delivery to the log callback, and the return values of error functions.
#include "host/log.h"
#include "tests/support/capture.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
