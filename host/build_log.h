// SPDX-License-Identifier: BSD-3-Clause
// Logs why a program does not compile, line by line.
#pragma once

#include <levelcl/log.h>

#include <stddef.h>

// Logs as errors the lines of the compiler in `text`, each followed by a blank
// and the lines of `source` around the place that it names.
void lcl_log_build(const struct lcl_log *log, const char *text,
                   const char *source);

// The first line of the compiler with the word error, else its first line, cut
// to `size`; "" if there is none.
void lcl_build_fault(char *fault, size_t size, const char *text);
