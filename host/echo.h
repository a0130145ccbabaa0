// SPDX-License-Identifier: BSD-3-Clause
// Environment variables for finding faults: LEVELCL_LOG=LEVEL prints the
// messages of contexts, LEVELCL_DUMP=FOLDER writes the sources of programs.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

// Passes messages on to the caller's logger and prints them.
struct lcl_echo {
    struct lcl_log caller;
    enum lcl_log_level level; // the most verbose one that is printed
};

// Makes the logger of a context, which may refer to *echo, from the caller's.
// Returns LCL_OK or LCL_EINVAL (LEVELCL_LOG names no level); *log is valid in
// both cases.
enum lcl_status lcl_echo_init(struct lcl_echo *echo, struct lcl_log *log,
                              const struct lcl_log *caller);

// Writes the source of a program to FOLDER/NAME-HASH.cl after the first lines
// of its key, as comments; HASH is that of the key, as in the cache. A file
// that cannot be written is a warning.
void lcl_dump_source(const struct lcl_log *log, const char *name,
                     const char *key, const char *source);
