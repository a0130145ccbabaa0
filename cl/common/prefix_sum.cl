// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sum of n numbers, in two launches of equally many groups:
//     sum_chunks     sums[g] = sum of chunk g
//     scan_chunks    out[i] = sum of the numbers before i, for i <= n
//
// Launch: G groups; group g has the chunk n g / G .. n (g + 1) / G - 1.
// Determinism: exact.
#include "wave.cl.h"

#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: 64-bit sums
#endif
#if LCL_WIDE
typedef ulong sum_t;
#else
typedef uint sum_t;
#endif

static inline long chunk_start(long n, long chunk)
{
    return n * chunk / (long)get_num_groups(0);
}

// The sum of v over the work-items up to this one; sums[LCL_GROUP - 1] is that
// over the group until its next barrier.
INLINE sum_t sum_up_to_item(sum_t v, local sum_t *sums)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    sums[lid] = v;
    GROUP_BARRIER();
    for (uint step = 1; step < LCL_GROUP; step *= 2) {
        const sum_t before = lid >= step ? sums[lid - step] : 0;
        GROUP_BARRIER();
        v += before;
        sums[lid] = v;
        GROUP_BARRIER();
    }
    return v;
}

WORK_GROUP
kernel void sum_chunks(long n, global const uint *restrict in,
                       global sum_t *restrict sums)
{
    local sum_t scratch[LCL_GROUP];
    const long g = get_group_id(0), end = chunk_start(n, g + 1);
    sum_t sum = 0;
    for (long i = chunk_start(n, g) + get_local_id(0); i < end; i += LCL_GROUP)
        sum += in[i];
    sum = sum_up_to_item(sum, scratch);
    if (get_local_id(0) == LCL_GROUP - 1)
        sums[g] = sum;
}

WORK_GROUP
kernel void scan_chunks(long n, global const uint *restrict in,
                        global const sum_t *restrict sums,
                        global sum_t *restrict out)
{
    local sum_t scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    const long g = get_group_id(0), end = chunk_start(n, g + 1);
    sum_t before = 0;
    for (long c = lid; c < g; c += LCL_GROUP)
        before += sums[c];
    sum_up_to_item(before, scratch);
    before = scratch[LCL_GROUP - 1];
    for (long first = chunk_start(n, g); first < end; first += LCL_GROUP) {
        const long i = first + lid;
        const sum_t v = i < end ? in[i] : 0;
        const sum_t up_to_i = sum_up_to_item(v, scratch);
        if (i < end)
            out[i] = before + up_to_i - v;
        before += scratch[LCL_GROUP - 1];
    }
    if (lid == 0 && g == (long)get_num_groups(0) - 1)
        out[n] = before;
}
