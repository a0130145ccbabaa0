// SPDX-License-Identifier: BSD-3-Clause
// The readers of matrices and vectors on an open stream. Recognises the format
// of the file by its first bytes.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

// Reads a sparse matrix into A or a dense one into X, in the C locale. One of
// them may be NULL: then the file must fit to the other one. With both, decides
// by the file. Outputs are all zero on entry and on error.
enum lcl_status lcl_read_stream(struct lcl_csr *A, struct lcl_dense *X,
                                lcl_stream *stream, struct lcl_read_info *info);
