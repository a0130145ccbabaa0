// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix with interleaved columns; the kernels are in
// cl/spmv/csr_columns.cl.
#pragma once

#include "lib/operator/operator.h"

// lcl_operator_interleave() of a matrix, as stored, without blocks: APPLY_DOT
// and RESIDUAL.
enum lcl_status lcl_csr_columns_init(lcl_operator *out,
                                     const struct lcl_device_matrix *A,
                                     int columns);
