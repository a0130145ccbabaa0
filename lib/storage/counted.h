// SPDX-License-Identifier: BSD-3-Clause
// A matrix on the device from the number of entries of each row.
#pragma once

#include "lib/storage/matrix.h"

// Creates the arrays of *D, whose other fields but `blocks` are set: row
// pointers from `counts` (uint32), columns and values uninitialised. `most`
// bounds the number of entries, for which it waits. Returns LCL_OK,
// LCL_ESELFTEST (more entries: the device computes wrong results), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error the caller finishes *D.
enum lcl_status lcl_device_matrix_counted(struct lcl_device_matrix *D,
                                          lcl_context *ctx,
                                          const lcl_buffer *counts,
                                          int64_t most);
