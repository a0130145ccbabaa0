// SPDX-License-Identifier: BSD-3-Clause
// Reads lines of a text file that may be compressed.
#include "lib/io/stream.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RAW_SIZE = 1 << 18, MESSAGE = 512 };

struct lcl_stream {
    const char *name;
    const struct lcl_log *log;
    int fd; // -1: `raw` holds all bytes from the start
    const struct lcl_codec *codec;
    void *codec_state;
    unsigned char *raw_buffer; // RAW_SIZE, for fd
    const unsigned char *raw;  // bytes not yet decoded
    size_t raw_size;
    bool raw_last; // no bytes follow `raw`
    char *text;    // LCL_LINE_MAX + 1, for the NUL of the last line
    size_t begin;  // text[begin .. end): decoded, not yet returned
    size_t end;
    bool text_last; // no text follows text[end]
    int64_t line;
    int64_t bytes;
    int64_t rest; // bytes to read from fd; < 0: all
    int64_t left; // bytes of text to decode; < 0: all
    // the failure that lcl_stream_report() logs
    int read_error; // errno
    enum lcl_codec_result result;
};

enum lcl_status lcl_fail_errno(const struct lcl_log *log, const char *path,
                               const char *what)
{
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", errno);
    return lcl_fail(log, LCL_EIO, "%s: cannot %s: %s", path, what, reason);
}

enum lcl_status lcl_stream_fail(const lcl_stream *stream,
                                enum lcl_status status, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    if (!stream)
        return status;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return lcl_fail(stream->log, status, "%s:%" PRId64 ": %s", stream->name,
                    stream->line, message);
}

enum lcl_status lcl_stream_refuse(const lcl_stream *s, enum lcl_status status,
                                  const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return lcl_fail(s->log, status, "%s: %s", s->name, message);
}

int64_t lcl_stream_bytes(const lcl_stream *stream)
{
    return stream->bytes;
}

const struct lcl_log *lcl_stream_log(const lcl_stream *stream)
{
    return stream->log;
}

const char *lcl_stream_name(const lcl_stream *stream)
{
    return stream->name;
}

void lcl_stream_advance(lcl_stream *stream, int64_t lines)
{
    stream->line += lines;
}

static bool read_bytes(lcl_stream *s, void *to, size_t size, size_t *made)
{
    ssize_t n;
    if (s->rest >= 0 && (uint64_t)s->rest < size)
        size = (size_t)s->rest;
    do
        n = read(s->fd, to, size);
    while (n < 0 && errno == EINTR);
    if (s->rest >= 0 && n > 0)
        s->rest -= n;
    s->read_error = n < 0 ? errno : 0;
    s->raw_last = n == 0;
    *made = n < 0 ? 0 : (size_t)n;
    return n >= 0;
}

// Appends the result of one read() to `raw`, which then starts the buffer.
static bool read_raw(lcl_stream *s)
{
    size_t made;
    if (s->raw_size > 0)
        memmove(s->raw_buffer, s->raw, s->raw_size);
    s->raw = s->raw_buffer;
    const bool is_read = read_bytes(s, s->raw_buffer + s->raw_size,
                                    RAW_SIZE - s->raw_size, &made);
    s->raw_size += made;
    return is_read;
}

static enum lcl_status fail_read(const lcl_stream *s)
{
    errno = s->read_error;
    return lcl_fail_errno(s->log, s->name, "read");
}

enum lcl_status lcl_stream_report(const lcl_stream *s)
{
    if (s->read_error)
        return fail_read(s);
    const char *codec = s->codec->name;
    switch (s->result) {
    case LCL_CODEC_TRUNCATED:
        return lcl_fail(s->log, LCL_EIO, "%s: the %s data are truncated",
                        s->name, codec);
    case LCL_CODEC_NO_MEMORY:
        return lcl_fail_memory(s->log, "decompression");
    case LCL_CODEC_TOO_BIG:
        return lcl_fail(s->log, LCL_EUNSUPPORTED,
                        "%s: the %s data need more than %d MiB of memory",
                        s->name, codec, LCL_CODEC_MEMORY_MB);
    case LCL_CODEC_MORE:
    case LCL_CODEC_END:
    case LCL_CODEC_CORRUPT:
        break;
    }
    return lcl_fail(s->log, LCL_EIO, "%s: the %s data are damaged", s->name,
                    codec);
}

