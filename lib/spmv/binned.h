// SPDX-License-Identifier: BSD-3-Clause
// Benchmark interface of the row-binned product.
#pragma once

#include "lib/spmv/spmv.h"

// Which rows each of the two kernels handles.
enum lcl_binned_rows {
    LCL_BINNED_BOTH, // as published: up to 16 entries in bin 0, longer rows in
                     // bin 1
    LCL_BINNED_ONLY_BIN0, // all rows, one work-item per row
    LCL_BINNED_ONLY_BIN1, // all rows, one wave per row
};

// Creates the product with another assignment to bins; lcl_spmv_init() uses
// LCL_BINNED_BOTH. Statuses as lcl_spmv_init().
enum lcl_status lcl_binned_init(struct lcl_spmv *S, lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                enum lcl_binned_rows rows);
// The same in fp32, as published: the values of A, x and y are floats, and the
// product has the mode LCL_APPLY alone.
enum lcl_status lcl_binned_init_fp32(struct lcl_spmv *S, lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     enum lcl_binned_rows rows);

// Number of rows in bin 0 or 1 of a row-binned product.
int64_t lcl_binned_rows(const struct lcl_spmv *S, int bin);
