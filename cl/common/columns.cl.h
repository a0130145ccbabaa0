// SPDX-License-Identifier: BSD-3-Clause
// Vectors with COLUMNS interleaved columns: row i of column q is at
// i * COLUMNS + q. A work-item has OWN consecutive elements of a row in each
// round of a loop: one, or at width 1 the whole row.
#pragma once

#include "wave.cl.h"

#ifndef COLUMNS
# define COLUMNS 8 // 2, 4 or 8; divides LCL_GROUP unless LCL_WIDTH is 1
#endif
#if LCL_WIDTH == 1
# define OWN COLUMNS
#else
# define OWN 1
#endif

// Rounds of a loop over n rows: for (RANGE(t, ROUNDS_OF(n))) has the elements
// t * OWN + c, c < OWN, of row t * OWN / COLUMNS and columns FIRST_COLUMN + c.
#define ROUNDS_OF(n) ((n) * (COLUMNS / OWN))
#if LCL_WIDTH == 1
# define FIRST_COLUMN 0
#else
# define FIRST_COLUMN ((uint)get_local_id(0) % COLUMNS)
#endif

// Adds up each column over the group: sums[q * stride] = column q. All
// work-items call it.
INLINE void columns_store(const double *own, long stride, global double *sums,
                          local double *scratch)
{
#if LCL_WIDTH == 1
    for (uint q = 0; q < COLUMNS; ++q)
        sums[q * stride] = own[q];
#else
    const uint lid = get_local_id(0);
    double sum = 0;
    GROUP_BARRIER();
    scratch[lid] = own[0];
    GROUP_BARRIER();
    if (lid < COLUMNS) {
        for (ASCENDING(l, LCL_GROUP / COLUMNS))
            sum += scratch[lid + l * COLUMNS];
        sums[lid * stride] = sum;
    }
#endif
}

// The same as row q of partial sums.
INLINE void columns_partial(const double *own, global double *sums,
                            local double *scratch)
{
    columns_store(own, get_num_groups(0), sums + get_group_id(0), scratch);
}
