// SPDX-License-Identifier: BSD-3-Clause
// The rows of a rank split for a product: own columns, and boundary rows, which
// have entries in columns of other ranks. All entries of a boundary row stay
// together, so that its sum is never split.
#pragma once

#include "lib/comm/comm.h"
#include "lib/matrix/view.h"

// Rows are numbered from 0 within the rank. Columns below `rows` are the rank's
// own, column rows + g is ghost g; ghosts are sorted by their row of the whole
// matrix.
struct lcl_halo_plan {
    int64_t rows, total, first;
    int64_t nnz; // entries of all rows
    int64_t own; // entries in own columns (lib/storage/own_entries.h)
    // Boundary row r is row[r]; its entries ptr[r] .. ptr[r+1]-1 are the
    // entries from start[r] on of the rank's rows; the rows before it have
    // own_start[r] own entries.
    int64_t boundary, entries;
    int64_t mean; // mean entries per boundary row; if all rows are listed, over
                  // all ranks
    int32_t *row;
    int64_t *ptr, *start, *own_start;
    int32_t *col;
    int64_t ghosts, sends;
    int64_t *ghost; // rows of the whole matrix
    int32_t *send;  // rows of the rank that others need, peer by peer
    struct lcl_halo_peer *to, *from;
    int tos, froms;
};

// Checks A, the rows of the calling rank, and agrees on the status with all
// other ranks; collective. If A's entries have not been checked, only those of
// boundary rows are checked here. A is a matrix or a pattern; with `all`, all
// rows are boundary rows. Returns LCL_OK; LCL_EINVAL (NULL arrays); LCL_EFORMAT
// (malformed rows; gaps or overlaps between ranks; fewer rows than ranks);
// LCL_ERANGE (2^31 rows and ghosts); LCL_ENOMEM; or a status of the transport.
// *P is fit for lcl_halo_plan_finish() in any case.
enum lcl_status lcl_halo_plan_init(struct lcl_halo_plan *P, struct lcl_comm *C,
                                   const struct lcl_view *A, bool all);

// Copies the values of the boundary rows from those of all entries of the
// rank's rows.
void lcl_halo_plan_boundary_values(const struct lcl_halo_plan *P,
                                   const double *val, double *boundary);

// Whether the values of the boundary rows differ from `boundary` in any bit.
bool lcl_halo_plan_differs(const struct lcl_halo_plan *P, const double *val,
                           const double *boundary);

// Number of entries in columns of other ranks in the rows before boundary row
// r; r may be the number of boundary rows.
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

// The local column of a column of the whole matrix; -1: neither own nor ghost.
int64_t lcl_halo_plan_column(const struct lcl_halo_plan *P, int64_t column);

// Finds the peers of a plan whose rows, total, first and ghosts are set, for
// exchanges other than that of a product. Collective; statuses as
// lcl_halo_plan_init(). `firsts` are the first rows of all ranks, and the
// total.
enum lcl_status lcl_halo_plan_connect(struct lcl_halo_plan *P,
                                      struct lcl_comm *C,
                                      const int64_t *firsts);

// P->send = 0, 1, ...: what others need is packed before. The caller has taken
// or freed what was there. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_halo_plan_send_in_order(struct lcl_halo_plan *P,
                                            const struct lcl_log *log);

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
