// SPDX-License-Identifier: BSD-3-Clause
// A log that remembers the last error.
#pragma once

#include <levelcl/log.h>

struct lcl_test_log {
    struct lcl_log log; // pass &capture.log to the library
    int errors;
    char last[1024];
};

// Must stay where it is while `log` is in use.
void lcl_test_log_init(struct lcl_test_log *capture);
