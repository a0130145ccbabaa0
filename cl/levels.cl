// SPDX-License-Identifier: BSD-3-Clause
// Levels of a lower triangular pattern S, for all subdomains at once:
//     level(i) = 0 if row i of S is empty, else 1 + max { level(j) : s_ij }.
// Mehta et al., arXiv 2508.04917, Algorithm 4.2.
//
// Data: S in CSR, strictly lower, columns inside the subdomain of their row;
//       part_ptr[p] .. part_ptr[p+1]-1 are the rows of subdomain p.
// Launch: one group a subdomain, at most LCL_ROWS rows.
// Result: level[i] for every row, count[p] levels of subdomain p.
#include "wave.cl.h"

#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif

#if LCL_WIDTH == 1
WORK_GROUP
kernel void levels(global const int *part_ptr, global const uint *row_ptr,
                   global const int *col, global int *level, global int *count)
{
    const int p = (int)get_group_id(0);
    int levels = 0;
    for (int i = part_ptr[p]; i < part_ptr[p + 1]; ++i) {
        int own = 0;
        for (uint k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            own = max(own, level[col[k]] + 1);
        level[i] = own;
        levels = max(levels, own + 1);
    }
    count[p] = levels;
}
#else

# define UNKNOWN -1

// Whether every row that row i depends on has its level.
static inline bool is_ready(uint from, uint to, global const int *col,
                            int first, local const int *known)
{
    for (uint k = from; k < to; ++k)
        if (known[col[k] - first] < 0)
            return false;
    return true;
}

WORK_GROUP
kernel void levels(global const int *part_ptr, global const uint *row_ptr,
                   global const int *col, global int *level, global int *count)
{
    local int known[LCL_ROWS];
    local int left;
    const int lid = (int)get_local_id(0);
    const int first = part_ptr[get_group_id(0)];
    const int rows = part_ptr[get_group_id(0) + 1] - first;
    for (int i = lid; i < rows; i += LCL_GROUP)
        known[i] = UNKNOWN;
    if (lid == 0)
        left = rows;
    GROUP_BARRIER();
    int levels = 0;
    while (left > 0) {
        for (int i = lid; i < rows; i += LCL_GROUP)
            if (known[i] == UNKNOWN)
                level[first + i] =
                    is_ready(row_ptr[first + i], row_ptr[first + i + 1], col,
                             first, known)
                        ? levels
                        : UNKNOWN;
        GROUP_BARRIER();
        for (int i = lid; i < rows; i += LCL_GROUP)
            if (known[i] == UNKNOWN && level[first + i] == levels) {
                known[i] = levels;
                atomic_dec(&left);
            }
        GROUP_BARRIER();
        ++levels;
    }
    if (lid == 0)
        count[get_group_id(0)] = levels;
}
#endif
