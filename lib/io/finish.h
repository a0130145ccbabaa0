// SPDX-License-Identifier: BSD-3-Clause
// The last steps of readers.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

// Of a sparse matrix: refuses duplicates whose sum is not finite, and counts
// explicit zeros, of info->is_complex pairs. Rows and columns in the message
// count from `base`; row 0 of A is row `first` of the whole matrix. Returns
// LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_io_finish_csr(const struct lcl_csr *A, int64_t first,
                                  int base, const lcl_stream *stream,
                                  struct lcl_read_info *info);

// Of a dense matrix: *val, by rows, becomes an array by columns; each element
// has `parts` numbers. Returns LCL_OK or LCL_ENOMEM, which leaves *val.
enum lcl_status lcl_io_by_columns(double **val, int64_t rows, int64_t cols,
                                  int parts, const struct lcl_log *log);
