// SPDX-License-Identifier: BSD-3-Clause
// The reader of matrices in plain text files, on open streams.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

// The public readers, in the C locale; outputs are all zero on entry and on
// error.
enum lcl_status lcl_csr_read_text_streams(struct lcl_csr *A,
                                          lcl_stream *row_ptr,
                                          lcl_stream *col_ind, lcl_stream *val,
                                          struct lcl_read_info *info);
enum lcl_status lcl_dense_read_text_stream(struct lcl_dense *X,
                                           lcl_stream *stream);
