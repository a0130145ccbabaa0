// SPDX-License-Identifier: BSD-3-Clause
// A coarse space of several ranks (coarse_unknowns.h). Each rank inverts E,
// which couples the unknowns of all. An application gathers the sums of all
// ranks, then each rank computes the part of e = E^-1 t that its rows need. Of
// several sums for one unknown or one entry of E, those of the first rank come
// first.
#pragma once

#include "lib/multilevel/coarse_unknowns.h"
#include "lib/vector/gathering.h"

// For each target k, the gathered numbers place[m], first[k] <= m < first[k+1].
struct lcl_coarse_lists {
    int64_t targets;
    lcl_buffer *first, *place;
};

// Numbers of all ranks, `gathering.count` each.
struct lcl_coarse_gathered {
    struct lcl_gathering gathering;
    lcl_buffer *given, *all;
};

struct lcl_coarse_shared {
    struct lcl_space space;
    struct lcl_coarse_unknowns unknowns;
    struct lcl_ghost_level level;
    lcl_buffer *list; // the local unknowns
    // The rank gives the restricted vector; deflated, also sums of W^T y
    struct lcl_coarse_gathered t;
    struct lcl_coarse_lists restricted, deflated; // by unknown
    // It gives the values of E in its own columns, in the order of the pattern,
    // and those of the level
    struct lcl_coarse_gathered e;
    int64_t values;
    lcl_buffer *level_place;         // of the level's values in e.given
    struct lcl_coarse_lists entries; // by entry of E
    lcl_buffer *entry_place, *entry; // in E, and its value
    struct lcl_vector_ops ops;
    lcl_kernel *collect;
};

// Numbers the unknowns. Collective; `own` is the status of the rank's work
// before it. Statuses as lcl_coarse_unknowns_init(), the same on all ranks; *R
// is fit for lcl_coarse_shared_finish() in any case.
enum lcl_status lcl_coarse_shared_init(struct lcl_coarse_shared *R,
                                       const struct lcl_coarse_site *S,
                                       enum lcl_status own);
void lcl_coarse_shared_finish(struct lcl_coarse_shared *R);

// Prepares the exchanges, for a matrix E whose rows are `stride` apart; P is
// the pattern of the rank's own rows and columns. Collective, `own` as above.
// Returns an error that all ranks have, or one of this rank alone.
enum lcl_status lcl_coarse_shared_connect(struct lcl_coarse_shared *R,
                                          const struct lcl_coarse_pattern *P,
                                          int64_t stride, enum lcl_status own);

// E in `matrix`, which is zero, from the values of all ranks; those of the own
// columns are in R->e.given. Collective.
enum lcl_status lcl_coarse_shared_assemble(const struct lcl_coarse_shared *R,
                                           lcl_buffer *matrix);

// t, of all unknowns, from what the ranks give: the restricted vectors, or
// (deflated) all. Collective.
enum lcl_status lcl_coarse_shared_gather(const struct lcl_coarse_shared *R,
                                         bool deflated, lcl_buffer *t,
                                         const struct lcl_operands *v);

uint64_t lcl_coarse_shared_bytes(const struct lcl_coarse_shared *R);
