// SPDX-License-Identifier: BSD-3-Clause
// A log that keeps its last message, for tests of messages.
#pragma once

#include <levelcl/log.h>

struct test_capture {
    struct lcl_log log;
    int messages;
    char last[1024];
};

// Connects `capture` to its own log. It must not move afterwards.
void test_capture_init(struct test_capture *capture, enum lcl_log_level level);

// Fails unless the last message contains `part`.
void test_capture_expect(const struct test_capture *capture, const char *part);
