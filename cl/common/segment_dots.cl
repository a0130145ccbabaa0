// SPDX-License-Identifier: BSD-3-Clause
// Sums that are the same whatever device has the rows: segment s of the rank is
// its rows start[s] .. start[s+1]-1, in the caller's order, and
//     sums[s] = sum of a_i b_i over the rows of segment s
// A row has STAGES elements: that of stage j is a[i by_row + j by_stage].
//
// Launch: any number of groups.
// Determinism: a segment is one group's, in a fixed order; its sum depends only
// on the group size.
#include "wave.cl.h"

#ifndef PLACED
# define PLACED 0 // 1: the caller's block row i is row place[i] of the device
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif
#ifndef STAGES
# define STAGES 1
#endif

static inline long place_of(global const uint *place, int i)
{
#if PLACED
    const uint block_row = (uint)i / LCL_BLOCK;
    return (long)place[block_row] * LCL_BLOCK + (i - block_row * LCL_BLOCK);
#else
    return i;
#endif
}

WORK_GROUP
kernel void segment_dots(int segments, global const int *restrict start,
                         global const uint *restrict place, long by_row,
                         long by_stage, long first, global const double *a,
                         global const double *b, long to,
                         global double *restrict sums)
{
    local double scratch[LCL_GROUP];
    for (int s = get_group_id(0); s < segments; s += get_num_groups(0)) {
        const int end = start[s + 1];
        double sum = 0;
        for (int i = start[s] + (int)get_local_id(0); i < end; i += LCL_GROUP) {
            const long k = place_of(place, i) * by_row;
            for (int j = 0; j < STAGES; ++j)
                sum =
                    fma(a[first + k + j * by_stage], b[k + j * by_stage], sum);
        }
        sum = group_sum(sum, scratch);
        if (get_local_id(0) == 0)
            sums[to + s] = sum;
    }
}
