// SPDX-License-Identifier: BSD-3-Clause
// Members of zip archives, one after the other: the directory at the end of an
// archive is not needed where each header has the sizes.
#include "lib/io/zip.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/codec.h"
#include "lib/io/grow.h"

#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum { HEADER = 30, EXTRA_64 = 1, CHUNK = 1 << 16, STORED = 0, DEFLATED = 8 };
enum { ENCRYPTED = 1, SIZES_FOLLOW = 8 };

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

bool lcl_is_zip(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "PK\x03\x04", 4) == 0;
}

// ------------------------------------------------------------------- headers

static const char truncated[] = "the zip data are truncated";

static enum lcl_status take(lcl_stream *zip, void *to, size_t size)
{
    return lcl_stream_copy_all(zip, to, size, LCL_EIO, truncated);
}

// Sizes of 64 bits, if the extra fields have them and those of 32 are full.
static void read_long_sizes(struct lcl_zip_member *m,
                            const unsigned char *extra, size_t size)
{
    const bool both = m->size == UINT32_MAX && m->packed == UINT32_MAX;
    while (both && size >= 4) {
        const size_t length = (size_t)number(extra + 2, 2);
        if (length > size - 4)
            return;
        if (number(extra, 2) == EXTRA_64 && length >= 16) {
            m->size = (int64_t)number(extra + 4, 8);
            m->packed = (int64_t)number(extra + 12, 8);
            return;
        }
        extra += 4 + length;
        size -= 4 + length;
    }
}

static enum lcl_status read_names(struct lcl_zip_member *m, lcl_stream *zip,
                                  size_t name_size, size_t extra_size)
{
    unsigned char *text = lcl_malloc(name_size + extra_size + 1, 1);
    if (!text)
        return lcl_fail_memory(lcl_stream_log(zip), "a header");
    const enum lcl_status st = take(zip, text, name_size + extra_size);
    if (st == LCL_OK) {
        const size_t most = LCL_ZIP_NAME - 1;
        memcpy(m->name, text, name_size < most ? name_size : most);
        read_long_sizes(m, text + name_size, extra_size);
    }
    lcl_free(text);
    return st;
}

static enum lcl_status check(const struct lcl_zip_member *m,
                             const lcl_stream *zip, int flags)
{
    if (flags & ENCRYPTED)
        return lcl_stream_refuse(zip, LCL_EUNSUPPORTED,
                                 "the zip archive is encrypted");
    if (flags & SIZES_FOLLOW)
        return lcl_stream_refuse(zip, LCL_EUNSUPPORTED,
                                 "the zip archive was written to a pipe and "
                                 "has no sizes; unzip unpacks it");
    return *m->name && m->packed >= 0 && m->size >= 0 && m->size < INT64_MAX
               ? LCL_OK
               : lcl_stream_refuse(zip, LCL_EFORMAT,
                                   "expected the header of a member of a zip "
                                   "archive, found another one");
}

enum lcl_status lcl_zip_next(struct lcl_zip_member *m, lcl_stream *zip)
{
    unsigned char header[HEADER];
    *m = (struct lcl_zip_member){.size = 0};
    enum lcl_status st = take(zip, header, sizeof header);
    if (st < 0)
        return st;
    // the directory follows the last member
    if (memcmp(header, "PK\x01\x02", 4) == 0)
        return LCL_OK;
    if (!lcl_is_zip((const char *)header, sizeof header))
        return lcl_stream_refuse(zip, LCL_EFORMAT,
                                 "expected the header of a member of a zip "
                                 "archive, found other bytes");
    m->method = (int)number(header + 8, 2);
    m->crc = (uint32_t)number(header + 14, 4);
    m->packed = (int64_t)number(header + 18, 4);
    m->size = (int64_t)number(header + 22, 4);
    st = read_names(m, zip, (size_t)number(header + 26, 2),
                    (size_t)number(header + 28, 2));
    return st < 0 ? st : check(m, zip, (int)number(header + 6, 2));
}

// ------------------------------------------------------------------- content

enum lcl_status lcl_zip_skip(const struct lcl_zip_member *m, lcl_stream *zip)
{
    return lcl_stream_skip_all(zip, m->packed, LCL_EIO, truncated);
}

// Bytes on their way from the archive to the member's array.
struct unpacking {
    unsigned char in[CHUNK];
    struct lcl_codec_io io;
    int64_t left; // in the archive
    unsigned char *out;
    int64_t made, room;
};