// Plain bytes need no buffer in between.
static bool read_plain(lcl_stream *s, char *to, size_t size, size_t *made)
{
    const bool is_read = read_bytes(s, to, size, made);
    s->text_last = s->raw_last;
    s->bytes += (int64_t)*made;
    return is_read;
}

static bool decode_all(lcl_stream *s, char *to, size_t size, size_t *made)
{
    *made = 0;
    const bool wants_bytes = s->raw_size == 0 && !s->raw_last;
    if (wants_bytes && s->codec->magic_size == 0)
        return read_plain(s, to, size, made);
    if (wants_bytes && !read_raw(s))
        return false;
    struct lcl_codec_io io = {s->raw, s->raw_size, (unsigned char *)to, size,
                              s->raw_last};
    s->result = s->codec->step(s->codec_state, &io);
    s->raw = io.in;
    s->raw_size = io.in_size;
    s->text_last = s->result == LCL_CODEC_END;
    if (s->result != LCL_CODEC_MORE && s->result != LCL_CODEC_END)
        return false;
    *made = size - io.out_size;
    s->bytes += (int64_t)*made;
    return true;
}

// One step of the codec into to[0 .. size), within the limit; reads bytes first
// if it has none. Sets the number of bytes made, 0 after a failure.
static bool decode(lcl_stream *s, char *to, size_t size, size_t *made)
{
    *made = 0;
    if (s->left == 0)
        s->text_last = true;
    if (s->left == 0)
        return true;
    if (s->left > 0 && (uint64_t)s->left < size)
        size = (size_t)s->left;
    const bool decoded = decode_all(s, to, size, made);
    if (s->left > 0)
        s->left -= (int64_t)*made;
    return decoded;
}

void lcl_stream_limit(lcl_stream *s, int64_t size)
{
    const int64_t decoded = (int64_t)(s->end - s->begin);
    s->left = size > decoded ? size - decoded : 0;
    if (size <= decoded)
        s->end = s->begin + (size_t)size;
    s->line = 0;
}

static enum lcl_status fail_length(const lcl_stream *s)
{
    return lcl_stream_fail(
        s, LCL_EFORMAT, "expected a line of less than %zu bytes", LCL_LINE_MAX);
}

static enum lcl_status check_text(const lcl_stream *s, const char *begin,
                                  const char *end)
{
    const char *nul = memchr(begin, '\0', (size_t)(end - begin));
    if (!nul)
        return LCL_OK;
    return lcl_stream_fail(s, LCL_EFORMAT,
                           "expected text, found a NUL byte in column %td",
                           nul - begin + 1);
}

enum lcl_status lcl_stream_check_line(lcl_stream *s, const char *begin,
                                      const char *end)
{
    const size_t size = (size_t)(end - begin);
    ++s->line;
    if (size > LCL_LINE_MAX || (size == LCL_LINE_MAX && end[-1] != '\n'))
        return fail_length(s);
    return check_text(s, begin, end);
}

// Makes room after the unfinished line and decodes more text into it.
static enum lcl_status fill(lcl_stream *s)
{
    const size_t kept = s->end - s->begin;
    if (kept == LCL_LINE_MAX) {
        ++s->line;
        return fail_length(s);
    }
    memmove(s->text, s->text + s->begin, kept);
    s->begin = 0;
    s->end = kept;
    for (size_t made = 0; s->end == kept && !s->text_last; s->end += made)
        if (!decode(s, s->text + kept, LCL_LINE_MAX - kept, &made))
            return lcl_stream_report(s);
    return LCL_OK;
}

