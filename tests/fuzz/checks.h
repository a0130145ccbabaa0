// SPDX-License-Identifier: BSD-3-Clause
// Shared by the targets: a log that counts errors, and a check that aborts.
#pragma once

#include <levelcl/log.h>

#include <stdlib.h>

static inline void count(void *user, enum lcl_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == LCL_LOG_ERROR;
}

static inline void require(int condition)
{
    if (!condition)
        abort();
}
