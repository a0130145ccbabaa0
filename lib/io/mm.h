// SPDX-License-Identifier: BSD-3-Clause
// The parts of the Matrix Market reader, and the writer.
#pragma once

#include "lib/io/sink.h"
#include "lib/io/stream.h"
#include "lib/matrix/pairs.h"

#include <levelcl/matrix.h>

enum lcl_mm_layout { LCL_MM_COORDINATE, LCL_MM_ARRAY };
enum lcl_mm_field {
    LCL_MM_REAL,
    LCL_MM_INTEGER,
    LCL_MM_PATTERN,
    LCL_MM_COMPLEX,
};

struct lcl_mm_header {
    enum lcl_mm_layout layout;
    enum lcl_mm_field field;
    enum lcl_symmetry symmetry;
    int64_t rows; // numbers, real or complex
    int64_t cols;
    int64_t entries; // lines after the sizes
};

// Reads banner, comments and sizes. Do not allocate memory by these sizes: the
// file may lie. Returns LCL_OK, LCL_EFORMAT, LCL_EUNSUPPORTED, LCL_ERANGE or
// the status of lcl_stream_line().
enum lcl_status lcl_mm_read_header(struct lcl_mm_header *h, lcl_stream *stream);

// Reads the entries of a coordinate file and checks that nothing follows.
// Memory is proportional to the data read. E is empty on entry; the caller
// finishes it, also on error. Returns LCL_OK, LCL_EFORMAT, LCL_ENOMEM or the
// status of lcl_stream_line().
enum lcl_status lcl_mm_read_entries(struct lcl_entries *E, lcl_stream *stream,
                                    const struct lcl_mm_header *h);

// The same for a part of the file: at most as many entries as it has.
enum lcl_status lcl_mm_read_some_entries(struct lcl_entries *E,
                                         lcl_stream *stream,
                                         const struct lcl_mm_header *h);

// The same for a complex file: the real and the imaginary parts.
enum lcl_status lcl_mm_read_pairs(struct lcl_pairs *P, lcl_stream *stream,
                                  const struct lcl_mm_header *h);
enum lcl_status lcl_mm_read_some_pairs(struct lcl_pairs *P, lcl_stream *stream,
                                       const struct lcl_mm_header *h);

// Refuses dense matrices, and sparse ones of many more rows than entries.
// Returns LCL_OK, LCL_EUNSUPPORTED or LCL_ERANGE.
enum lcl_status lcl_mm_check_sparse(const struct lcl_mm_header *h,
                                    const lcl_stream *stream);

// As lcl_mm_read_entries() for the values of an array file, of complex ones
// pairs; *values is NULL on entry, and the caller frees it with lcl_free().
enum lcl_status lcl_mm_read_values(double **values, lcl_stream *stream,
                                   const struct lcl_mm_header *h);

// As lcl_read_stream().
enum lcl_status lcl_mm_read(struct lcl_csr *A, struct lcl_dense *X,
                            lcl_stream *stream, struct lcl_read_info *info);

// Write a sparse matrix in coordinate format and a dense one in array format,
// real and general, 17 significant digits. Return LCL_OK, also if the sink has
// failed, or LCL_ENOMEM.
enum lcl_status lcl_mm_write_csr(lcl_sink *sink, const void *A);
enum lcl_status lcl_mm_write_dense(lcl_sink *sink, const void *X);
// The same as complex numbers, of matrices in real form.
enum lcl_status lcl_mm_write_csr_pairs(lcl_sink *sink, const void *A);
enum lcl_status lcl_mm_write_dense_pairs(lcl_sink *sink, const void *X);

// "symmetric", "skew-symmetric", "Hermitian" or "general".
const char *lcl_mm_symmetry(const struct lcl_mm_header *h);

// Describes the text at p for a message: the word in quotes, shortened, without
// control characters; or "the end of the line".
struct lcl_found {
    char text[48];
};
struct lcl_found lcl_mm_found(const char *p);
