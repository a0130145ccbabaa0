// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a coarse space of several ranks, and the level that couples
// them (ghost_level.h). The aggregates of a rank consist of its own subdomains;
// its unknowns follow those of the ranks before it. A rank needs the local
// unknowns: its own and those of its ghosts.
//
// If the space sums by segments, results do not depend on the number of ranks,
// provided that no border of a rank cuts a subdomain: the subdomains of all
// ranks are merged, in the order of their first rows, and each sum belongs to
// one subdomain.
#pragma once

#include "lib/multilevel/ghost_level.h"
#include "lib/multilevel/runs.h"
#include "lib/partition/subdomains.h"
#include "lib/vector/numbering.h"

// The rank's part of the coarse space.
struct lcl_coarse_site {
    const struct lcl_halo *halo;
    const struct lcl_numbering *numbering; // of the rank's rows on the device
    const struct lcl_subdomains *subdomains;
    // Of its own rows and columns; with segments that of
    // lcl_coarse_pattern_init_parts(), which takes the local aggregates
    struct lcl_coarse_pattern *pattern;
    int block;
    int64_t most; // aggregates of all ranks, with segments
};

// Numbers are what sums over rows belong to: unknowns; with segments the rows
// of subdomains, by component.
struct lcl_coarse_unknowns {
    int64_t first, numbers; // of the rank, among those of all ranks
    int64_t own, rows;      // unknowns that count as the rank's, and of all
    int64_t local;
    int32_t *unknown;   // local ones: among those of all ranks
    int32_t *aggregate; // with segments, of each subdomain of all ranks
    int block;
};

// The unknown of a number of all ranks.
static inline int32_t lcl_coarse_unknown_of(const struct lcl_coarse_unknowns *U,
                                            int64_t number)
{
    const int b = U->block;
    return U->aggregate ? (int32_t)(U->aggregate[number / b] * b + number % b)
                        : (int32_t)number;
}

// Numbers the unknowns and makes G, with a row of R for each number of the rank
// and a column of Z for each local unknown. Collective; `own` is the status of
// the rank's work before it. Returns an error that all ranks have, or one of
// this rank alone (LCL_ENOMEM, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD), on which
// the caller has to agree. *U and *G are fit to be finished in any case.
enum lcl_status lcl_coarse_unknowns_init(struct lcl_coarse_unknowns *U,
                                         struct lcl_ghost_level *G,
                                         const struct lcl_coarse_site *S,
                                         enum lcl_status own);
void lcl_coarse_unknowns_finish(struct lcl_coarse_unknowns *U);