enum lcl_status lcl_stream_line(lcl_stream *s, char **begin, char **end)
{
    *begin = *end = NULL;
    char *newline;
    while (!(newline = memchr(s->text + s->begin, '\n', s->end - s->begin)) &&
           !s->text_last) {
        const enum lcl_status st = fill(s);
        if (st < 0)
            return st;
    }
    ++s->line;
    if (s->begin == s->end)
        return LCL_OK;
    char *first = s->text + s->begin;
    char *last = newline ? newline : s->text + s->end;
    s->begin = (size_t)(last - s->text) + (newline != NULL);
    if (last > first && last[-1] == '\r')
        --last;
    const enum lcl_status st = check_text(s, first, last);
    if (st < 0)
        return st;
    *last = '\0';
    *begin = first;
    *end = last;
    return LCL_OK;
}

static size_t copy_decoded(lcl_stream *s, char *to, size_t size)
{
    const size_t decoded = s->end - s->begin;
    const size_t n = decoded < size ? decoded : size;
    memcpy(to, s->text + s->begin, n);
    s->begin += n;
    return n;
}

bool lcl_stream_copy(lcl_stream *s, void *to, size_t size, size_t *taken)
{
    char *p = to;
    size_t made;
    for (*taken = copy_decoded(s, p, size); *taken < size && !s->text_last;
         *taken += made) {
        const size_t rest = size - *taken;
        if (!decode(s, p + *taken, rest < LCL_LINE_MAX ? rest : LCL_LINE_MAX,
                    &made))
            return false;
    }
    return true;
}

