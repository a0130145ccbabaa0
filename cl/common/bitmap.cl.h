// SPDX-License-Identifier: BSD-3-Clause
// Sorted sets of numbers as bits in local memory, by one group: a window of
// BITMAP_BITS numbers at a time.
#pragma once

#include "wave.cl.h"

#define BITMAP_WORDS 4096
#define BITMAP_BITS  (32 * BITMAP_WORDS)

// The bits of a set, and LCL_GROUP numbers for sums over the group.
struct bitmap {
    local uint *words;
    local ulong *scratch;
};

// Smallest and largest number, which work-items pass to widen().
INLINE void bounds_begin(local int *bounds)
{
    GROUP_BARRIER();
    if (get_local_id(0) == 0) {
        bounds[0] = INT_MAX;
        bounds[1] = -1;
    }
    GROUP_BARRIER();
}

#if LCL_GROUP == 1
INLINE void widen(local int *bounds, int low, int high)
{
    bounds[0] = min(bounds[0], low);
    bounds[1] = max(bounds[1], high);
}

INLINE void bitmap_set(struct bitmap b, uint bit)
{
    b.words[bit / 32] |= 1u << bit % 32;
}
#else
INLINE void widen(volatile local int *bounds, int low, int high)
{
    atomic_min(&bounds[0], low);
    atomic_max(&bounds[1], high);
}

INLINE void bitmap_set(struct bitmap b, uint bit)
{
    atomic_or((volatile local uint *)&b.words[bit / 32], 1u << bit % 32);
}
#endif

// Number of words for the numbers `base` .. `last`, at most those of a window.
static inline uint bitmap_words(long base, long last)
{
    return (uint)min((last - base) / 32 + 1, (long)BITMAP_WORDS);
}

INLINE void bitmap_clear(struct bitmap b, uint words)
{
    GROUP_BARRIER();
    for (GROUP_DOWNWARDS(w, words))
        b.words[w] = 0;
    GROUP_BARRIER();
}

// Number of bits in this work-item's share of the words.
INLINE uint bitmap_count(struct bitmap b, uint words)
{
    const uint2 s = slice_of(words);
    uint count = 0;
    for (DOWNWARDS(w, s.y - s.x))
        count += popcount(b.words[s.x + w]);
    return count;
}

// The sum of v over the work-items up to this one; scratch[LCL_GROUP - 1] is
// that over the group until its next barrier.
INLINE ulong group_sum_up_to(ulong v, local ulong *scratch)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    scratch[lid] = v;
    GROUP_BARRIER();
    for (uint step = 1; step < LCL_GROUP; step *= 2) {
        const ulong before = lid >= step ? scratch[lid - step] : 0;
        GROUP_BARRIER();
        v += before;
        scratch[lid] = v;
        GROUP_BARRIER();
    }
    return v;
}

// Writes base + bit for all bits in ascending order; returns their number.
INLINE uint bitmap_write(struct bitmap b, uint words, int base, global int *out)
{
    const uint2 s = slice_of(words);
    uint end = (uint)group_sum_up_to(bitmap_count(b, words), b.scratch);
    for (DOWNWARDS(w, s.y - s.x)) {
        uint bits = b.words[s.x + w];
        while (bits) {
            const uint highest = 31 - clz(bits);
            out[--end] = base + (int)(32 * (s.x + w) + highest);
            bits ^= 1u << highest;
        }
    }
    return (uint)b.scratch[LCL_GROUP - 1];
}
