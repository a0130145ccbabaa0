// SPDX-License-Identifier: BSD-3-Clause
// A matrix on the device, and y = A x with the dot products that follow.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include <levelcl/matrix.h>

// The kernels of csr.cl and bsr.cl.
enum lcl_spmv_mode {
    LCL_SPMV_PLAIN,    // y = A x
    LCL_SPMV_DOT,      // and partial sums of <w, y>
    LCL_SPMV_DOT_NORM, // and partial sums of <w, y> and <y, y>
    LCL_SPMV_RESIDUAL, // y = w - A x and partial sums of <y, y>
    LCL_SPMV_COUNT,
};

struct lcl_device_matrix {
    int64_t n;           // rows
    int block;           // rows of a block; 1: csr.cl, else bsr.cl
    int64_t block_rows;  // n / block
    int64_t blocks;      // stored ones
    lcl_buffer *row_ptr; // block_rows + 1, uint32 or, from nearly 2^32
                         // blocks on, uint64
    lcl_buffer *col;     // blocks, int32
    lcl_buffer *val;     // blocks * block * block, as in struct lcl_bsr
    lcl_kernel *kernels[LCL_SPMV_COUNT];
    int groups;
};

enum lcl_status lcl_device_matrix_init(struct lcl_device_matrix *D,
                                       lcl_context *ctx,
                                       const struct lcl_bsr *A);
void lcl_device_matrix_finish(struct lcl_device_matrix *D);

// Enqueues one product. `w` and `sums` may be NULL where the mode has no use
// for them; `sums` holds 2 * groups doubles, filled as csr.cl says. Nothing
// happens where element `at` of `stop` (int32) is not 0.
enum lcl_status lcl_spmv(const struct lcl_device_matrix *D,
                         enum lcl_spmv_mode mode, const lcl_buffer *x,
                         const lcl_buffer *w, lcl_buffer *y, lcl_buffer *sums,
                         const lcl_buffer *stop, int at);
