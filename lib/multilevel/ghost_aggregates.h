// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts, for the prolongation of
// single rows that reproduces constants (lib/multilevel/prolongator.h).
#pragma once

#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/rank_matrix.h"

// all = `own`, with the rows of the ghosts of `halo` behind the rank's rows,
// for which the array of aggregates has room, and their aggregates behind the
// rank's, which O owns. *columns number the aggregates and are not connected.
// Collective, with the statuses of lcl_ghost_rows_init(); the caller finishes
// *columns and calls the second function in any case.
enum lcl_status lcl_ghost_aggregates_init(
    struct lcl_weighted_aggregates *all, struct lcl_halo_plan *columns,
    const struct lcl_weighted_aggregates *own,
    const struct lcl_level_halo *halo, const struct lcl_ownership *O);
void lcl_ghost_aggregates_finish(struct lcl_weighted_aggregates *all);
