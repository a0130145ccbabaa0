// SPDX-License-Identifier: BSD-3-Clause
// Where the library's text goes: errors and warnings are kept until the end,
// the rest is printed to stderr where -v asks for it.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>

enum { MESSAGE_BYTES = 1024, MESSAGES_KEPT = 8 };

struct messages {
    char error[MESSAGE_BYTES]; // the last one: why the run failed
    char warning[MESSAGES_KEPT][MESSAGE_BYTES];
    int warnings; // said; the first MESSAGES_KEPT of them are kept
    int verbose;  // how often -v was given
};

// A logger that delivers to `messages`, which must outlive its users.
struct lcl_log messages_log(struct messages *messages);

// Keeps one sentence as the error and returns `status`.
enum lcl_status messages_fail(struct messages *messages, enum lcl_status status,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Keeps one sentence as a warning.
void messages_warn(struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints the warnings kept to stderr.
void messages_print_warnings(const struct messages *messages);

// Replaces what is neither printable ASCII nor UTF-8 by '?', so that a rotten
// file name or file disturbs neither a terminal nor a JSON record.
void messages_clean(char *text);
