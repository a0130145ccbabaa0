// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a coarse space of several ranks: which of them the rows and
// the ghosts of a rank have.
#pragma once

#include "lib/multilevel/coarse_ranks_state.h"

// What the symbolic phase knows on the host. `row` and `place` in the caller's
// numbering of the rank's rows: only for boundary rows, their columns, and rows
// that other ranks need.
struct lcl_coarse_search {
    const struct lcl_coarse_site *S;
    int32_t *row;    // own unknown of each row
    int32_t *place;  // row of the device
    int32_t *ghost;  // of ghosts, among those of all ranks; then the local ones
    int64_t *firsts; // by rank: its first unknown, then their total
    int32_t *order;  // aggregates of the rank's subdomains
    // With segments unknowns are parts at first, and `order` is the place of
    // each subdomain among the parts.
    int32_t *part;      // of each row
    int32_t *aggregate; // of the subdomains of all ranks
    int32_t *local;     // of all aggregates: numbers in the rank; -1: not there
};

// Whether sums are the same on any number of ranks: unknowns are parts at
// first.
static inline bool lcl_coarse_has_parts(const struct lcl_coarse_ranks *R)
{
    return R->space.segments != NULL;
}

// The unknown to which a part of all ranks belongs.
static inline int32_t lcl_coarse_unknown_of(const struct lcl_coarse_search *s,
                                            int64_t part)
{
    const int b = s->S->block;
    return (int32_t)(s->aggregate[part / b] * b + part % b);
}

// Functions return LCL_OK, LCL_ENOMEM or the statuses of the calls that they
// name; lcl_coarse_search_finish() is due in any case.

// What needs no other rank: the unknowns of rows.
enum lcl_status lcl_coarse_search_begin(struct lcl_coarse_search *s,
                                        const struct lcl_coarse_ranks *R);

// Numbers the unknowns of all ranks, and learns those of the ghosts; with
// segments the aggregates of the subdomains of all ranks, too. Collective;
// statuses as lcl_halo_plan_carry().
enum lcl_status lcl_coarse_search_number(struct lcl_coarse_search *s,
                                         struct lcl_coarse_ranks *R);

// Lists the local unknowns and makes R->boundary, as
// lcl_coarse_boundary_init().
enum lcl_status lcl_coarse_search_local(struct lcl_coarse_search *s,
                                        struct lcl_coarse_ranks *R);

void lcl_coarse_search_finish(struct lcl_coarse_search *s);
