// SPDX-License-Identifier: BSD-3-Clause
// gzip, by zlib.
#include "lib/io/codec.h"

#include "host/alloc.h"

#include <stdint.h>

#include <zlib.h>

struct gzip {
    z_stream z;
    bool between; // a member has ended, another may follow
};

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return lcl_malloc(count, size);
}

static void zlib_free(void *opaque, void *array)
{
    (void)opaque;
    lcl_free(array);
}

// A gzip header, not a zlib one.
enum { GZIP_WINDOW = 16 + MAX_WBITS, RAW_WINDOW = -MAX_WBITS };

static struct gzip *allocate(void)
{
    struct gzip *g = lcl_calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->z.zalloc = zlib_alloc;
    g->z.zfree = zlib_free;
    return g;
}

static void *finish_create(struct gzip *g, int code)
{
    if (code == Z_OK)
        return g;
    lcl_free(g);
    return NULL;
}

static void *gunzip_create(void)
{
    struct gzip *g = allocate();
    return g ? finish_create(g, inflateInit2(&g->z, GZIP_WINDOW)) : NULL;
}

static void *inflate_create(void)
{
    struct gzip *g = allocate();
    return g ? finish_create(g, inflateInit2(&g->z, RAW_WINDOW)) : NULL;
}

// inflate() or deflate(), with as much as zlib can count.
static int run_zlib(z_stream *z, struct lcl_codec_io *io,
                    int (*run)(z_stream *, int), int flush)
{
    const size_t most = UINT32_MAX;
    const uInt in = (uInt)(io->in_size < most ? io->in_size : most);
    const uInt out = (uInt)(io->out_size < most ? io->out_size : most);
    z->next_in = (z_const Bytef *)io->in;
    z->avail_in = in;
    z->next_out = io->out;
    z->avail_out = out;
    const int code = run(z, flush);
    io->in += in - z->avail_in;
    io->in_size -= in - z->avail_in;
    io->out += out - z->avail_out;
    io->out_size -= out - z->avail_out;
    return code;
}

static enum lcl_codec_result gunzip_step(void *state, struct lcl_codec_io *io)
{
    struct gzip *g = state;
    if (g->between && io->in_size == 0)
        return io->last ? LCL_CODEC_END : LCL_CODEC_MORE;
    if (g->between)
        inflateReset(&g->z);
    const int code = run_zlib(&g->z, io, inflate, Z_NO_FLUSH);
    g->between = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_STREAM_END)
        return LCL_CODEC_MORE;
    if (code == Z_BUF_ERROR)
        return io->last ? LCL_CODEC_TRUNCATED : LCL_CODEC_MORE;
    return code == Z_MEM_ERROR ? LCL_CODEC_NO_MEMORY : LCL_CODEC_CORRUPT;
}

static void gunzip_destroy(void *state)
{
    struct gzip *g = state;
    inflateEnd(&g->z);
    lcl_free(g);
}

static void *deflate_create(void)
{
    struct gzip *g = allocate();
    return g ? finish_create(g, deflateInit2(&g->z, Z_DEFAULT_COMPRESSION,
                                             Z_DEFLATED, GZIP_WINDOW, 8,
                                             Z_DEFAULT_STRATEGY))
             : NULL;
}

static enum lcl_codec_result deflate_step(void *state, struct lcl_codec_io *io)
{
    struct gzip *g = state;
    const int flush =
        io->last && io->in_size <= UINT32_MAX ? Z_FINISH : Z_NO_FLUSH;
    const int code = run_zlib(&g->z, io, deflate, flush);
    return code == Z_STREAM_END ? LCL_CODEC_END : LCL_CODEC_MORE;
}

static void deflate_destroy(void *state)
{
    struct gzip *g = state;
    deflateEnd(&g->z);
    lcl_free(g);
}

const struct lcl_codec lcl_codec_gzip = {
    .name = "gzip",
    .magic = "\x1f\x8b",
    .magic_size = 2,
    .create = gunzip_create,
    .step = gunzip_step,
    .destroy = gunzip_destroy,
};

const struct lcl_codec lcl_codec_deflate = {
    .name = "deflate",
    .create = inflate_create,
    .step = gunzip_step,
    .destroy = gunzip_destroy,
};

const struct lcl_codec lcl_encoder_gzip = {
    .name = "gzip",
    .magic = ".gz",
    .magic_size = 3,
    .create = deflate_create,
    .step = deflate_step,
    .destroy = deflate_destroy,
};
