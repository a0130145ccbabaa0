// SPDX-License-Identifier: BSD-3-Clause
// bzip2, by libbz2.
#include "lib/io/codec.h"

#include "host/alloc.h"

#include <limits.h>
#include <stdint.h>

#include <bzlib.h>

struct bzip2 {
    bz_stream bz;
    bool between; // a stream has ended, another may follow
};

static void *allocate(void *opaque, int count, int size)
{
    (void)opaque;
    return lcl_malloc((size_t)count, (size_t)size);
}

static void release(void *opaque, void *array)
{
    (void)opaque;
    lcl_free(array);
}

static bool begin(struct bzip2 *d)
{
    d->bz = (bz_stream){.bzalloc = allocate, .bzfree = release};
    return BZ2_bzDecompressInit(&d->bz, 0, 0) == BZ_OK;
}

static void *unbzip2_create(void)
{
    struct bzip2 *d = lcl_calloc(1, sizeof *d);
    if (!d || begin(d))
        return d;
    lcl_free(d);
    return NULL;
}

// Decodes as much as the library can count.
static int run(bz_stream *bz, struct lcl_codec_io *io)
{
    const size_t most = UINT_MAX;
    const unsigned in = (unsigned)(io->in_size < most ? io->in_size : most);
    const unsigned out = (unsigned)(io->out_size < most ? io->out_size : most);
    bz->next_in = (char *)(uintptr_t)io->in;
    bz->avail_in = in;
    bz->next_out = (char *)io->out;
    bz->avail_out = out;
    const int code = BZ2_bzDecompress(bz);
    io->in += in - bz->avail_in;
    io->in_size -= in - bz->avail_in;
    io->out += out - bz->avail_out;
    io->out_size -= out - bz->avail_out;
    return code;
}

static enum lcl_codec_result unbzip2_step(void *state, struct lcl_codec_io *io)
{
    struct bzip2 *d = state;
    const size_t room = io->out_size;
    if (d->between && io->in_size == 0)
        return io->last ? LCL_CODEC_END : LCL_CODEC_MORE;
    if (d->between) {
        BZ2_bzDecompressEnd(&d->bz);
        if (!begin(d))
            return LCL_CODEC_NO_MEMORY;
    }
    const int code = run(&d->bz, io);
    d->between = code == BZ_STREAM_END;
    if (code == BZ_MEM_ERROR)
        return LCL_CODEC_NO_MEMORY;
    if (code != BZ_OK && code != BZ_STREAM_END)
        return LCL_CODEC_CORRUPT;
    return code == BZ_OK && io->last && io->in_size == 0 && io->out_size == room
               ? LCL_CODEC_TRUNCATED
               : LCL_CODEC_MORE;
}

static void unbzip2_destroy(void *state)
{
    struct bzip2 *d = state;
    BZ2_bzDecompressEnd(&d->bz);
    lcl_free(d);
}

const struct lcl_codec lcl_codec_bzip2 = {
    .name = "bzip2",
    .magic = LCL_MAGIC_BZIP2,
    .magic_size = 3,
    .create = unbzip2_create,
    .step = unbzip2_step,
    .destroy = unbzip2_destroy,
};
