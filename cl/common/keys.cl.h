// SPDX-License-Identifier: BSD-3-Clause
// Teams of 2^shift lanes in groups of one wave, and sorting of the keys that a
// team has in local memory.
#pragma once

#include "sort.cl.h"
#include "wave.cl.h"

struct team {
    int shift;
    uint lanes;  // 2^shift, up to LCL_WIDTH
    uint lane;   // of this work-item in the team
    uint number; // of the team in the wave
};

static inline struct team team_of(int shift)
{
    const uint lid = get_local_id(0);
    struct team t;
    t.shift = shift;
    t.lanes = 1u << shift;
    t.lane = lid & (t.lanes - 1);
    t.number = lid >> shift;
    return t;
}

// for (TEAMS_RANGE(at, rows, shift)): all work-items of a group loop together;
// team t has row at + t, if that is below `rows`.
#define TEAMS_RANGE(at, rows, shift) GROUP_RANGE(at, rows, LCL_WIDTH >> (shift))

// for (TEAM_DOWNWARDS(e, count, t)): the e < count of this lane of its team.
#define TEAM_DOWNWARDS(e, count, t)                                            \
 uint e##_left = turns_of(count, (t).lane, (t).shift), e = 0;                  \
 e##_left > 0 && (e = (--e##_left << (t).shift) + (t).lane, true);

// Sorts keys[0 .. n-1] of the team; `most` is the largest n in the group. No
// barrier precedes; one follows each exchange.
INLINE void sort_keys(struct team t, local int *keys, uint n, uint most)
{
#if LCL_WIDTH == 1
    // Shell sort, whose last pass is an insertion sort
    for (uint gap = n > 8 ? n / 3 : 1; n > 1 && gap > 0;
         gap = gap > 2 ? gap / 3 : gap - 1)
        for (uint i = gap; i < n; ++i) {
            const int key = keys[i];
            uint at = i;
            for (; at >= gap && keys[at - gap] > key; at -= gap)
                keys[at] = keys[at - gap];
            keys[at] = key;
        }
#else
    for (uint top = 1; top < most; top *= 2)
        for (uint stride = top; stride > 0; stride /= 2) {
            const uint pairs = pairs_at(stride, n);
            for (TEAM_DOWNWARDS(p, pairs, t)) {
                const uint low = low_of(p, stride);
                const uint high = high_of(low, stride, top);
                if (high < n && keys[low] > keys[high]) {
                    const int key = keys[low];
                    keys[low] = keys[high];
                    keys[high] = key;
                }
            }
            GROUP_BARRIER();
        }
#endif
}
