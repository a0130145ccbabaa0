// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix to blocks on the device.
#pragma once

#include "lib/storage/matrix.h"

// Creates in *B the pattern of A in blocks of `block` rows, which divides A's
// rows and columns, without values. *place has A's entries, uint32: value k of
// A is value (*place)[k] of the blocks. Blocking. Returns LCL_OK, LCL_ERANGE
// (2^32 values or more in blocks), LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; on error there is nothing to free.
enum lcl_status lcl_to_blocks(struct lcl_device_matrix *B, lcl_buffer **place,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A, int block);

// Creates B->val and scatters the values of A to their places; the others are
// 0. Enqueued. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_to_blocks_values(struct lcl_device_matrix *B,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const lcl_buffer *place);
