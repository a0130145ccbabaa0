// SPDX-License-Identifier: BSD-3-Clause
// The rows of a rank split for a product: the columns of the rank itself, and
// the boundary rows, which reach columns of other ranks. A boundary row is kept
// whole, so that its sum is never split.
#pragma once

#include "lib/comm/comm.h"
#include "lib/matrix/view.h"

// Rows are those of the rank, from 0. Columns below `rows` are its own, column
// rows + g is ghost g; ghosts are sorted by their row of the whole matrix.
struct lcl_halo_plan {
    int64_t rows, total, first;
    int64_t nnz; // entries of all rows
    int64_t own; // those in own columns (lib/storage/own_entries.h)
    // boundary row r is row[r], entries ptr[r] .. ptr[r+1]-1, which are those
    // from start[r] on of the rank's rows; own_start[r] own entries are in the
    // rows before it
    int64_t boundary, entries;
    int64_t mean; // entries of a boundary row; if all are listed, of all ranks
    int32_t *row;
    int64_t *ptr, *start, *own_start;
    int32_t *col;
    int64_t ghosts, sends;
    int64_t *ghost; // rows of the whole matrix
    int32_t *send;  // rows of the rank that others need, peer by peer
    struct lcl_halo_peer *to, *from;
    int tos, froms;
};

// Checks A, the rows of the calling rank, and agrees on it with all others;
// collective. Of entries whose check is to follow, only those in boundary rows
// are checked. A is a matrix or a pattern; with `all`, all rows are boundary
// rows. Returns LCL_OK; LCL_EINVAL (NULL arrays); LCL_EFORMAT (malformed rows;
// ranks whose rows leave gaps or overlap; fewer rows than ranks); LCL_ERANGE
// (2^31 rows and ghosts); LCL_ENOMEM; or a status of the transport. *P is fit
// for lcl_halo_plan_finish() in any case.
enum lcl_status lcl_halo_plan_init(struct lcl_halo_plan *P, struct lcl_comm *C,
                                   const struct lcl_view *A, bool all);

// From values of all entries of the rank's rows, those of the boundary rows.
void lcl_halo_plan_boundary_values(const struct lcl_halo_plan *P,
                                   const double *val, double *boundary);

// Whether those differ from `boundary` in any bit.
bool lcl_halo_plan_differs(const struct lcl_halo_plan *P, const double *val,
                           const double *boundary);

// Entries in columns of other ranks in the rows before boundary row r, which
// may be the end.
static inline int64_t lcl_halo_plan_left_out(const struct lcl_halo_plan *P,
                                             int64_t r)
{
    return r < P->boundary ? P->start[r] - P->own_start[r] : P->nnz - P->own;
}

static inline bool lcl_halo_plan_owns(const struct lcl_halo_plan *P,
                                      int64_t column)
{
    return column >= P->first && column < P->first + P->rows;
}

// Finds the peers of a plan whose rows, total, first and ghosts are set, for
// exchanges other than that of a product. Collective; statuses as
// lcl_halo_plan_init(). `firsts` are the first rows of all ranks, and the
// total.
enum lcl_status lcl_halo_plan_connect(struct lcl_halo_plan *P,
                                      struct lcl_comm *C,
                                      const int64_t *firsts);

// Allocates the messages to and from all peers, without data; the caller frees
// X->out and X->in, also on error. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_halo_plan_messages(struct lcl_exchange_plan *X,
                                       const struct lcl_halo_plan *P,
                                       const struct lcl_log *log);

// Sets their data and lengths: `bytes` bytes for each row, sent from `packed`.
void lcl_halo_plan_address(const struct lcl_exchange_plan *X,
                           const struct lcl_halo_plan *P, const void *packed,
                           size_t bytes);

// Carries data of each row to the ranks that have it as a ghost: elements of
// `size` bytes, one of each row; or, with row_ptr, those from row_ptr[i] to
// row_ptr[i+1]-1 of row i, which become those from ghost_ptr[g] on of a ghost,
// as many. Collective. Returns LCL_OK, LCL_ENOMEM or a status of the transport;
// it ends the calls of all ranks with an error then.
enum lcl_status lcl_halo_plan_carry(const struct lcl_halo_plan *P,
                                    struct lcl_comm *C, const void *own,
                                    size_t size, void *ghost);
enum lcl_status lcl_halo_plan_carry_rows(const struct lcl_halo_plan *P,
                                         struct lcl_comm *C,
                                         const int64_t *row_ptr,
                                         const void *own, size_t size,
                                         const int64_t *ghost_ptr, void *ghost);
void lcl_halo_plan_finish(struct lcl_halo_plan *P);
