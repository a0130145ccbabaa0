// SPDX-License-Identifier: BSD-3-Clause
// Formats of files besides Matrix Market and PETSc: what they are, and readers
// of those that need no library. All read an open stream from its start.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

// Whether a file that starts with these bytes is of the format.
bool lcl_is_npy(const char *bytes, size_t size);
bool lcl_is_tar(const char *bytes, size_t size);
bool lcl_is_rutherford_boeing(const char *bytes, size_t size);
// Lines of numbers, maybe after comments.
bool lcl_is_columns(const char *bytes, size_t size);

// What a file that cannot be read is, and what to do: "a MATLAB file: ...";
// NULL: unknown.
const char *lcl_foreign_format(const char *bytes, size_t size);

// Reads a NumPy array of one or two dimensions into X, which is all zero on
// entry and on error: real, complex or integer numbers, in either order of
// storage and of bytes. Source: NumPy Enhancement Proposal 1. Returns LCL_OK,
// LCL_EFORMAT, LCL_EUNSUPPORTED (other types and shapes), LCL_ERANGE, LCL_EIO
// or LCL_ENOMEM.
enum lcl_status lcl_npy_read(struct lcl_dense *X, lcl_stream *stream,
                             struct lcl_read_info *info);

// Reads lines of numbers, as many in each line as columns, separated by blanks,
// tabs, commas or semicolons; # and % begin comment lines. In the C locale.
// Returns LCL_OK, LCL_EFORMAT, LCL_ERANGE, LCL_EIO or LCL_ENOMEM.
enum lcl_status lcl_columns_read(struct lcl_dense *X, lcl_stream *stream,
                                 struct lcl_read_info *info);

// Reads a sparse matrix of a Rutherford-Boeing file, or of a Harwell-Boeing
// file, whose right-hand sides are not read: real, integer or pattern,
// assembled. Source: Duff, Grimes, Lewis, "The Rutherford-Boeing Sparse Matrix
// Collection", RAL-TR-97-031 (1997). In the C locale. Returns as
// lcl_csr_read().
enum lcl_status lcl_rutherford_boeing_read(struct lcl_csr *A,
                                           lcl_stream *stream,
                                           struct lcl_read_info *info);

// Goes on to the matrix of a tar archive in the form of the SuiteSparse Matrix
// Collection, NAME/NAME.mtx or .rb, or to its right-hand side, NAME/NAME_b.mtx;
// the stream ends with it. Returns LCL_OK, LCL_EFORMAT, LCL_EIO.
enum lcl_status lcl_tar_enter(lcl_stream *stream, bool rhs);
