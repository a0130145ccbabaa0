// SPDX-License-Identifier: BSD-3-Clause
// The prolongation of single rows that reproduces constants, of a level of
// several ranks (lib/multilevel/prolongator.h).
#pragma once

#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/rank_matrix.h"

struct lcl_rank_aggregates {
    const struct lcl_device_matrix *A; // the rank's rows
    const struct lcl_strength *S;      // of these and the rows of the ghosts
    const struct lcl_aggregates *G;    // of the rank's rows; it has room for
                                       // those of the ghosts
    const lcl_buffer *weight;          // of the rank's rows; NULL: all 1
    const lcl_buffer *lambda;
    const struct lcl_level_halo *halo;  // of A
    const struct lcl_ownership *owners; // of the aggregates
};

// P = the rank's rows; *columns number its columns and are not connected, *next
// has the weights of the rank's aggregates. Collective, with the statuses of
// lcl_ghost_rows_init(); the caller finishes what it fills in any case.
enum lcl_status lcl_rank_prolongator_init(struct lcl_device_matrix *P,
                                          struct lcl_halo_plan *columns,
                                          lcl_buffer **next,
                                          const struct lcl_rank_aggregates *w);
