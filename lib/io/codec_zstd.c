// SPDX-License-Identifier: BSD-3-Clause
// zstd, by libzstd. Source of the format: RFC 8878.
#include "lib/io/codec.h"

#include "host/alloc.h"

#include <zstd.h>
#include <zstd_errors.h>

struct zstd {
    ZSTD_DStream *stream;
    bool between; // a frame has ended, another may follow
};

// The largest window, as a power of two, that LCL_CODEC_MEMORY_MB allows.
enum { WINDOW_LOG = 28 };

static void unzstd_destroy(void *state)
{
    struct zstd *d = state;
    ZSTD_freeDStream(d->stream);
    lcl_free(d);
}

static void *unzstd_create(void)
{
    struct zstd *d = lcl_calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->stream = ZSTD_createDStream();
    if (d->stream && !ZSTD_isError(ZSTD_DCtx_setParameter(
                         d->stream, ZSTD_d_windowLogMax, WINDOW_LOG)))
        return d;
    unzstd_destroy(d);
    return NULL;
}

static enum lcl_codec_result failure(size_t code)
{
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    if (error == ZSTD_error_memory_allocation)
        return LCL_CODEC_NO_MEMORY;
    return error == ZSTD_error_frameParameter_windowTooLarge
               ? LCL_CODEC_TOO_BIG
               : LCL_CODEC_CORRUPT;
}

static enum lcl_codec_result unzstd_step(void *state, struct lcl_codec_io *io)
{
    struct zstd *d = state;
    ZSTD_inBuffer in = {io->in, io->in_size, 0};
    ZSTD_outBuffer out = {io->out, io->out_size, 0};
    if (d->between && io->in_size == 0)
        return io->last ? LCL_CODEC_END : LCL_CODEC_MORE;
    const size_t code = ZSTD_decompressStream(d->stream, &out, &in);
    io->in += in.pos;
    io->in_size -= in.pos;
    io->out += out.pos;
    io->out_size -= out.pos;
    if (ZSTD_isError(code))
        return failure(code);
    d->between = code == 0;
    return io->last && in.pos == 0 && out.pos == 0 && code > 0
               ? LCL_CODEC_TRUNCATED
               : LCL_CODEC_MORE;
}

const struct lcl_codec lcl_codec_zstd = {
    .name = "zstd",
    .magic = LCL_MAGIC_ZSTD,
    .magic_size = 4,
    .create = unzstd_create,
    .step = unzstd_step,
    .destroy = unzstd_destroy,
};
