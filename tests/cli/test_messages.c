// SPDX-License-Identifier: BSD-3-Clause
// Tests of the messages that clsolve keeps.
#include "tests/support/test.h"

#include "tools/messages.h"

#include <stdio.h>
#include <string.h>

static void assert_cleaned(const char *text, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    messages_clean(copy);
    assert_string_equal(copy, expected);
}

static void test_messages__text_stays_and_rubbish_becomes_marks(void **state)
{
    (void)state;
    assert_cleaned("", "");
    assert_cleaned("plain text, 100 %", "plain text, 100 %");
    assert_cleaned("a\tb\nc\033[31m\x7f", "a?b?c?[31m?");
    assert_cleaned("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
                   "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_cleaned("\xe4 \xc3", "? ?");         // Latin-1, truncated
    assert_cleaned("\xc0\x80", "??");           // overlong
    assert_cleaned("\xed\xa0\x80", "???");      // a surrogate
    assert_cleaned("\xf4\x90\x80\x80", "????"); // out of range
    assert_cleaned("\xff\xfe", "??");
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
        cmocka_unit_test(test_messages__text_stays_and_rubbish_becomes_marks),
        cmocka_unit_test(test_messages__last_error_is_kept),
        cmocka_unit_test(
            test_messages__warnings_past_the_last_place_are_counted),
        cmocka_unit_test(test_messages__each_v_is_a_level),
        cmocka_unit_test(test_messages__long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
