// SPDX-License-Identifier: BSD-3-Clause
// Level assignment on the device, and the numbering that follows from it.
#pragma once

#include "lib/partition/partition.h"

#include <levelcl/context.h>

// Levels of the subdomains of B, the matrix reordered by P: level[i] for every
// row, count[p] levels of subdomain p. Row i depends on row j < i of its
// subdomain where b_ij or b_ji is stored: one structure serves the forward
// sweep in ascending and the backward sweep in descending levels.
// Mehta et al., arXiv 2508.04917, Algorithm 4.2.
enum lcl_status lcl_levels_assign(int32_t *level, int32_t *count,
                                  lcl_context *ctx, const struct lcl_csr *B,
                                  const struct lcl_partition *P);

// Sorts the rows of each subdomain by level, longer rows first within one, and
// renumbers `level` with them. The order is topological: the factors of the
// sorted matrix are the sorted factors.
enum lcl_status lcl_levels_sort(struct lcl_partition *P, int32_t *level,
                                const struct lcl_csr *B,
                                const struct lcl_log *log);
