// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark wants of the row-binned product beyond a product.
#pragma once

#include "lib/operator/spmv.h"

// Which rows each of the two kernels has.
enum lcl_binned_rows {
    LCL_BINNED_BOTH,      // as published: up to 16 entries, and more
    LCL_BINNED_ONLY_BIN0, // all rows one work-item each
    LCL_BINNED_ONLY_BIN1, // all rows one wave each
};

// The product with other bins; lcl_spmv_init() takes LCL_BINNED_BOTH. Returns
// as that.
enum lcl_status lcl_binned_init(struct lcl_spmv *S, lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                enum lcl_binned_rows rows);

// Rows of bin 0 or 1 of a row-binned product.
int64_t lcl_binned_rows(const struct lcl_spmv *S, int bin);
