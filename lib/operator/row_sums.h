// SPDX-License-Identifier: BSD-3-Clause
// Sums over the rows of a matrix, by kernels that write one partial sum of each
// kind per group.
#pragma once

#include "host/program.h"
#include "lib/operator/matrix.h"

// sum[q] = sum q of `count` over all groups, in order, by the source and kernel
// in `spec`, whose teams of lanes share `shared` values at a time. Returns
// LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error all are
// 0.
enum lcl_status lcl_row_sums(double *sum, int count, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             struct lcl_spec spec, int64_t shared);
