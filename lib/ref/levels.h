// SPDX-License-Identifier: BSD-3-Clause
// Reference of the level assignment (Mehta et al., Algorithm 4.2) and of the
// resulting order.
#pragma once

#include "lib/partition/subdomains.h"

// Levels of rows [first, last) of B, ignoring entries outside that range:
// level[i - first] = 0 if row i depends on no row, else 1 + the largest level
// that it depends on. Row i depends on j < i if b_ij or b_ji is stored, so that
// one structure serves L and, in reverse, U. Returns the number of levels.
int32_t lcl_ref_levels(const struct lcl_csr *B, int64_t first, int64_t last,
                       int32_t *level);

// The same counted from the last row: 0 if no row depends on row i, else 1 +
// the largest level of the rows that do.
int32_t lcl_ref_levels_from_the_end(const struct lcl_csr *B, int64_t first,
                                    int64_t last, int32_t *level);

// Sorts the rows of each subdomain by level and permutes `level` accordingly;
// within a level the rows keep their order, with `longest` those with more
// entries inside the subdomain come first. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_order(struct lcl_subdomains *P, int32_t *level,
                              const struct lcl_csr *B, bool longest);
