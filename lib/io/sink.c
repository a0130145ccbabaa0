// SPDX-License-Identifier: BSD-3-Clause
// The file that a writer fills, compressed if its name says so.
#include "lib/io/sink.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/codec.h"
#include "lib/io/stream.h"

#include <errno.h>
#include <string.h>

enum { OUT_BYTES = 1 << 16 };

struct lcl_sink {
    const char *name;
    const struct lcl_log *log;
    FILE *file;
    const struct lcl_codec *encoder; // NULL: plain
    void *state;
    unsigned char *out; // OUT_BYTES, for the encoder
    bool failed;
    int error; // errno; 0: memory ran out
};

bool lcl_path_has(const char *path, const char *suffix)
{
    const struct lcl_codec *encoder = lcl_encoder_find(path);
    const size_t tail = encoder ? encoder->magic_size : 0;
    const size_t length = strlen(path), size = strlen(suffix);
    return length >= tail + size &&
           memcmp(path + length - tail - size, suffix, size) == 0;
}

const char *lcl_sink_name(const lcl_sink *sink)
{
    return sink->name;
}

const struct lcl_log *lcl_sink_log(const lcl_sink *sink)
{
    return sink->log;
}

static enum lcl_status create_encoder(lcl_sink *s)
{
    if (!s->encoder)
        return LCL_OK;
    s->out = lcl_malloc(OUT_BYTES, 1);
    s->state = s->encoder->create();
    return s->out && s->state ? LCL_OK
                              : lcl_fail_memory(s->log, "the compression");
}

static void destroy(lcl_sink **sink)
{
    lcl_sink *s = *sink;
    if (s->state)
        s->encoder->destroy(s->state);
    lcl_free(s->out);
    lcl_free(s);
    *sink = NULL;
}

enum lcl_status lcl_sink_open(lcl_sink **out, FILE *file, const char *path,
                              const struct lcl_log *log)
{
    *out = lcl_calloc(1, sizeof **out);
    if (!*out)
        return lcl_fail_memory(log, "a file");
    **out = (struct lcl_sink){.name = path,
                              .log = log,
                              .file = file,
                              .encoder = lcl_encoder_find(path)};
    const enum lcl_status st = create_encoder(*out);
    if (st < 0)
        destroy(out);
    return st;
}

static bool write_plain(lcl_sink *s, const void *bytes, size_t size)
{
    s->failed = fwrite(bytes, 1, size, s->file) != size;
    s->error = s->failed ? errno : 0;
    return !s->failed;
}

// Encodes until all input is used or, for the last one, the data are complete.
static bool encode(lcl_sink *s, const void *bytes, size_t size, bool last)
{
    struct lcl_codec_io io = {.in = bytes, .in_size = size, .last = last};
    enum lcl_codec_result result = LCL_CODEC_MORE;
    while (result == LCL_CODEC_MORE && (io.in_size > 0 || last)) {
        io.out = s->out;
        io.out_size = OUT_BYTES;
        result = s->encoder->step(s->state, &io);
        if (!write_plain(s, s->out, OUT_BYTES - io.out_size))
            return false;
    }
    s->failed = result != LCL_CODEC_MORE && result != LCL_CODEC_END;
    return !s->failed;
}

bool lcl_sink_write(lcl_sink *s, const void *bytes, size_t size)
{
    if (s->failed)
        return false;
    return s->encoder ? encode(s, bytes, size, false)
                      : write_plain(s, bytes, size);
}

static enum lcl_status report(const lcl_sink *s)
{
    if (!s->error)
        return lcl_fail_memory(s->log, "the compression");
    errno = s->error;
    return lcl_fail_errno(s->log, s->name, "write");
}

enum lcl_status lcl_sink_close(lcl_sink **sink, enum lcl_status status)
{
    lcl_sink *s = *sink;
    if (!s)
        return status;
    if (status == LCL_OK && !s->failed && s->encoder)
        encode(s, "", 0, true);
    if (status == LCL_OK && !s->failed && fflush(s->file) != 0) {
        s->failed = true;
        s->error = errno;
    }
    if (status == LCL_OK && s->failed)
        status = report(s);
    destroy(sink);
    return status;
}
