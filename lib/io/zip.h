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

// Reads the header of the next member. Its bytes follow: lcl_zip_unpack() or
// lcl_zip_skip() takes them. Returns LCL_OK, LCL_EFORMAT, LCL_EUNSUPPORTED
// (encrypted, or written without sizes) or LCL_EIO.
enum lcl_status lcl_zip_next(struct lcl_zip_member *m, lcl_stream *zip);
enum lcl_status lcl_zip_skip(const struct lcl_zip_member *m, lcl_stream *zip);

// Sets *bytes to the m->size bytes of the member, which the caller frees.
// Returns LCL_OK, LCL_EUNSUPPORTED (another method than stored and deflated),
// LCL_EIO (truncated, damaged: sizes and checksum are compared) or LCL_ENOMEM;
// on error *bytes is NULL.
enum lcl_status lcl_zip_unpack(unsigned char **bytes,
                               const struct lcl_zip_member *m, lcl_stream *zip);
