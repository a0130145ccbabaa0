// SPDX-License-Identifier: BSD-3-Clause
// The file that a writer fills, compressed if its name ends in ".gz" or ".xz".
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct lcl_sink lcl_sink;

// Whether `path`, without the suffix of a compression, ends in `suffix`.
bool lcl_path_has(const char *path, const char *suffix);

// Writes to `file`, which the caller closes. `path` and `log` must outlive the
// sink. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_sink_open(lcl_sink **out, FILE *file, const char *path,
                              const struct lcl_log *log);

// Returns false after a failure, which lcl_sink_close() logs.
bool lcl_sink_write(lcl_sink *sink, const void *bytes, size_t size);

// Completes the data, unless `status` is an error, and destroys the sink.
// Returns `status`, else LCL_OK, LCL_EIO or LCL_ENOMEM.
enum lcl_status lcl_sink_close(lcl_sink **sink, enum lcl_status status);

const char *lcl_sink_name(const lcl_sink *sink);
const struct lcl_log *lcl_sink_log(const lcl_sink *sink);
