// SPDX-License-Identifier: BSD-3-Clause
// Allocates a matrix on the device for given row lengths.
#pragma once

#include "lib/storage/matrix.h"

// Creates the arrays of *D, whose other fields except `blocks` are set: row
// pointers from the row lengths in `counts` (uint32), columns and values
// uninitialised. `most` bounds the number of entries; waits for this number.
// Returns LCL_OK, LCL_ESELFTEST (more entries: the device computes wrong
// results), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error the
// caller finishes *D.
enum lcl_status lcl_device_matrix_counted(struct lcl_device_matrix *D,
                                          lcl_context *ctx,
                                          const lcl_buffer *counts,
                                          int64_t most);
