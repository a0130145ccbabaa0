// SPDX-License-Identifier: BSD-3-Clause
// A log that keeps its last message.
#include "tests/support/capture.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static void keep(void *user, enum lcl_log_level level, const char *text)
{
    (void)level;
    struct test_capture *capture = user;
    ++capture->messages;
    snprintf(capture->last, sizeof capture->last, "%s", text);
}

void test_capture_init(struct test_capture *capture, enum lcl_log_level level)
{
    *capture = (struct test_capture){
        .log = {.fn = keep, .user = capture, .level = level},
    };
}

void test_capture_expect(const struct test_capture *capture, const char *part)
{
    if (!strstr(capture->last, part))
        fail_msg("\"%s\" does not contain \"%s\"", capture->last, part);
}
