// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression: one table of functions per file format.
#include "lib/io/codec.h"

#include "host/alloc.h"

#include <stdint.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>

// ---- plain

static void *plain_create(void)
{
    return lcl_malloc(1, 1);
}

static enum lcl_codec_result plain_step(void *state, struct lcl_codec_io *io)
{
    (void)state;
    const size_t n = io->in_size < io->out_size ? io->in_size : io->out_size;
    if (n == 0)
        return io->last ? LCL_CODEC_END : LCL_CODEC_MORE;
    memcpy(io->out, io->in, n);
    io->in += n;
    io->in_size -= n;
    io->out += n;
    io->out_size -= n;
    return LCL_CODEC_MORE;
}

// ---- gzip

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

// 16: a gzip header, not a zlib one
static int gzip_init(z_stream *z, bool deflates)
{
    return deflates ? deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                   16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY)
                    : inflateInit2(z, 16 + MAX_WBITS);
}

static void *gzip_create(bool deflates)
{
    struct gzip *g = lcl_calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->z.zalloc = zlib_alloc;
    g->z.zfree = zlib_free;
    if (gzip_init(&g->z, deflates) == Z_OK)
        return g;
    lcl_free(g);
    return NULL;
}

static void *gunzip_create(void)
{
    return gzip_create(false);
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
    return gzip_create(true);
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

// ---- xz

struct xz {
    lzma_stream lzma;
    lzma_allocator allocator;
};

static void *lzma_alloc_array(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return lcl_malloc(count, size);
}

static void lzma_free_array(void *opaque, void *array)
{
    (void)opaque;
    lcl_free(array);
}

// A preset that needs little memory.
enum { XZ_PRESET = 3 };

static lzma_ret xz_init(lzma_stream *lzma, bool encodes)
{
    const uint64_t limit = (uint64_t)LCL_CODEC_MEMORY_MB << 20;
    return encodes ? lzma_easy_encoder(lzma, XZ_PRESET, LZMA_CHECK_CRC64)
                   : lzma_stream_decoder(lzma, limit, LZMA_CONCATENATED);
}

static void *xz_create(bool encodes)
{
    struct xz *x = lcl_malloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->allocator = (lzma_allocator){lzma_alloc_array, lzma_free_array, NULL};
    x->lzma = (lzma_stream)LZMA_STREAM_INIT;
    x->lzma.allocator = &x->allocator;
    if (xz_init(&x->lzma, encodes) == LZMA_OK)
        return x;
    lzma_end(&x->lzma);
    lcl_free(x);
    return NULL;
}

static void *unxz_create(void)
{
    return xz_create(false);
}

static void *enxz_create(void)
{
    return xz_create(true);
}

static enum lcl_codec_result xz_result(lzma_ret code)
{
    if (code == LZMA_OK)
        return LCL_CODEC_MORE;
    if (code == LZMA_STREAM_END)
        return LCL_CODEC_END;
    if (code == LZMA_BUF_ERROR)
        return LCL_CODEC_TRUNCATED;
    if (code == LZMA_MEM_ERROR)
        return LCL_CODEC_NO_MEMORY;
    return code == LZMA_MEMLIMIT_ERROR ? LCL_CODEC_TOO_BIG : LCL_CODEC_CORRUPT;
}

static enum lcl_codec_result xz_step(void *state, struct lcl_codec_io *io)
{
    struct xz *x = state;
    if (io->in_size == 0 && !io->last)
        return LCL_CODEC_MORE;
    x->lzma.next_in = io->in;
    x->lzma.avail_in = io->in_size;
    x->lzma.next_out = io->out;
    x->lzma.avail_out = io->out_size;
    const lzma_ret code =
        lzma_code(&x->lzma, io->last ? LZMA_FINISH : LZMA_RUN);
    io->in = x->lzma.next_in;
    io->in_size = x->lzma.avail_in;
    io->out = x->lzma.next_out;
    io->out_size = x->lzma.avail_out;
    return xz_result(code);
}

static void xz_destroy(void *state)
{
    struct xz *x = state;
    lzma_end(&x->lzma);
    lcl_free(x);
}

// ---- the table

// clang-format off
static const struct lcl_codec codecs[] = {
    {"gzip", "\x1f\x8b", 2, gunzip_create, gunzip_step, gunzip_destroy, NULL},
    {"xz", "\xfd" "7zXZ\0", 6, unxz_create, xz_step, xz_destroy, NULL},
    {"zstd", "\x28\xb5\x2f\xfd", 4, NULL, NULL, NULL, "zstdcat unpacks it"},
    {"bzip2", "BZh", 3, NULL, NULL, NULL, "bzcat unpacks it"},
    {"zip", "PK\x03\x04", 4, NULL, NULL, NULL, "unzip unpacks it; if it is a .npz file, scipy.io.mmwrite() writes its matrix"},
    {"plain", "", 0, plain_create, plain_step, lcl_free, NULL},
};

static const struct lcl_codec encoders[] = {
    {"gzip", ".gz", 3, deflate_create, deflate_step, deflate_destroy, NULL},
    {"xz", ".xz", 3, enxz_create, xz_step, xz_destroy, NULL},
};
// clang-format on

const struct lcl_codec *lcl_codec_find(const void *bytes, size_t size)
{
    const struct lcl_codec *c = codecs;
    while (c->magic_size > size || memcmp(bytes, c->magic, c->magic_size) != 0)
        ++c;
    return c;
}

const struct lcl_codec *lcl_encoder_find(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; ++i) {
        const struct lcl_codec *c = &encoders[i];
        if (length > c->magic_size &&
            strcmp(path + length - c->magic_size, c->magic) == 0)
            return c;
    }
    return NULL;
}
