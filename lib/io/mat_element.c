// SPDX-License-Identifier: BSD-3-Clause
// Elements of MAT-files. Memory grows with the data read: sizes may lie.
#include "lib/io/mat_element.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/codec.h"
#include "lib/io/grow.h"

#include <string.h>

#include <zlib.h>

enum { TAG = 8, CHUNK = 1 << 16, ZLIB_HEADER = 2, ZLIB_SUM = 4 };

static const char truncated[] = "the MATLAB file is truncated";

static enum lcl_status damaged(const lcl_stream *stream)
{
    return lcl_stream_refuse(stream, LCL_EIO,
                             "the compressed data of the MATLAB file are "
                             "damaged");
}

// ------------------------------------------------------------------- numbers

static uint64_t bits(const unsigned char *p, int bytes, bool big)
{
    uint64_t x = 0;
    for (int k = 0; k < bytes; ++k)
        x = x << 8 | p[big ? k : bytes - 1 - k];
    return x;
}

// Bytes of a number of each type; 0: the type is none of numbers.
static int width_of(int type)
{
    static const int width[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    const int count = (int)(sizeof width / sizeof *width);
    return type >= 0 && type < count ? width[type] : 0;
}

int64_t lcl_mat_count(const struct lcl_mat_element *E)
{
    const int width = width_of(E->type);
    return width ? E->size / width : 0;
}

bool lcl_mat_are_integers(const struct lcl_mat_element *E)
{
    return width_of(E->type) && E->type != LCL_MAT_SINGLE &&
           E->type != LCL_MAT_DOUBLE;
}

static double single_of(uint64_t word)
{
    const uint32_t low = (uint32_t)word;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double double_of(uint64_t word)
{
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

// INT8, INT16, INT32 and INT64 have odd numbers but the last.
static bool is_signed(int type)
{
    return type == LCL_MAT_INT64 || (type <= LCL_MAT_INT32 && type % 2 == 1);
}

double lcl_mat_number(const struct lcl_mat_element *E, int64_t k)
{
    const int width = width_of(E->type);
    const uint64_t word = bits(E->bytes + k * width, width, E->big);
    if (E->type == LCL_MAT_SINGLE)
        return single_of(word);
    if (E->type == LCL_MAT_DOUBLE)
        return double_of(word);
    const uint64_t sign = (uint64_t)1 << (8 * width - 1);
    if (is_signed(E->type) && (word & sign))
        return -(double)((sign - (word & (sign - 1))));
    return (double)word;
}

bool lcl_mat_take(struct lcl_mat_element *E, struct lcl_mat_view *V)
{
    if (V->end - V->at < TAG)
        return false;
    const uint32_t word = (uint32_t)bits(V->at, 4, V->big);
    const bool small = word >> 16;
    E->big = V->big;
    E->type = (int)(small ? word & 0xffff : word & INT32_MAX);
    E->size = small ? word >> 16 : (int64_t)bits(V->at + 4, 4, V->big);
    E->bytes = V->at + (small ? 4 : TAG);
    const int64_t left = V->end - E->bytes;
    if (E->size > (small ? 4 : left))
        return false;
    const int64_t padded = small ? 4 : (E->size + 7) & ~(int64_t)7;
    V->at = E->bytes + (padded < left ? padded : left);
    return true;
}

// ------------------------------------------------------------------- bytes

// Bytes that grow as they come.
struct growing {
    unsigned char *bytes;
    int64_t size, room;
};

static enum lcl_status make_room(struct growing *G, int64_t more, int64_t most,
                                 const struct lcl_log *log)
{
    void *grown = G->bytes;
    const enum lcl_status st =
        lcl_io_grow(&grown, &G->room, G->size + more, most, 1, log);
    if (st == LCL_OK)
        G->bytes = grown;
    return st;
}

static enum lcl_status read_bytes(struct growing *G, int64_t size,
                                  lcl_stream *stream)
{
    enum lcl_status st = LCL_OK;
    const int64_t end = G->size + size;
    while (st == LCL_OK && G->size < end) {
        const int64_t left = end - G->size;
        const int64_t part = left < CHUNK ? left : CHUNK;
        st = make_room(G, part, end, lcl_stream_log(stream));
        if (st == LCL_OK)
            st = lcl_stream_copy_all(stream, G->bytes + G->size, (size_t)part,
                                     LCL_EIO, truncated);
        G->size += part;
    }
    return st;
}

// ------------------------------------------------------------------- unpacking

static bool is_zlib(const struct growing *in)
{
    return in->size > ZLIB_HEADER + ZLIB_SUM && (in->bytes[0] & 0x0f) == 8 &&
           (in->bytes[0] << 8 | in->bytes[1]) % 31 == 0 &&
           !(in->bytes[1] & 0x20);
}

// The size of the element that is being unpacked, once its tag is there.
static int64_t most_of(const struct growing *out, bool big)
{
    return out->size < TAG ? TAG
                           : TAG + ((int64_t)bits(out->bytes + 4, 4, big) + 7);
}

static enum lcl_status inflate_all(struct growing *out, struct lcl_codec_io *io,
                                   void *state, bool big, lcl_stream *stream)
{
    enum lcl_codec_result result = LCL_CODEC_MORE;
    while (result == LCL_CODEC_MORE) {
        const int64_t most = most_of(out, big);
        const int64_t more = out->size < most ? 1 : 2; // data that are too long
        const enum lcl_status st =
            make_room(out, more, most + 1, lcl_stream_log(stream));
        if (st < 0)
            return st;
        io->out = out->bytes + out->size;
        io->out_size = (size_t)(out->room - out->size);
        const size_t room = io->out_size;
        result = lcl_codec_deflate.step(state, io);
        out->size += (int64_t)(room - io->out_size);
        if (out->size >= TAG && out->size > most_of(out, big))
            return damaged(stream);
    }
    if (result == LCL_CODEC_NO_MEMORY)
        return lcl_fail_memory(lcl_stream_log(stream), "decompression");
    return result == LCL_CODEC_END ? LCL_OK : damaged(stream);
}

static enum lcl_status unpack(struct growing *out, const struct growing *in,
                              bool big, lcl_stream *stream)
{
    if (!is_zlib(in))
        return damaged(stream);
    void *state = lcl_codec_deflate.create();
    if (!state)
        return lcl_fail_memory(lcl_stream_log(stream), "decompression");
    struct lcl_codec_io io = {.in = in->bytes + ZLIB_HEADER,
                              .in_size =
                                  (size_t)(in->size - ZLIB_HEADER - ZLIB_SUM),
                              .last = true};
    const enum lcl_status st = inflate_all(out, &io, state, big, stream);
    lcl_codec_deflate.destroy(state);
    if (st < 0)
        return st;
    const uint32_t sum =
        (uint32_t)bits(in->bytes + in->size - ZLIB_SUM, ZLIB_SUM, true);
    return adler32_z(1, out->bytes, (size_t)out->size) == sum ? LCL_OK
                                                              : damaged(stream);
}

// An element as it is, with its tag.
static enum lcl_status read_plain(struct growing *G, const unsigned char *tag,
                                  int64_t size, lcl_stream *stream)
{
    const enum lcl_status st =
        make_room(G, TAG, TAG + size, lcl_stream_log(stream));
    if (st < 0)
        return st;
    memcpy(G->bytes, tag, TAG);
    G->size = TAG;
    return read_bytes(G, (size + 7) & ~(int64_t)7, stream);
}

static enum lcl_status read_packed(struct growing *G, bool big, int64_t size,
                                   lcl_stream *stream)
{
    struct growing in = {.size = 0};
    enum lcl_status st = read_bytes(&in, size, stream);
    if (st == LCL_OK)
        st = unpack(G, &in, big, stream);
    lcl_free(in.bytes);
    return st;
}

enum lcl_status lcl_mat_next(unsigned char **bytes, struct lcl_mat_view *V,
                             lcl_stream *stream)
{
    struct growing G = {.size = 0};
    unsigned char tag[TAG];
    size_t taken;
    *bytes = NULL;
    if (!lcl_stream_copy(stream, tag, TAG, &taken))
        return lcl_stream_report(stream);
    if (taken == 0)
        return LCL_OK;
    if (taken < TAG)
        return lcl_stream_refuse(stream, LCL_EIO, "%s", truncated);
    const uint64_t type = bits(tag, 4, V->big);
    // a small element is its tag
    const int64_t size = type >> 16 ? 0 : (int64_t)bits(tag + 4, 4, V->big);
    const enum lcl_status st = type == LCL_MAT_COMPRESSED
                                   ? read_packed(&G, V->big, size, stream)
                                   : read_plain(&G, tag, size, stream);
    if (st < 0) {
        lcl_free(G.bytes);
        return st;
    }
    *bytes = G.bytes;
    V->at = G.bytes;
    V->end = G.bytes + G.size;
    return LCL_OK;
}
