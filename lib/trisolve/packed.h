// SPDX-License-Identifier: BSD-3-Clause
// The packed apply: lower solve, scaling and upper solve of all subdomains in
// one launch over level-packed slabs.
#pragma once

#include "lib/partition/partition.h"
#include "lib/trisolve/packed_state.h"
#include "lib/trisolve/trisolve.h"

// Partitions A into subdomains that the device's local memory holds; where
// `params` leaves their size open, of rows that suit the device (fewer for
// small systems, so that every unit has work). A is the pattern of the blocks
// of `block` rows and columns, and rows are rows of blocks; labels of the
// caller may be those of all rows. Statuses as lcl_partition_create().
enum lcl_status lcl_packed_partition(struct lcl_partition *P, lcl_context *ctx,
                                     const struct lcl_csr *A, int block,
                                     const struct lcl_partition_params *params);

// Work-items of a group for subdomains of `rows` rows.
int lcl_packed_group(const struct lcl_caps *caps, int64_t rows);

// What the kernel is specialised on. With and without `ring` it does the same.
struct lcl_spec lcl_packed_spec(const struct lcl_caps *caps,
                                const struct lcl_factor *factor, bool ring);
