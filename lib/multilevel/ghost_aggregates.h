// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts, for the prolongation of
// single rows that reproduces constants (lib/multilevel/prolongator.h).
#pragma once

#include "lib/multilevel/aggregates.h"
#include "lib/multilevel/rank_matrix.h"

// Adds to G, the aggregates of the rank's rows, which O owns, the rows of the
// ghosts of `halo`, for which the array has room, and their aggregates behind
// the rank's. *columns number the aggregates and are not connected. Collective,
// with the statuses of lcl_ghost_rows_init(); the caller finishes *columns in
// any case.
enum lcl_status lcl_ghost_aggregates(struct lcl_aggregates *G,
                                     struct lcl_halo_plan *columns,
                                     const struct lcl_level_halo *halo,
                                     const struct lcl_ownership *O);
