// SPDX-License-Identifier: BSD-3-Clause
// A coarse space of several ranks. The aggregates of a rank consist of its own
// subdomains; E couples the unknowns of all ranks, and each rank inverts all of
// it. An application gathers the restricted vectors of all ranks, then each
// rank computes the part of e = E^-1 t that its rows need: that of its own and
// of its ghost unknowns (lib/multilevel/coarse_boundary.h).
//
// If the space sums by segments, results do not depend on the number of ranks:
// the aggregates are those of coarse_parts.h, and each sum belongs to one
// subdomain, a part of its aggregate. Parts are added up in their order.
#pragma once

#include "lib/multilevel/coarse_ranks_state.h"

// Symbolic phase; collective. `own` is the status of the rank's work before it.
// Returns an error that all ranks have, or one of this rank alone (LCL_ENOMEM,
// LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD), on which the caller has to agree. *R
// is fit for lcl_coarse_ranks_finish() in any case.
enum lcl_status lcl_coarse_ranks_init(struct lcl_coarse_ranks *R,
                                      const struct lcl_coarse_site *S,
                                      enum lcl_status own);
void lcl_coarse_ranks_finish(struct lcl_coarse_ranks *R);

// Places the entries in E, whose rows are `stride` apart. Once.
enum lcl_status lcl_coarse_ranks_place(struct lcl_coarse_ranks *R,
                                       int64_t stride);

// E in `matrix`, which is zero, from the values of all ranks; those of the own
// columns are in R->compact. Collective.
enum lcl_status lcl_coarse_ranks_assemble(const struct lcl_coarse_ranks *R,
                                          lcl_buffer *matrix);

// t, of all unknowns, from what the ranks give: the plain numbers, or
// (deflated) all. Collective.
enum lcl_status lcl_coarse_ranks_gather(const struct lcl_coarse_ranks *R,
                                        bool deflated, lcl_buffer *t,
                                        const struct lcl_operands *v);

uint64_t lcl_coarse_ranks_bytes(const struct lcl_coarse_ranks *R);
