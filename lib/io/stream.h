// SPDX-License-Identifier: BSD-3-Clause
// Lines of a text file that may be compressed.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lcl_stream lcl_stream;

// No line is longer than this.
#define LCL_LINE_MAX ((size_t)1 << 20)

// Opens a regular file, a FIFO or a character device, or, of the path "-", the
// standard input; what the bytes are (plain, gzip, xz) is recognised by their
// beginning. `path` and `log` live as long as the stream.
// Returns LCL_OK, LCL_EIO, LCL_EUNSUPPORTED (another compression), LCL_ENOMEM.
enum lcl_status lcl_stream_open(lcl_stream **out, const char *path,
                                const struct lcl_log *log);

// The same on bytes in memory; `name` stands for the path in messages.
enum lcl_status lcl_stream_open_memory(lcl_stream **out, const char *name,
                                       const void *bytes, size_t size,
                                       const struct lcl_log *log);

void lcl_stream_close(lcl_stream **stream);

// Fetches the next line: [*begin, *end) without "\n" or "\r\n", with a NUL
// behind it, writable, valid until the next call. *begin is NULL at the end.
// Returns LCL_OK, LCL_EIO (reading, damaged or cut-off compressed data),
// LCL_EFORMAT (line too long, or with a NUL byte), LCL_EUNSUPPORTED (wants too
// much memory) or LCL_ENOMEM.
enum lcl_status lcl_stream_line(lcl_stream *stream, char **begin, char **end);

// Bytes of uncompressed text read so far.
int64_t lcl_stream_bytes(const lcl_stream *stream);

const char *lcl_stream_name(const lcl_stream *stream);
const struct lcl_log *lcl_stream_log(const lcl_stream *stream);

// Logs "NAME:LINE: ..." with the line fetched last, and returns `status`.
enum lcl_status lcl_stream_fail(const lcl_stream *stream,
                                enum lcl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Logs "PATH: cannot WHAT: reason" with the reason from errno; LCL_EIO.
enum lcl_status lcl_fail_errno(const struct lcl_log *log, const char *path,
                               const char *what);
