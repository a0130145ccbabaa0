// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums over n numbers:
//     sum_chunks     the sum of each chunk
//     scan_chunks    out[i] = sum of the numbers before i, for i <= n, and
//                    counts[at] = sum of all
// n is counts[of] if `of` is not negative. The numbers are in[i], or 1 where
// vertex i has no lower mate in[i] (MATCH_LEADERS), or 1 where in[i] is not 0.
//
// Launch: G groups for both kernels; group g has the chunk n g / G ..
//         n (g + 1) / G - 1 and adds up the sums of the chunks before it.
// Determinism: bitwise.
#include "match.cl.h"
#include "wave.cl.h"

static inline uint number_at(global const int *in, uint i, int kind)
{
    const int v = in[i];
    if (kind == MATCH_LEADERS)
        return v < 0 || i < (uint)v;
    return kind == MATCH_USED ? v != 0 : (uint)v;
}

// The sum of v over the work-items up to this one; sums[LCL_GROUP - 1] is the
// sum over all until the group reaches its next barrier.
INLINE uint scan_items(uint v, local uint *sums)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    sums[lid] = v;
    GROUP_BARRIER();
    for (uint step = 1; step < LCL_GROUP; step *= 2) {
        const uint before = lid >= step ? sums[lid - step] : 0;
        GROUP_BARRIER();
        v += before;
        sums[lid] = v;
        GROUP_BARRIER();
    }
    return v;
}

static inline uint2 chunk_of(ulong n)
{
    const ulong G = get_num_groups(0), g = get_group_id(0);
    return (uint2)((uint)(n * g / G), (uint)(n * (g + 1) / G));
}

WORK_GROUP
kernel void sum_chunks(long n, int of, int kind, global const int *restrict in,
                       global const uint *counts, global uint *sums)
{
    local uint scratch[LCL_GROUP];
    const ulong size = of < 0 ? (ulong)n : counts[of];
    const uint2 chunk = chunk_of(size);
    uint sum = 0;
    for (uint i = chunk.x + get_local_id(0); i < chunk.y; i += LCL_GROUP)
        sum += number_at(in, i, kind);
    sum = scan_items(sum, scratch);
    if (get_local_id(0) == LCL_GROUP - 1)
        sums[get_group_id(0)] = sum;
}

WORK_GROUP
kernel void scan_chunks(long n, int of, int kind, global const int *restrict in,
                        global uint *counts, global const uint *sums,
                        global uint *out, int at)
{
    local uint scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    const ulong size = of < 0 ? (ulong)n : counts[of];
    const uint2 chunk = chunk_of(size);
    uint sum = 0;
    for (uint g = lid; g < get_group_id(0); g += LCL_GROUP)
        sum += sums[g];
    scan_items(sum, scratch);
    uint before = scratch[LCL_GROUP - 1];
    for (uint first = chunk.x; first < chunk.y; first += LCL_GROUP) {
        const uint i = first + lid;
        const uint v = i < chunk.y ? number_at(in, i, kind) : 0;
        const uint own = scan_items(v, scratch);
        if (i < chunk.y)
            out[i] = before + own - v;
        before += scratch[LCL_GROUP - 1];
    }
    if (lid == 0 && get_group_id(0) == get_num_groups(0) - 1)
        out[size] = counts[at] = before;
}
