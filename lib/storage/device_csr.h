// SPDX-License-Identifier: BSD-3-Clause
// Matrices in device buffers of the caller.
#pragma once

#include "lib/storage/matrix.h"

// A matrix as in struct lcl_csr, whose buffers may be larger than needed.
struct lcl_device_csr {
    int64_t rows, cols, nnz;
    bool narrow;
    lcl_buffer *row_ptr; // rows + 1, int64; narrow: uint32
    lcl_buffer *col_ind; // nnz, int32; NULL if there are no entries
    lcl_buffer *val;     // nnz, double; NULL if there are no entries
};

// Sets *sound if lcl_csr_check() would accept the arrays of A, whose counts and
// sizes are valid. Statuses as below. Blocking.
enum lcl_status lcl_device_csr_inspect(bool *sound,
                                       const struct lcl_device_csr *A,
                                       lcl_context *ctx);

// Checks A as lcl_csr_check() does; row pointers of 64 bits only. Returns
// LCL_OK, LCL_EINVAL (a buffer is too small), LCL_EFORMAT, LCL_EBUILD,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM. Blocking.
enum lcl_status lcl_device_csr_check(const struct lcl_device_csr *A,
                                     lcl_context *ctx);

// Copies a well-formed A, with row pointers of 64 bits, to buffers of its own.
// On error there is nothing to free.
enum lcl_status lcl_device_csr_copy(struct lcl_device_matrix *D,
                                    lcl_context *ctx,
                                    const struct lcl_device_csr *A);
