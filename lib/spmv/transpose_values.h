// SPDX-License-Identifier: BSD-3-Clause
// Patterns and values of transposed matrices on the device.
#pragma once

#include "lib/operator/operator.h"

// Gets T->values for blocks of `block` rows whose entries are `numbers` numbers
// each. Returns LCL_OK, LCL_EBUILD, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_transposed_kernel(struct lcl_transposed *T,
                                      lcl_context *ctx, int block, int numbers);

// B = the pattern of A^T in blocks, without values; block k of B is block
// (*map)[k] of A. Statuses as lcl_transpose_init().
enum lcl_status lcl_transposed_pattern(struct lcl_device_matrix *B,
                                       lcl_buffer **map, lcl_context *ctx,
                                       const struct lcl_device_matrix *A);

// Enqueues: val = the values of A, transposed, in the order of T->map[term].
enum lcl_status lcl_transposed_fill(const struct lcl_transposed *T, int term,
                                    lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    lcl_buffer *val);
