// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix of blocks to single entries on the device.
#pragma once

#include "lib/storage/matrix.h"

// E = the matrix B, with all values of its blocks as entries, zeros too.
// Enqueued. Returns LCL_OK, LCL_EUNSUPPORTED (2^32 values or more), LCL_EBUILD,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error *E is empty.
enum lcl_status lcl_to_entries(struct lcl_device_matrix *E, lcl_context *ctx,
                               const struct lcl_device_matrix *B);

// Updates the values of E from those of B.
enum lcl_status lcl_to_entries_update(const struct lcl_device_matrix *E,
                                      lcl_context *ctx,
                                      const struct lcl_device_matrix *B);
