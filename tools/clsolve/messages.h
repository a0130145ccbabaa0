// SPDX-License-Identifier: BSD-3-Clause
// Keeps and prints the library's messages: errors and warnings are kept until
// the end, others are printed to stderr if -v requests them.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>

enum { MESSAGE_BYTES = 1024, MESSAGES_KEPT = 8, DETAILS_BYTES = 16384 };

struct messages {
    char error[MESSAGE_BYTES];   // the last error: why the run failed
    char details[DETAILS_BYTES]; // the compiler's lines that belong to it
    bool complete;               // its sentence has come, after the details
    char warning[MESSAGES_KEPT][MESSAGE_BYTES];
    int times[MESSAGES_KEPT]; // how often each of them came
    int warnings; // number of warnings; the first MESSAGES_KEPT are kept
    int verbose;  // number of -v options
};

// A logger that delivers to `messages`, which must outlive all users of the
// logger.
struct lcl_log messages_log(struct messages *messages);

// Prints the kept error, or that of the status, to stderr.
void messages_print_error(const struct messages *messages,
                          enum lcl_status status);

// Keeps a sentence as the error and returns `status`. The sentence may contain
// messages->error, the error before.
enum lcl_status messages_fail(struct messages *messages, enum lcl_status status,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Keeps a sentence as a warning.
void messages_warn(struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints the kept warnings to stderr.
void messages_print_warnings(const struct messages *messages);
