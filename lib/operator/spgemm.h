// SPDX-License-Identifier: BSD-3-Clause
// The product C = A B of sparse matrices on the device, and the transpose. All
// are in CSR with single entries, ascending columns and at most
// LCL_NARROW_MOST entries.
#pragma once

#include "host/program.h"
#include "lib/operator/matrix.h"

// Makes C = A B. Returns LCL_OK, LCL_EUNSUPPORTED (blocks, too many entries),
// LCL_EINVAL (sizes), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on
// error *C is all zero. C keeps entries that cancel.
enum lcl_status lcl_spgemm(struct lcl_device_matrix *C, lcl_context *ctx,
                           const struct lcl_device_matrix *A,
                           const struct lcl_device_matrix *B);
// The values of C for new values of A and B; enqueued.
enum lcl_status lcl_spgemm_update(const struct lcl_device_matrix *C,
                                  lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_device_matrix *B);

// Number of products a_ik b_kj, for an estimate of work. Reads the device.
enum lcl_status lcl_spgemm_products(double *products, lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B);

// Makes T = A^T; (*map)[k] (uint32) is the entry of A that is entry k of T,
// unless `map` is NULL. Statuses as lcl_spgemm(); on error *T is all zero and
// *map NULL.
enum lcl_status lcl_transpose(struct lcl_device_matrix *T, lcl_buffer **map,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A);
