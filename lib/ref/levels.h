// SPDX-License-Identifier: BSD-3-Clause
// Reference of the level assignment (Mehta et al., Algorithm 4.2) and of the
// order that follows from it.
#pragma once

#include "lib/partition/partition.h"

// Levels of the rows [first, last) of B, entries outside that window ignored:
// level[i - first] = 0 where row i depends on no row, else 1 + the largest
// level it depends on. Row i depends on j < i where b_ij or b_ji is stored, so
// that one structure serves L and, read backwards, U. Returns the number of
// levels.
int32_t lcl_ref_levels(const struct lcl_csr *B, int64_t first, int64_t last,
                       int32_t *level);

// The same counted from the last row: 0 where no row depends on row i, else 1 +
// the largest of those that do.
int32_t lcl_ref_levels_from_the_end(const struct lcl_csr *B, int64_t first,
                                    int64_t last, int32_t *level);

// Sorts the rows of each subdomain by level, longer rows first within one, and
// renumbers `level` with them. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_order(struct lcl_partition *P, int32_t *level,
                              const struct lcl_csr *B);
