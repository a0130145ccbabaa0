// SPDX-License-Identifier: BSD-3-Clause
// Formatting front end of the log callback.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>

// Whether the logger accepts messages of `level`.
bool lcl_log_wants(const struct lcl_log *log, enum lcl_log_level level);

// Formats one line and passes it to the callback. `log` may be NULL.
void lcl_log_msg(const struct lcl_log *log, enum lcl_log_level level,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));

#define lcl_warn(log, ...)  lcl_log_msg((log), LCL_LOG_WARN, __VA_ARGS__)
#define lcl_info(log, ...)  lcl_log_msg((log), LCL_LOG_INFO, __VA_ARGS__)
#define lcl_debug(log, ...) lcl_log_msg((log), LCL_LOG_DEBUG, __VA_ARGS__)
#define lcl_trace(log, ...) lcl_log_msg((log), LCL_LOG_TRACE, __VA_ARGS__)

// Logs the one sentence that explains an error and returns its status:
// `return lcl_fail(log, LCL_EINVAL, "...")`.
enum lcl_status lcl_fail(const struct lcl_log *log, enum lcl_status status,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for LCL_ENOMEM: `what` names the allocation that failed.
enum lcl_status lcl_fail_memory(const struct lcl_log *log, const char *what);

// The same for API misuse by the calling program: a forbidden NULL or an enum
// out of range. Input that a user may have typed is not misuse. Returns
// LCL_EINVAL; aborts in a build with debug-abort.
enum lcl_status lcl_misuse(const struct lcl_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Logs a long text line by line with line numbers, at debug level.
void lcl_log_source(const struct lcl_log *log, const char *text);
