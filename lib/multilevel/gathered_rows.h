// SPDX-License-Identifier: BSD-3-Clause
// A whole matrix on the device of each rank, from the rows of all ranks.
#pragma once

#include "lib/multilevel/rank_rows.h"
#include "lib/multilevel/row_exchange.h"

struct lcl_gathered_rows {
    lcl_context *ctx;
    struct lcl_comm *comm;
    struct lcl_whole_columns own; // the rank's entries
    int64_t *bytes;               // of a number for each entry of a rank
};

// all = the whole matrix, whose rows and columns are owned by O; A has the
// rank's rows, and `columns` number its columns. Both functions are collective
// and need not be left by all ranks: one with an error has to call
// lcl_comm_fail(). They return LCL_OK, LCL_EUNSUPPORTED (2^32 entries),
// LCL_ESELFTEST, LCL_EDEVMEM, LCL_EBUILD, LCL_EDEVICE, LCL_ENOMEM or the
// statuses of a transport; the caller finishes *G and *all in any case.
enum lcl_status lcl_gathered_rows_init(struct lcl_gathered_rows *G,
                                       struct lcl_device_matrix *all,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_halo_plan *columns,
                                       const struct lcl_ownership *O);

// Takes new values of A.
enum lcl_status lcl_gathered_rows_update(const struct lcl_gathered_rows *G,
                                         const struct lcl_device_matrix *all,
                                         const struct lcl_device_matrix *A);

void lcl_gathered_rows_finish(struct lcl_gathered_rows *G);
