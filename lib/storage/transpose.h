// SPDX-License-Identifier: BSD-3-Clause
// Transposition of a matrix on the device.
#pragma once

#include "lib/storage/matrix.h"

// T = A^T with ascending columns; entry k of T is entry (*map)[k] of A, uint32,
// so that lcl_gather() refreshes the values; map may be NULL. A has block size
// 1 and ascending columns. T has values if A has; without them T->val is NULL.
// Enqueued. The caller frees *T and *map; on error both are empty. Returns
// LCL_OK, LCL_EINVAL (blocks), LCL_EUNSUPPORTED (A is wide), LCL_EDEVMEM,
// LCL_EBUILD, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_transpose_init(struct lcl_device_matrix *T,
                                   lcl_buffer **map, lcl_context *ctx,
                                   const struct lcl_device_matrix *A);
