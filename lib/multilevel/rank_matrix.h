// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the devices, for the set-up of levels: each rank
// has rows, whose columns are its own ones, then the ghosts of a plan,
// ascending. The host sees counts and lists of ghosts.
#pragma once

#include "lib/multilevel/level_halo.h"
#include "lib/multilevel/rank_rows.h"
#include "lib/multilevel/row_exchange.h"

// Functions are collective and need not be left by all ranks: a rank with an
// error has to call lcl_comm_fail(). They return LCL_OK, LCL_EUNSUPPORTED (2^32
// entries), LCL_ERANGE (too many ghosts), LCL_ESELFTEST, LCL_EDEVMEM,
// LCL_EBUILD, LCL_EDEVICE, LCL_ENOMEM or the statuses of a transport. The
// caller finishes what they fill in any case.

// Rows of a matrix that come from other ranks.
struct lcl_ghost_rows {
    struct lcl_row_exchange rows;
    lcl_buffer *map; // which entry of those that come an entry is, uint32
    int64_t entries; // of the ghosts' rows
};

// all = the rows of A, then those of the ghosts of `halo`. The columns of A are
// numbered by `from`. *to receives those of `all`, with the ghosts of both, and
// is not connected; if `to` is NULL, ghosts' entries in columns that `from`
// lacks are left out. `halo` must outlive *G.
enum lcl_status lcl_ghost_rows_init(struct lcl_ghost_rows *G,
                                    struct lcl_device_matrix *all,
                                    struct lcl_halo_plan *to,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_halo_plan *from,
                                    const struct lcl_level_halo *halo);
void lcl_ghost_rows_finish(struct lcl_ghost_rows *G);

// Takes new values of A.
enum lcl_status lcl_ghost_rows_update(const struct lcl_ghost_rows *G,
                                      const struct lcl_device_matrix *all,
                                      const struct lcl_device_matrix *A);

// Leaves in *columns, which number A, the ghosts that occur, with all rows of
// their nodes of `block` rows, and connects it; O owns the columns.
enum lcl_status lcl_rank_matrix_connect(struct lcl_device_matrix *A,
                                        struct lcl_halo_plan *columns,
                                        lcl_context *ctx,
                                        const struct lcl_ownership *O,
                                        int block);

// R = P^T, whose rows are the own columns of P; `halo` is that of the columns
// of P, O owns the rows of P. *columns are connected.
enum lcl_status lcl_rank_matrix_transpose(struct lcl_device_matrix *R,
                                          struct lcl_halo_plan *columns,
                                          const struct lcl_device_matrix *P,
                                          const struct lcl_level_halo *halo,
                                          const struct lcl_ownership *O);

// The first rows of D, which keeps the arrays.
static inline struct lcl_device_matrix lcl_first_rows(
    const struct lcl_device_matrix *D, int64_t rows, int64_t entries)
{
    struct lcl_device_matrix part = *D;
    part.n = part.block_rows = rows;
    part.blocks = entries;
    return part;
}
