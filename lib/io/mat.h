// SPDX-License-Identifier: BSD-3-Clause
// MATLAB's MAT-files of version 5, as save() writes them by default.
#pragma once

#include "lib/io/stream.h"

#include <levelcl/matrix.h>

bool lcl_is_mat(const char *bytes, size_t size);

// Reads the only sparse matrix of a file into A, or the only full one of
// numbers into X; of several the one of the name A or b. Fields of a struct,
// such as Problem.A, count, too. With A and X, a sparse one if there is any. A
// and X may be NULL, are all zero on entry, and so on error. Returns LCL_OK,
// LCL_EFORMAT, LCL_EUNSUPPORTED (complex, several, none), LCL_ERANGE, LCL_EIO
// or LCL_ENOMEM.
enum lcl_status lcl_mat_read(struct lcl_csr *A, struct lcl_dense *X,
                             lcl_stream *stream, struct lcl_read_info *info);
