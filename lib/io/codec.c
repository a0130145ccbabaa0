// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression: one table of functions per file format.
#include "lib/io/codec.h"

#include "host/alloc.h"
#include "lib/io/suffix.h"

#include <string.h>

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

const struct lcl_codec lcl_codec_plain = {
    "plain", "", 0, plain_create, plain_step, lcl_free, NULL};

static const struct lcl_codec *const codecs[] = {
    &lcl_codec_gzip, &lcl_codec_xz, &lcl_codec_zstd, &lcl_codec_bzip2,
    &lcl_codec_plain};

static const struct lcl_codec *const encoders[] = {&lcl_encoder_gzip,
                                                   &lcl_encoder_xz};

const struct lcl_codec *lcl_codec_find(const void *bytes, size_t size)
{
    const struct lcl_codec *const *c = codecs;
    while ((*c)->magic_size > size ||
           memcmp(bytes, (*c)->magic, (*c)->magic_size) != 0)
        ++c;
    return *c;
}

const struct lcl_codec *lcl_encoder_find(const char *path)
{
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; ++i)
        if (lcl_ends_with(path, encoders[i]->magic) &&
            strlen(path) > encoders[i]->magic_size)
            return encoders[i];
    return NULL;
}
