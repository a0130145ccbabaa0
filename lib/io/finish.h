// SPDX-License-Identifier: BSD-3-Clause
// The last step of all readers of sparse matrices.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

// Refuses duplicates whose sum is not finite, and counts explicit zeros. Rows
// and columns in the message count from `base`; row 0 of A is row `first` of
// the whole matrix. Returns LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_io_finish_csr(const struct lcl_csr *A, int64_t first,
                                  int base, const lcl_stream *stream,
                                  struct lcl_read_info *info);
