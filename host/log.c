// SPDX-License-Identifier: BSD-3-Clause
// Formatting front end of the log callback.
#include "host/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 };

bool lcl_log_wants(const struct lcl_log *log, enum lcl_log_level level)
{
    return log && log->fn && level <= log->level;
}

static void pass_on(const struct lcl_log *log, enum lcl_log_level level,
                    const char *format, va_list args)
{
    if (!lcl_log_wants(log, level))
        return;
    char line[LINE];
    vsnprintf(line, sizeof line, format, args);
    log->fn(log->user, level, line);
}

void lcl_log_msg(const struct lcl_log *log, enum lcl_log_level level,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pass_on(log, level, format, args);
    va_end(args);
}

void lcl_log_stderr(void *user, enum lcl_log_level level, const char *text)
{
    (void)user;
    (void)level;
    char line[4 * LINE]; // an escape has up to four characters for each byte
    lcl_printable(line, sizeof line, text);
    fprintf(stderr, "levelcl: %s\n", line);
}

enum lcl_status lcl_fail(const struct lcl_log *log, enum lcl_status status,
                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pass_on(log, LCL_LOG_ERROR, format, args);
    va_end(args);
    return status;
}

enum lcl_status lcl_misuse(const struct lcl_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pass_on(log, LCL_LOG_ERROR, format, args);
    va_end(args);
#ifdef LCL_DEBUG_ABORT
    abort();
#endif
    return LCL_EINVAL;
}

enum lcl_status lcl_fail_memory(const struct lcl_log *log, const char *what)
{
    return lcl_fail(log, LCL_ENOMEM, "out of memory: no room for %s", what);
}

void lcl_log_source(const struct lcl_log *log, const char *text)
{
    for (int line = 1; *text && lcl_log_wants(log, LCL_LOG_DEBUG); ++line) {
        const int length = (int)strcspn(text, "\n");
        lcl_debug(log, "%4d  %.*s", line, length, text);
        text += length + (text[length] == '\n');
    }
}
