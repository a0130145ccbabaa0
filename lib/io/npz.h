// SPDX-License-Identifier: BSD-3-Clause
// Archives of NumPy and SciPy.
#pragma once

#include "lib/io/zip.h"

#include <levelcl/matrix.h>

// Whether a member of a zip archive is a NumPy array.
bool lcl_is_npz_member(const struct lcl_zip_member *m);

// Reads the sparse matrix of scipy.sparse.save_npz() (csr, csc or coo) into A,
// or the only array of numpy.savez() into X; the other one, and what may not be
// read, is NULL or stays all zero. The header of the first member, *m, is read.
// Returns LCL_OK, LCL_EFORMAT, LCL_EUNSUPPORTED (other formats and types),
// LCL_ERANGE, LCL_EIO or LCL_ENOMEM.
enum lcl_status lcl_npz_read(struct lcl_csr *A, struct lcl_dense *X,
                             lcl_stream *zip, struct lcl_zip_member *m,
                             struct lcl_read_info *info);
