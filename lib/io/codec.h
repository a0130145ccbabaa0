// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression: one table of functions per file format.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum lcl_codec_result {
    LCL_CODEC_MORE,      // continue: needs more input or room for output
    LCL_CODEC_END,       // all input is used, the data are complete
    LCL_CODEC_CORRUPT,   // the data are damaged
    LCL_CODEC_TRUNCATED, // the input ended before the data did
    LCL_CODEC_NO_MEMORY, // memory ran out
    LCL_CODEC_TOO_BIG,   // needs more than LCL_CODEC_MEMORY_MB of memory
};

// Memory limit of the decoders of xz and zstd; files of `xz -9` need 65 MiB.
#define LCL_CODEC_MEMORY_MB 256

// Input and output of one step; the step advances both.
struct lcl_codec_io {
    const unsigned char *in;
    size_t in_size;
    unsigned char *out;
    size_t out_size; // never 0
    bool last;       // no input follows `in`
};

struct lcl_codec {
    const char *name;
    const char *magic; // the first bytes of such a file; of an encoder: suffix
    size_t magic_size;
    void *(*create)(void); // NULL: this format is not supported
    enum lcl_codec_result (*step)(void *state, struct lcl_codec_io *io);
    void (*destroy)(void *state);
    const char *remedy; // if it is not supported
};

enum { LCL_CODEC_MAGIC_MAX = 6 };
#define LCL_MAGIC_ZSTD  "\x28\xb5\x2f\xfd"
#define LCL_MAGIC_BZIP2 "BZh"

extern const struct lcl_codec lcl_codec_plain;
extern const struct lcl_codec lcl_codec_gzip;
extern const struct lcl_codec lcl_codec_deflate; // RFC 1951, of zip archives
extern const struct lcl_codec lcl_codec_xz;
extern const struct lcl_codec lcl_codec_zstd;
extern const struct lcl_codec lcl_codec_bzip2;
extern const struct lcl_codec lcl_encoder_gzip;
extern const struct lcl_codec lcl_encoder_xz;

// The codec of a file that starts with these bytes, never NULL: unrecognised
// data are plain text.
const struct lcl_codec *lcl_codec_find(const void *bytes, size_t size);

// The encoder of a file with this name; NULL: plain.
const struct lcl_codec *lcl_encoder_find(const char *path);
