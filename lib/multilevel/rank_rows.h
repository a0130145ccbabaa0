// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the host, for the set-up of levels: rows that
// ranks send each other, with columns of the whole matrix. The rows and the
// columns may belong to different levels.
#pragma once

#include "lib/storage/halo_plan.h"
#include "lib/storage/matrix.h"

// Rank r has the rows first[r] .. first[r+1]-1.
struct lcl_ownership {
    struct lcl_comm *comm;
    int64_t *first;
};

static inline int64_t lcl_owned(const struct lcl_ownership *O)
{
    return O->first[O->comm->rank + 1] - O->first[O->comm->rank];
}

static inline int64_t lcl_owned_by_all(const struct lcl_ownership *O)
{
    return O->first[O->comm->size];
}

// The plan of columns owned by O, without ghosts.
static inline struct lcl_halo_plan lcl_own_columns(
    const struct lcl_ownership *O)
{
    return (struct lcl_halo_plan){.rows = lcl_owned(O),
                                  .total = lcl_owned_by_all(O),
                                  .first = O->first[O->comm->rank]};
}

// Functions return LCL_OK, LCL_ENOMEM or the statuses that they name. The
// caller finishes what they fill in any case. Collective ones need not be left
// by all ranks: a rank with an error has to call lcl_comm_fail().

// The calling rank has `rows` rows. Collective; statuses as lcl_comm_gather().
enum lcl_status lcl_ownership_init(struct lcl_ownership *O,
                                   struct lcl_comm *comm, int64_t rows);
void lcl_ownership_finish(struct lcl_ownership *O);

// P = a plan with the rows of `base`, not connected, of the ghosts of `base`,
// which may come in any order and repeatedly, with all rows of their nodes of
// `block` rows. LCL_ERANGE: too many.
enum lcl_status lcl_ghosts_of(struct lcl_halo_plan *P,
                              const struct lcl_halo_plan *base, int block,
                              const struct lcl_log *log);

// P = a plan as of lcl_ghosts_of(), of the ghosts of `base` and the columns
// from + k for bits k that are set, in `words` words.
enum lcl_status lcl_ghosts_join(struct lcl_halo_plan *P,
                                const struct lcl_halo_plan *base, int64_t from,
                                const uint64_t *bits, int64_t words,
                                const struct lcl_log *log);

// number[g] = which ghost of `to` is ghost g of `from`, for those that both
// have.
void lcl_ghosts_number(int32_t *number, const struct lcl_halo_plan *to,
                       const struct lcl_halo_plan *from);

// Calls fn for the part of each rank, sizes[r] bytes unless there are none, in
// the order of the ranks; this one gives `own`. Collective; statuses of fn and
// as lcl_comm_gather().
typedef enum lcl_status lcl_part_fn(void *arg, int rank, const void *part);
enum lcl_status lcl_share_parts(const void *own, const int64_t *sizes,
                                struct lcl_comm *comm, lcl_part_fn *fn,
                                void *arg);

// all = the parts of all ranks, one after the other, of which this one gives
// `bytes` bytes. Collective; statuses as lcl_comm_gather(). The caller frees
// it.
enum lcl_status lcl_gather_parts(void **all, const void *own, int64_t bytes,
                                 struct lcl_comm *comm);

// row_ptr = the row pointers of the whole matrix, whose rows are owned by O,
// from those of each rank. Collective; statuses as above. The caller frees it.
enum lcl_status lcl_gather_row_ptr(int64_t **row_ptr, const int64_t *own,
                                   const struct lcl_ownership *O);

// all = the whole matrix, whose rows and columns are owned by O, from the rows
// of each rank, with columns of the whole matrix. Collective; statuses as
// above.
enum lcl_status lcl_gather_rows(struct lcl_bsr *all, const struct lcl_bsr *own,
                                const struct lcl_ownership *O);
