// SPDX-License-Identifier: BSD-3-Clause
// A CSR matrix on the device, and y = A x with the dot products that follow.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include <levelcl/matrix.h>

// The kernels of csr.cl.
enum lcl_spmv_mode {
    LCL_SPMV_PLAIN,    // y = A x
    LCL_SPMV_DOT,      // and partial sums of <w, y>
    LCL_SPMV_DOT_NORM, // and partial sums of <w, y> and <y, y>
    LCL_SPMV_RESIDUAL, // y = w - A x and partial sums of <y, y>
    LCL_SPMV_COUNT,
};

struct lcl_device_csr {
    int64_t n, nnz;
    lcl_buffer *row_ptr; // n + 1, uint32 or, from 2^32 entries on, uint64
    lcl_buffer *col;     // nnz, int32
    lcl_buffer *val;     // nnz
    lcl_kernel *kernels[LCL_SPMV_COUNT];
    int groups;
};

enum lcl_status lcl_device_csr_init(struct lcl_device_csr *D, lcl_context *ctx,
                                    const struct lcl_csr *A);
void lcl_device_csr_finish(struct lcl_device_csr *D);

// Enqueues one product. `w` and `sums` may be NULL where the mode has no use
// for them; `sums` holds 2 * groups doubles, filled as csr.cl says. Nothing
// happens where element `at` of `stop` (int32) is not 0.
enum lcl_status lcl_spmv(const struct lcl_device_csr *D,
                         enum lcl_spmv_mode mode, const lcl_buffer *x,
                         const lcl_buffer *w, lcl_buffer *y, lcl_buffer *sums,
                         const lcl_buffer *stop, int at);
