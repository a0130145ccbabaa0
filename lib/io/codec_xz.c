// SPDX-License-Identifier: BSD-3-Clause
// xz, by liblzma.
#include "lib/io/codec.h"

#include "host/alloc.h"

#include <stdint.h>

#include <lzma.h>

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

const struct lcl_codec lcl_codec_xz = {
    .name = "xz",
    .magic = "\xfd"
             "7zXZ\0",
    .magic_size = 6,
    .create = unxz_create,
    .step = xz_step,
    .destroy = xz_destroy,
};

const struct lcl_codec lcl_encoder_xz = {
    .name = "xz",
    .magic = ".xz",
    .magic_size = 3,
    .create = enxz_create,
    .step = xz_step,
    .destroy = xz_destroy,
};
