// SPDX-License-Identifier: BSD-3-Clause
// A log that remembers the last error.
#include "tests/support/capture.h"

#include <stdio.h>

static void remember(void *user, enum lcl_log_level level, const char *text)
{
    struct lcl_test_log *capture = user;
    if (level != LCL_LOG_ERROR)
        return;
    ++capture->errors;
    snprintf(capture->last, sizeof capture->last, "%s", text);
}

void lcl_test_log_init(struct lcl_test_log *capture)
{
    *capture = (struct lcl_test_log){
        .log = {.fn = remember, .user = capture, .level = LCL_LOG_TRACE}};
}