// In a plain file whose bytes are not buffered; not past its end. Returns false
// if it is none.
static bool seek(lcl_stream *s, int64_t size, int64_t *skipped)
{
    struct stat info;
    if (s->fd < 0 || s->codec->magic_size > 0 || s->raw_size > 0 ||
        fstat(s->fd, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    const int64_t at = lseek(s->fd, 0, SEEK_CUR);
    const int64_t rest = info.st_size > at ? info.st_size - at : 0;
    *skipped = size < rest ? size : rest;
    if (at < 0 || lseek(s->fd, *skipped, SEEK_CUR) < 0)
        return false;
    s->bytes += *skipped;
    return true;
}

bool lcl_stream_place(const lcl_stream *s, int64_t *at, int64_t *end)
{
    struct stat info;
    if (s->fd < 0 || s->codec->magic_size > 0 || fstat(s->fd, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return false;
    *at = lseek(s->fd, 0, SEEK_CUR) - (int64_t)s->raw_size -
          (int64_t)(s->end - s->begin);
    *end = info.st_size;
    return *at >= 0;
}

enum lcl_status lcl_stream_slice(lcl_stream *s, int64_t from, int64_t to,
                                 int64_t line)
{
    if (lseek(s->fd, from, SEEK_SET) < 0)
        return lcl_fail_errno(s->log, s->name, "read");
    s->rest = to - from;
    s->raw_size = s->begin = s->end = 0;
    s->raw_last = s->text_last = false;
    s->line = line;
    return LCL_OK;
}

bool lcl_stream_skip(lcl_stream *s, int64_t size, int64_t *skipped)
{
    for (*skipped = 0; *skipped < size;) {
        const int64_t rest = size - *skipped;
        const int64_t decoded = (int64_t)(s->end - s->begin);
        const int64_t n = decoded < rest ? decoded : rest;
        int64_t sought;
        s->begin += (size_t)n;
        *skipped += n;
        if (n == rest || s->text_last)
            break;
        if (seek(s, rest - n, &sought)) {
            *skipped += sought;
            break;
        }
        size_t made;
        s->begin = s->end = 0;
        if (!decode(s, s->text, LCL_LINE_MAX, &made))
            return false;
        s->end = made;
    }
    return true;
}

enum lcl_status lcl_stream_copy_all(lcl_stream *s, void *to, size_t size,
                                    enum lcl_status status, const char *what)
{
    size_t taken;
    if (!lcl_stream_copy(s, to, size, &taken))
        return lcl_stream_report(s);
    return taken == size ? LCL_OK : lcl_stream_refuse(s, status, "%s", what);
}

enum lcl_status lcl_stream_skip_all(lcl_stream *s, int64_t size,
                                    enum lcl_status status, const char *what)
{
    int64_t skipped;
    if (!lcl_stream_skip(s, size, &skipped))
        return lcl_stream_report(s);
    return skipped == size ? LCL_OK : lcl_stream_refuse(s, status, "%s", what);
}

enum lcl_status lcl_stream_peek(lcl_stream *s, const char **bytes, size_t *size)
{
    memmove(s->text, s->text + s->begin, s->end - s->begin);
    s->end -= s->begin;
    s->begin = 0;
    for (size_t made; s->end - s->begin < LCL_PEEK && !s->text_last;
         s->end += made)
        if (!decode(s, s->text + s->end, LCL_LINE_MAX - s->end, &made))
            return lcl_stream_report(s);
    *bytes = s->text + s->begin;
    *size = s->end - s->begin;
    return LCL_OK;
}

// A FIFO may deliver the magic bytes one at a time.
static enum lcl_status choose_codec(lcl_stream *s)
{
    while (s->raw_size < LCL_CODEC_MAGIC_MAX && !s->raw_last)
        if (!read_raw(s))
            return fail_read(s);
    const struct lcl_codec *codec = lcl_codec_find(s->raw, s->raw_size);
    if (!codec->create)
        return lcl_fail(s->log, LCL_EUNSUPPORTED,
                        "%s: %s compression is not supported by this build; "
                        "%s",
                        s->name, codec->name, codec->remedy);
    s->codec_state = codec->create();
    if (!s->codec_state)
        return lcl_fail_memory(s->log, "decompression");
    s->codec = codec;
    return LCL_OK;
}

// If the path is NULL, reads the standard input.
static enum lcl_status open_file(lcl_stream *s, const char *path)
{
    s->fd = path ? open(path, O_RDONLY | O_CLOEXEC)
                 : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    struct stat info;
    if (s->fd < 0 || fstat(s->fd, &info) != 0)
        return lcl_fail_errno(s->log, s->name, "open");
    if (S_ISDIR(info.st_mode))
        return lcl_fail(s->log, LCL_EIO, "%s: is a directory", s->name);
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) &&
        !S_ISCHR(info.st_mode) && !S_ISSOCK(info.st_mode))
        return lcl_fail(s->log, LCL_EIO, "%s: is not a file", s->name);
    s->raw_buffer = lcl_malloc(RAW_SIZE, 1);
    return s->raw_buffer ? LCL_OK : lcl_fail_memory(s->log, "a file buffer");
}

// If `bytes` is NULL, reads from `path`.
static enum lcl_status create(lcl_stream **out, const char *name,
                              const char *path, const void *bytes, size_t size,
                              const struct lcl_log *log)
{
    enum lcl_status st;
    *out = NULL;
    lcl_stream *s = lcl_calloc(1, sizeof *s);
    if (!s)
        return lcl_fail_memory(log, "a file");
    *s = (struct lcl_stream){.name = name,
                             .log = log,
                             .fd = -1,
                             .rest = -1,
                             .left = -1,
                             .raw = bytes,
                             .raw_size = size,
                             .raw_last = bytes != NULL};
    s->text = lcl_malloc(LCL_LINE_MAX + 1, 1);
    if (!s->text) {
        st = lcl_fail_memory(log, "a line");
        goto out;
    }
    if ((!bytes && (st = open_file(s, path)) < 0) || (st = choose_codec(s)) < 0)
        goto out;
    *out = s;
    s = NULL;
out:
    lcl_stream_close(&s);
    return st;
}

enum lcl_status lcl_stream_open(lcl_stream **out, const char *path,
                                const struct lcl_log *log)
{
    if (strcmp(path, "-") == 0)
        return create(out, "standard input", NULL, NULL, 0, log);
    return create(out, path, path, NULL, 0, log);
}

enum lcl_status lcl_stream_open_memory(lcl_stream **out, const char *name,
                                       const void *bytes, size_t size,
                                       const struct lcl_log *log)
{
    return create(out, name, NULL, size ? bytes : "", size, log);
}

void lcl_stream_close(lcl_stream **stream)
{
    lcl_stream *s = *stream;
    if (!s)
        return;
    if (s->codec)
        s->codec->destroy(s->codec_state);
    if (s->fd >= 0)
        close(s->fd);
    lcl_free(s->raw_buffer);
    lcl_free(s->text);
    lcl_free(s);
    *stream = NULL;
}
