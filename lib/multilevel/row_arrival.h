// SPDX-License-Identifier: BSD-3-Clause
// Rows that have come from other ranks, in columns of the rank.
#pragma once

#include "lib/multilevel/row_exchange.h"

// *to = a plan, not connected, with the rows of `from`, its ghosts, and the
// columns that have come and belong to other ranks. Waits for these. Returns
// LCL_OK, LCL_ERANGE (too many), LCL_ESELFTEST, LCL_EDEVMEM, LCL_EBUILD,
// LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_arrival_ghosts(struct lcl_halo_plan *to,
                                   const struct lcl_came_rows *came,
                                   const struct lcl_halo_plan *from,
                                   lcl_context *ctx);

struct lcl_arrival {
    const struct lcl_came_rows *came;
    const struct lcl_halo_plan *columns;
    const lcl_buffer *place; // which of them each row is, int32; NULL: row k is
                             // row k
};

// D = the rows, without entries in columns that `columns` lacks: own columns
// first, then ghosts. Entry k is entry (*map)[k] of those that came, uint32.
// Statuses as above without LCL_ERANGE; the caller finishes both in any case.
enum lcl_status lcl_arrive(struct lcl_device_matrix *D, lcl_buffer **map,
                           lcl_context *ctx, const struct lcl_arrival *a);
