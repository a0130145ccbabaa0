// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts, for the prolongation of
// single rows that reproduces constants (lib/multilevel/prolongator.h).
#pragma once

#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/rank_matrix.h"

// Ghosts come behind the rank's own rows and aggregates.
struct lcl_ghost_aggregates {
    struct lcl_aggregates aggregates; // has the array of those of the rank
    lcl_buffer *weight;               // of rows, uint32; NULL: all 1
    lcl_buffer *sum;                  // of aggregates
};

// G has the aggregates of the rank's rows, and room for those of the ghosts of
// `halo`, which it receives; `weight` and `sum` are those of the rank's rows
// and aggregates, which O owns. *columns number the aggregates and are not
// connected. Collective, with the statuses of lcl_ghost_rows_init(); the caller
// finishes what it fills in any case.
enum lcl_status lcl_ghost_aggregates_init(struct lcl_ghost_aggregates *all,
                                          struct lcl_halo_plan *columns,
                                          const struct lcl_aggregates *G,
                                          const lcl_buffer *weight,
                                          const lcl_buffer *sum,
                                          const struct lcl_level_halo *halo,
                                          const struct lcl_ownership *O);
void lcl_ghost_aggregates_finish(struct lcl_ghost_aggregates *all);