static enum lcl_status read_chunk(struct unpacking *U, lcl_stream *zip)
{
    const size_t size = U->left < CHUNK ? (size_t)U->left : CHUNK;
    const enum lcl_status st = take(zip, U->in, size);
    U->io.in = U->in;
    U->io.in_size = size;
    U->left -= (int64_t)size;
    U->io.last = U->left == 0;
    return st;
}

static enum lcl_status make_room(struct unpacking *U, int64_t size,
                                 const struct lcl_log *log)
{
    void *grown = U->out;
    // one more byte, to find data that are too long
    const enum lcl_status st =
        lcl_io_grow(&grown, &U->room, U->made + 1, size + 1, 1, log);
    if (st < 0)
        return st;
    U->out = grown;
    U->io.out = U->out + U->made;
    U->io.out_size = (size_t)(U->room - U->made);
    return LCL_OK;
}

static enum lcl_status step(struct unpacking *U, const struct lcl_zip_member *m,
                            lcl_stream *zip, const struct lcl_codec *codec,
                            void *state, enum lcl_codec_result *result)
{
    enum lcl_status st = LCL_OK;
    if (U->io.in_size == 0 && U->left > 0)
        st = read_chunk(U, zip);
    if (st == LCL_OK)
        st = make_room(U, m->size, lcl_stream_log(zip));
    if (st < 0)
        return st;
    const size_t room = U->io.out_size;
    *result = codec->step(state, &U->io);
    U->made += (int64_t)(room - U->io.out_size);
    return LCL_OK;
}

static enum lcl_status verdict(const struct unpacking *U,
                               const struct lcl_zip_member *m,
                               const lcl_stream *zip,
                               enum lcl_codec_result result)
{
    if (result == LCL_CODEC_NO_MEMORY)
        return lcl_fail_memory(lcl_stream_log(zip), "decompression");
    const bool whole = result == LCL_CODEC_END && U->made == m->size &&
                       crc32_z(0, U->out, (size_t)U->made) == m->crc;
    return whole
               ? LCL_OK
               : lcl_stream_refuse(zip, LCL_EIO,
                                   "the zip data of '%s' are damaged", m->name);
}

static enum lcl_status run(struct unpacking *U, const struct lcl_zip_member *m,
                           lcl_stream *zip, const struct lcl_codec *codec)
{
    enum lcl_codec_result result = LCL_CODEC_MORE;
    enum lcl_status st = LCL_OK;
    void *state = codec->create();
    if (!state)
        return lcl_fail_memory(lcl_stream_log(zip), "decompression");
    U->left = m->packed;
    U->io.in = U->in;
    U->io.last = m->packed == 0;
    while (st == LCL_OK && result == LCL_CODEC_MORE && U->made <= m->size)
        st = step(U, m, zip, codec, state, &result);
    codec->destroy(state);
    return st < 0 ? st : verdict(U, m, zip, result);
}

static enum lcl_status unpack(unsigned char **bytes,
                              const struct lcl_zip_member *m, lcl_stream *zip)
{
    if (m->method != STORED && m->method != DEFLATED)
        return lcl_stream_refuse(zip, LCL_EUNSUPPORTED,
                                 "expected stored or deflated members of a zip "
                                 "archive, found method %d; unzip unpacks it",
                                 m->method);
    struct unpacking *U = lcl_calloc(1, sizeof *U);
    if (!U)
        return lcl_fail_memory(lcl_stream_log(zip), "a member of an archive");
    const enum lcl_status st = run(
        U, m, zip, m->method == STORED ? &lcl_codec_plain : &lcl_codec_deflate);
    if (st == LCL_OK)
        *bytes = U->out;
    else
        lcl_free(U->out);
    lcl_free(U);
    return st;
}

enum lcl_status lcl_zip_open(struct lcl_zip_file *f,
                             const struct lcl_zip_member *m, lcl_stream *zip)
{
    *f = (struct lcl_zip_file){.size = m->size};
    snprintf(f->label, sizeof f->label, "%s of %s", m->name,
             lcl_stream_name(zip));
    enum lcl_status st = unpack(&f->bytes, m, zip);
    if (st == LCL_OK)
        st = lcl_stream_open_memory(&f->stream, f->label, f->bytes,
                                    (size_t)f->size, lcl_stream_log(zip));
    return st;
}

void lcl_zip_close(struct lcl_zip_file *f)
{
    lcl_stream_close(&f->stream);
    lcl_free(f->bytes);
}
