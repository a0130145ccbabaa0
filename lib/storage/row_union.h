// SPDX-License-Identifier: BSD-3-Clause
// Matrices with rows of two others on the device (cl/storage/row_union.cl).
#pragma once

#include "lib/storage/matrix.h"

// Row i of the matrix has the entries of row i of A in columns below `limit`,
// then those of row place[i] of B. Both have block size 1, A has ascending
// columns. One of them may be NULL.
struct lcl_composition {
    const struct lcl_device_matrix *A; // rows from A->n on have no entries of A
    int64_t limit;                     // of the columns of A
    const struct lcl_device_matrix *B;
    const lcl_buffer *place; // of each row, int32; -1: no entries of B
};

// Makes C with the shape `rows` x `cols`; waits for the number of entries.
// Returns LCL_OK, LCL_EUNSUPPORTED (2^32 entries), LCL_ESELFTEST, LCL_EDEVMEM,
// LCL_EBUILD, LCL_EDEVICE or LCL_ENOMEM; on error C is empty.
enum lcl_status lcl_compose(struct lcl_device_matrix *C, lcl_context *ctx,
                            int64_t rows, int64_t cols,
                            const struct lcl_composition *from);

// Updates the values of C from those of A and B. Enqueued.
enum lcl_status lcl_compose_values(const struct lcl_device_matrix *C,
                                   lcl_context *ctx,
                                   const struct lcl_composition *from);

// *place = the array `place` for `rows` rows of which row[k] gets row k of B, k
// < count; enqueued. Statuses of buffers and kernels as above; the caller frees
// it in any case.
enum lcl_status lcl_place_rows(lcl_buffer **place, lcl_context *ctx,
                               int64_t rows, const int32_t *row, int64_t count);
