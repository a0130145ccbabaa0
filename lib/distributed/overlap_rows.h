// SPDX-License-Identifier: BSD-3-Clause
// The rows of a rank and the layers of rows of other ranks around them, as one
// square matrix on the rank's device, for subdomains that overlap across ranks.
// The columns of a layer's rows form the next layer. Columns outside the last
// layer are left out.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

// Rows of `matrix` are in the order of the whole matrix: first `low` ghosts,
// then the rank's rows in the caller's numbering, then the other ghosts. The
// exchange of the halo fetches the ghosts' vector entries.
struct lcl_overlap_rows {
    const lcl_operator *whole;
    struct lcl_halo halo;
    int64_t low;
    lcl_operator *matrix;
    // The values of the rank's rows, entries row_ptr[i] .. row_ptr[i+1]-1 of
    // row i, precede those of the ghosts; entry k of the matrix has value
    // source[k].
    int64_t *row_ptr, *ghost_ptr, *source;
    double *val;  // of the rank's rows and the ghosts
    double *kept; // of the matrix
    bool fresh;   // the matrix has the current values
    // Only for sums, over all ranks that have a row:
    lcl_buffer *sum; // of the rank's rows, of the ghosts, then sums of other
                     // ranks for rows of this one
    lcl_buffer *first, *place; // summands of each y_i in `sum`
    lcl_kernel *collect;
    struct lcl_exchange_plan messages; // opposite to those of the halo
    double *outbox;                    // the sums of the ghosts
};

// `whole` is distributed and must outlive O; the matrix has blocks of `block`
// rows, which is 1 or the block size of all ranks. Collective. Statuses as
// lcl_operator_create(); the ranks still have to agree on them. *O is fit for
// lcl_overlap_rows_finish() in any case.
enum lcl_status lcl_overlap_rows_init(struct lcl_overlap_rows *O,
                                      const lcl_operator *whole, int block,
                                      int layers);
void lcl_overlap_rows_finish(struct lcl_overlap_rows *O);

// Updates the values of the matrix if those of `whole` have changed.
// Collective, as above.
enum lcl_status lcl_overlap_rows_update(struct lcl_overlap_rows *O);

// Prepares sums. Statuses as lcl_buffer_create() and lcl_kernel_get().
enum lcl_status lcl_overlap_rows_make_sums(struct lcl_overlap_rows *O);

// y_i = element i of O->sum plus the sums of the other ranks that have the row
// as a ghost, in the order of the ranks. Collective, blocking.
enum lcl_status lcl_overlap_rows_sum(struct lcl_overlap_rows *O,
                                     const struct lcl_operands *v);

uint64_t lcl_overlap_rows_bytes(const struct lcl_overlap_rows *O);
