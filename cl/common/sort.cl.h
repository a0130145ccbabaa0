// SPDX-License-Identifier: BSD-3-Clause
// Sorting of the keys of one subdomain by one group.
#pragma once

// Bitonic sorting network whose comparators all put the smaller key first, so
// that positions behind the last key count as larger than every key. Each stage
// merges pairs of runs of `top` sorted keys: it compares them back to back,
// then at halved strides. Comparator t compares the keys at low = low_of(t) and
// at high_of(low).
static inline uint low_of(uint t, uint stride)
{
    return 2 * t - (t & (stride - 1));
}

static inline uint high_of(uint low, uint stride, uint top)
{
    return low ^ (stride == top ? 2 * stride - 1 : stride);
}

// Number of comparators for `count` keys at a stride.
static inline uint pairs_at(uint stride, uint count)
{
    return (count + 2 * stride - 1) / (2 * stride) * stride;
}

#if LCL_WIDTH == 1
// Merges the sorted runs from .. middle-1 and middle .. to-1 of `key`.
static inline void merge_runs(global ulong *out, global const ulong *key,
                              uint from, uint middle, uint to)
{
    uint l = from, r = middle;
    for (uint i = from; i < to; ++i)
        out[i] =
            l < middle && (r == to || key[l] <= key[r]) ? key[l++] : key[r++];
}

// Merge sort with `room` for as many keys; returns the sorted array.
static inline global ulong *merge_sort(global ulong *key, global ulong *room,
                                       uint count)
{
    for (uint run = 1; run < count; run *= 2) {
        for (uint from = 0; from < count; from += 2 * run)
            merge_runs(room, key, from, min(from + run, count),
                       min(from + 2 * run, count));
        global ulong *sorted = room;
        room = key;
        key = sorted;
    }
    return key;
}
#endif
