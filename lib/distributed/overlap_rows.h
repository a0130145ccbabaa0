// SPDX-License-Identifier: BSD-3-Clause
// The rows of a rank and the layers of rows of other ranks around them, as one
// square matrix on the rank's device: for subdomains that overlap across ranks.
// A layer adds the columns that the rows before it store. Columns outside are
// left out.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

// Rows of `matrix` are in the order of the whole matrix: the first `low` ghosts
// of the halo, whose exchange fetches entries of vectors, the rank's rows in
// the caller's numbering, the other ghosts.
struct lcl_overlap_rows {
    const lcl_operator *whole;
    struct lcl_halo halo;
    int64_t low;
    lcl_operator *matrix;
    // Values: those of the rank's rows, entries row_ptr[i] .. row_ptr[i+1]-1 of
    // row i, then those of the ghosts; entry k of the matrix is source[k]
    int64_t *row_ptr, *ghost_ptr, *source;
    double *val;  // of both
    double *kept; // of the matrix
    bool fresh;   // the matrix has the current values
    // Only for sums, over all ranks that have a row:
    lcl_buffer *sum; // of the rank's rows, of the ghosts, then what other ranks
                     // have summed up for rows of this one
    lcl_buffer *first, *place; // of it: what y_i adds
    lcl_kernel *collect;
    struct lcl_exchange_plan messages; // against the direction of the halo
    double *outbox;                    // the sums of the ghosts
};

// `whole` is distributed and must outlive O; the matrix has blocks of `block`
// rows, which is 1 or the block size of all ranks. Collective. Statuses as
// lcl_operator_create(), on which the ranks have to agree; *O is fit for
// lcl_overlap_rows_finish() in any case.
enum lcl_status lcl_overlap_rows_init(struct lcl_overlap_rows *O,
                                      const lcl_operator *whole, int block,
                                      int layers);
void lcl_overlap_rows_finish(struct lcl_overlap_rows *O);

// Takes the values of `whole`, if the matrix does not have them. Collective, as
// above.
enum lcl_status lcl_overlap_rows_update(struct lcl_overlap_rows *O);

// Set-up for sums. Statuses as lcl_buffer_create() and lcl_kernel_get().
enum lcl_status lcl_overlap_rows_make_sums(struct lcl_overlap_rows *O);

// y_i = element i of O->sum, and those of the other ranks that have the row as
// a ghost, in their order. Collective, blocking.
enum lcl_status lcl_overlap_rows_sum(struct lcl_overlap_rows *O,
                                     const struct lcl_operands *v);

uint64_t lcl_overlap_rows_bytes(const struct lcl_overlap_rows *O);
