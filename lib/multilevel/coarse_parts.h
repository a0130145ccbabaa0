// SPDX-License-Identifier: BSD-3-Clause
// Aggregates that do not depend on how many ranks share the subdomains, if no
// border of a rank cuts one: all subdomains are numbered by their first rows,
// and each rank merges those of all.
#pragma once

#include "lib/multilevel/runs.h"
#include "lib/partition/subdomains.h"
#include "lib/storage/halo_plan.h"

// C = the subdomains, each an aggregate, without runs and entries; the caller
// adds part_agg and agg_parts. Statuses as lcl_buffer_create().
enum lcl_status lcl_coarse_parts_pattern(struct lcl_coarse_pattern *C,
                                         lcl_context *ctx,
                                         const struct lcl_subdomains *P);

// place[p] = the place of subdomain p among those of the rank, by their first
// rows; row i of the device is the caller's perm[i]. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_coarse_parts_order(int32_t *place,
                                       const struct lcl_subdomains *P,
                                       int block, const int32_t *perm,
                                       const struct lcl_log *log);

// The subdomains of all ranks: those of the calling one start at `first`. Of
// the rows of a plan that lists all of them, and of its ghosts: the number of
// the subdomain, in the rank and among all, times `block`, and the component.
struct lcl_coarse_parts {
    const struct lcl_halo_plan *plan;
    int64_t first, own, total;
    const int32_t *row, *ghost;
    int block;
};

// aggregate[p] = the aggregate, of *count <= `most`, of each subdomain of all
// ranks. Collective; a rank with an error has to call lcl_comm_fail(). Returns
// LCL_OK, LCL_ENOMEM or a status of the transport.
enum lcl_status lcl_coarse_parts_merge(int32_t *aggregate, int64_t *count,
                                       const struct lcl_coarse_parts *Q,
                                       int64_t most, struct lcl_comm *comm);
