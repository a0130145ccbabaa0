// SPDX-License-Identifier: BSD-3-Clause
// Tests of the messages that clsolve keeps.
#include "tests/support/test.h"

#include "tools/clsolve/messages.h"

#include <stdio.h>
#include <string.h>

static void test_messages__kept_text_is_printable(void **state)
{
    (void)state;
    struct messages messages = {.verbose = 0};
    const struct lcl_log log = messages_log(&messages);
    log.fn(log.user, LCL_LOG_ERROR, "no \033[31m");
    assert_string_equal(messages.error, "no \\x1b[31m");
    log.fn(log.user, LCL_LOG_WARN, "\xe2\x80\xae");
    assert_string_equal(messages.warning[0], "\\u202e");
    messages_fail(&messages, LCL_EIO, "%s", "\xc2\x9b");
    assert_string_equal(messages.error, "\\u009b");
}

// Lines of a compiler belong to the sentence after them, and to no later one.
static void test_messages__details_belong_to_an_error(void **state)
{
    (void)state;
    struct messages messages = {.verbose = 0};
    const struct lcl_log log = messages_log(&messages);
    log.fn(log.user, LCL_LOG_ERROR, "before");
    log.fn(log.user, LCL_LOG_ERROR, " a.cl:1: error");
    log.fn(log.user, LCL_LOG_ERROR, " > a.cl:1\tone");
    log.fn(log.user, LCL_LOG_ERROR, "a.cl does not compile");
    assert_string_equal(messages.details,
                        " a.cl:1: error\n > a.cl:1\\x09one\n");
    assert_string_equal(messages.error, "a.cl does not compile");
    log.fn(log.user, LCL_LOG_ERROR, "after");
    assert_string_equal(messages.details, "");
    for (int i = 0; i < DETAILS_BYTES; ++i)
        log.fn(log.user, LCL_LOG_ERROR, " many lines");
    assert_in_range(strlen(messages.details), DETAILS_BYTES - 16,
                    DETAILS_BYTES - 1);
}

static void test_messages__last_error_is_kept(void **state)
{
    (void)state;
    struct messages messages = {.verbose = 0};
    const struct lcl_log log = messages_log(&messages);
    log.fn(log.user, LCL_LOG_ERROR, "first");
    log.fn(log.user, LCL_LOG_ERROR, "second");
    assert_string_equal(messages.error, "second");
    assert_int_equal(messages_fail(&messages, LCL_EIO, "no %d", 3), LCL_EIO);
    assert_string_equal(messages.error, "no 3");
    messages_fail(&messages, LCL_EIO, "step 1: %s", messages.error);
    assert_string_equal(messages.error, "step 1: no 3");
}

static void test_messages__warnings_past_the_last_place_are_counted(void **s)
{
    (void)s;
    struct messages messages = {.verbose = 0};
    for (int i = 0; i < MESSAGES_KEPT + 5; ++i)
        messages_warn(&messages, "number %d", i);
    assert_int_equal(messages.warnings, MESSAGES_KEPT + 5);
    assert_string_equal(messages.warning[0], "number 0");
    assert_string_equal(messages.warning[MESSAGES_KEPT - 1], "number 7");
}

static void test_messages__warnings_that_repeat_are_counted(void **state)
{
    (void)state;
    struct messages messages = {.verbose = 0};
    for (int i = 0; i < 6; ++i)
        messages_warn(&messages, "number %d", i % 2);
    assert_int_equal(messages.warnings, 2);
    assert_int_equal(messages.times[0], 3);
    assert_int_equal(messages.times[1], 3);
    messages.warnings = 1; // the second one is dropped
    messages_warn(&messages, "number 2");
    assert_int_equal(messages.times[1], 1);
}

static void test_messages__each_v_is_a_level(void **state)
{
    (void)state;
    struct messages messages = {.verbose = 0};
    assert_int_equal(messages_log(&messages).level, LCL_LOG_WARN);
    messages.verbose = 2;
    assert_int_equal(messages_log(&messages).level, LCL_LOG_DEBUG);
    messages.verbose = 9;
    assert_int_equal(messages_log(&messages).level, LCL_LOG_TRACE);
}

static void test_messages__long_text_is_cut(void **state)
{
    (void)state;
    char text[3 * MESSAGE_BYTES];
    struct messages messages = {.verbose = 0};
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    messages_fail(&messages, LCL_EIO, "%s", text);
    assert_int_equal(strlen(messages.error), MESSAGE_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages__kept_text_is_printable),
        cmocka_unit_test(test_messages__details_belong_to_an_error),
        cmocka_unit_test(test_messages__last_error_is_kept),
        cmocka_unit_test(
            test_messages__warnings_past_the_last_place_are_counted),
        cmocka_unit_test(test_messages__warnings_that_repeat_are_counted),
        cmocka_unit_test(test_messages__each_v_is_a_level),
        cmocka_unit_test(test_messages__long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
