// SPDX-License-Identifier: BSD-3-Clause
// Reads lines of a text file that may be compressed.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lcl_stream lcl_stream;

// Maximum length of a line.
#define LCL_LINE_MAX ((size_t)1 << 20)

// Opens a regular file, a FIFO or a character device, or the standard input for
// the path "-"; recognises the compression by the first bytes.
// `path` and `log` must outlive the stream. Returns LCL_OK, LCL_EIO,
// LCL_EUNSUPPORTED (another compression), LCL_ENOMEM.
enum lcl_status lcl_stream_open(lcl_stream **out, const char *path,
                                const struct lcl_log *log);

// The same for bytes in memory; messages use `name` as the path.
enum lcl_status lcl_stream_open_memory(lcl_stream **out, const char *name,
                                       const void *bytes, size_t size,
                                       const struct lcl_log *log);

void lcl_stream_close(lcl_stream **stream);

// Reads the next line: [*begin, *end) without "\n" or "\r\n", followed by a
// NUL, writable, valid until the next call. *begin is NULL at the end. Returns
// LCL_OK, LCL_EIO (read error, damaged or truncated compressed data),
// LCL_EFORMAT (line too long, or contains a NUL byte), LCL_EUNSUPPORTED (needs
// too much memory) or LCL_ENOMEM.
enum lcl_status lcl_stream_line(lcl_stream *stream, char **begin, char **end);

// Adds lines that lcl_stream_copy() has returned to the line number.
void lcl_stream_advance(lcl_stream *stream, int64_t lines);

// Counts the line [begin, end), which lcl_stream_copy() has returned, and
// refuses it as lcl_stream_line() does. It ends with "\n" unless it is too long
// or the last one.
enum lcl_status lcl_stream_check_line(lcl_stream *stream, const char *begin,
                                      const char *end);

// Copies the next `size` bytes, fewer only at the end of the data and after a
// failure. Returns false after a failure without logging it, so that a thread
// may read ahead: lcl_stream_report() logs it and returns its status.
bool lcl_stream_copy(lcl_stream *stream, void *to, size_t size, size_t *taken);
enum lcl_status lcl_stream_report(const lcl_stream *stream);

// The same without copying; seeks if it can.
bool lcl_stream_skip(lcl_stream *stream, int64_t size, int64_t *skipped);

// Copies or skips `size` bytes. If there are fewer, refuses them with `status`
// and the text `what`.
enum lcl_status lcl_stream_copy_all(lcl_stream *stream, void *to, size_t size,
                                    enum lcl_status status, const char *what);
enum lcl_status lcl_stream_skip_all(lcl_stream *stream, int64_t size,
                                    enum lcl_status status, const char *what);

// Of a plain regular file: *at is the place of the next byte, *end its size.
// Returns false for other streams.
bool lcl_stream_place(const lcl_stream *stream, int64_t *at, int64_t *end);

// Goes on with the bytes from .. to - 1 of such a file, after `line` lines.
// Returns LCL_OK or LCL_EIO.
enum lcl_status lcl_stream_slice(lcl_stream *stream, int64_t from, int64_t to,
                                 int64_t line);

// The next bytes of a stream, without taking them:
// LCL_PEEK at least if there are so many. Returns as lcl_stream_line().
enum { LCL_PEEK = 512 };
enum lcl_status lcl_stream_peek(lcl_stream *stream, const char **bytes,
                                size_t *size);

// The text ends after the next `size` bytes, from which lines count.
void lcl_stream_limit(lcl_stream *stream, int64_t size);

// Number of bytes of uncompressed text read so far.
int64_t lcl_stream_bytes(const lcl_stream *stream);

const struct lcl_log *lcl_stream_log(const lcl_stream *stream);

// The path, or what stands for it in messages.
const char *lcl_stream_name(const lcl_stream *stream);

// Logs "NAME:LINE: ..." with the line read last and returns `status`. If the
// stream is NULL, only returns it.
enum lcl_status lcl_stream_fail(const lcl_stream *stream,
                                enum lcl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// As lcl_stream_fail() without a line, for files that are not text.
enum lcl_status lcl_stream_refuse(const lcl_stream *stream,
                                  enum lcl_status status, const char *format,
                                  ...) __attribute__((format(printf, 3, 4)));

// Logs "PATH: cannot WHAT: reason" with the reason from errno; returns LCL_EIO.
enum lcl_status lcl_fail_errno(const struct lcl_log *log, const char *path,
                               const char *what);
