// SPDX-License-Identifier: BSD-3-Clause
// Why a program does not compile, as lines of the log.
#pragma once

#include <levelcl/log.h>

#include <stddef.h>

// Logs as errors the lines of the compiler, `text`, and the lines of `source`
// around those that it names, each after a blank.
void lcl_log_build(const struct lcl_log *log, const char *text,
                   const char *source);

// The first line of the compiler that speaks of an error, else the first one;
// cut to `size`. "": there is none.
void lcl_build_fault(char *fault, size_t size, const char *text);
