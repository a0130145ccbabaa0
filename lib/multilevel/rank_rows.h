// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the host, for the set-up of levels: each rank
// has rows, with columns of the whole matrix. The rows and the columns may
// belong to different levels.
#pragma once

#include "lib/operator/halo_plan.h"
#include "lib/operator/matrix.h"

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

// Functions return LCL_OK, LCL_ENOMEM or the statuses that they name. The
// caller finishes what they fill in any case. Collective ones need not be left
// by all ranks: a rank with an error has to call lcl_comm_fail().

// The calling rank has `rows` rows. Collective; statuses as lcl_comm_gather().
enum lcl_status lcl_ownership_init(struct lcl_ownership *O,
                                   struct lcl_comm *comm, int64_t rows);
void lcl_ownership_finish(struct lcl_ownership *O);

// P = the plan of the columns of A that are rows of other ranks by O, with all
// rows of their nodes of `block` rows; not connected. LCL_ERANGE: too many.
enum lcl_status lcl_ghosts_of(struct lcl_halo_plan *P,
                              const struct lcl_ownership *O,
                              const struct lcl_rows *A, int block);

// all = the rows of A, then those of the ghosts of P, which is connected.
// Collective; statuses as lcl_halo_plan_carry().
enum lcl_status lcl_rows_with_ghosts(struct lcl_rows *all,
                                     const struct lcl_rows *A,
                                     const struct lcl_halo_plan *P,
                                     struct lcl_comm *comm);

// R = P^T: the rows that the rank has by `columns`, whose ghosts and peers are
// those of P, with the rows of P as columns. Collective; statuses as above.
enum lcl_status lcl_rows_transpose(struct lcl_rows *R, const struct lcl_rows *P,
                                   const struct lcl_halo_plan *columns,
                                   struct lcl_comm *comm);

// D = A on the device without the entries in columns that `columns` lacks: own
// columns first, then ghosts. Statuses as lcl_device_matrix_init().
enum lcl_status lcl_rows_upload(struct lcl_device_matrix *D, lcl_context *ctx,
                                const struct lcl_rows *A,
                                const struct lcl_halo_plan *columns);

// The inverse; A->first is to be set. Statuses as lcl_device_matrix_read().
enum lcl_status lcl_rows_download(struct lcl_rows *A,
                                  const struct lcl_device_matrix *D,
                                  const struct lcl_halo_plan *columns,
                                  const struct lcl_log *log);

// all = `count` bytes of each rank, one after the other, of which this one
// gives `own`. Collective; statuses as lcl_comm_gather(). The caller frees it.
enum lcl_status lcl_gather_parts(void **all, const void *own, int64_t bytes,
                                 struct lcl_comm *comm);

// all = the whole matrix, whose rows and columns are owned by O; on all ranks.
// Collective; statuses as lcl_comm_gather().
enum lcl_status lcl_rows_of_all(struct lcl_rows *all, const struct lcl_rows *A,
                                const struct lcl_ownership *O);
