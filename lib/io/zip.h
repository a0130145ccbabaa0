// SPDX-License-Identifier: BSD-3-Clause
// Members of zip archives. Source of the format: APPNOTE.TXT of PKWARE, 6.3.10.
#pragma once

#include "lib/io/stream.h"

enum { LCL_ZIP_NAME = 256 };

struct lcl_zip_member {
    char name[LCL_ZIP_NAME]; // empty: there is no further one
    int method;
    uint32_t crc;
    int64_t packed; // bytes that follow in the stream
    int64_t size;   // bytes that they should unpack to
};

bool lcl_is_zip(const char *bytes, size_t size);

// Reads the header of the next member. Its bytes follow: lcl_zip_open() or
// lcl_zip_skip() takes them. Returns LCL_OK, LCL_EFORMAT, LCL_EUNSUPPORTED
// (encrypted, or written without sizes) or LCL_EIO.
enum lcl_status lcl_zip_next(struct lcl_zip_member *m, lcl_stream *zip);
enum lcl_status lcl_zip_skip(const struct lcl_zip_member *m, lcl_stream *zip);

// An unpacked member, and a stream of its bytes.
struct lcl_zip_file {
    char label[2 * LCL_ZIP_NAME]; // its name in messages
    unsigned char *bytes;
    int64_t size;
    lcl_stream *stream;
};

// Returns LCL_OK, LCL_EUNSUPPORTED (another method than stored and deflated),
// LCL_EIO (truncated, damaged: sizes and checksum are compared) or LCL_ENOMEM;
// *f is fit for lcl_zip_close() in any case.
enum lcl_status lcl_zip_open(struct lcl_zip_file *f,
                             const struct lcl_zip_member *m, lcl_stream *zip);
void lcl_zip_close(struct lcl_zip_file *f);
