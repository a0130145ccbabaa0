// SPDX-License-Identifier: BSD-3-Clause
// What a rank has of a coarse space of several ranks (coarse_ranks.h).
#pragma once

#include "lib/multilevel/coarse_boundary.h"
#include "lib/multilevel/runs.h"
#include "lib/partition/subdomains.h"
#include "lib/vector/gathering.h"

// The rank's part of the coarse space.
struct lcl_coarse_site {
    const struct lcl_halo *halo;
    const struct lcl_numbering *numbering; // of the rank's rows on the device
    const struct lcl_subdomains *subdomains;
    // Of its own rows and columns; with segments that of coarse_parts.h, whose
    // aggregates are still missing
    struct lcl_coarse_pattern *pattern;
    int block;
    int64_t most; // aggregates of all ranks, with segments
};

// Where `all` has the numbers of each unknown: place[k] for first[i] <= k <
// first[i+1].
struct lcl_coarse_places {
    lcl_buffer *first, *place;
};

struct lcl_coarse_ranks {
    struct lcl_space space;
    struct lcl_coarse_boundary boundary;
    // Unknowns: the rank's first and number, all ranks'. With segments the
    // rank's first part, and the number of unknowns that begin on the rank
    int64_t first, own, rows;
    int64_t local;    // own and ghost unknowns
    int32_t *unknown; // of these: numbers among those of all ranks
    lcl_buffer *list; // the same on the device
    // t: each rank gives up to `share` numbers: `plain` ones, for its own
    // unknowns or parts, and behind them those of the boundary's deflation
    int64_t plain, share;
    struct lcl_gathering gathering;
    lcl_buffer *given, *all;
    struct lcl_coarse_places restricted, deflated; // the latter: of all numbers
    struct lcl_vector_ops ops;
    lcl_kernel *collect;
    // E: each rank gives entries, `most` at most, of which `values` are those
    // of its own columns, in the order of the pattern
    int64_t values, most, entries;
    int64_t *counts;         // of entries by rank
    int32_t (*position)[2];  // of all entries until they are placed
    lcl_buffer *entry_place; // in E
    lcl_buffer *entry_val;
    uint32_t *added; // with segments instead: where the host adds up entries
    int64_t stride;  // of E
    lcl_buffer *compact_row, *compact_col, *compact;
    double *sent, *received;
};
