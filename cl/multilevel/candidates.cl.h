// SPDX-License-Identifier: BSD-3-Clause
// The candidates C_i' of a row for extended interpolation: found by a hash
// table of the group in local memory, then looked up among ascending columns.
#pragma once

#include "extended.cl.h"
#include "keys.cl.h"
#include "row_team.cl.h"

#define TEAMS     (LCL_GROUP / LANES_PER_ROW)
#define FREE_SLOT -1

struct matrix {
    global const index_t *row_ptr;
    global const int *col;
    global const double *val;
    global const uchar *strong, *negative;
    global const int *coarse;
};

struct table {
    local int4 *slots;
    local int *keys;
    local uint *used;
};

#if LCL_WIDTH == 1
static inline int claim(local int *slot, int column)
{
    const int seen = *slot;
    *slot = seen == FREE_SLOT ? column : seen;
    return seen;
}

static inline uint take(local uint *used)
{
    return (*used)++;
}
#else
static inline int claim(volatile local int *slot, int column)
{
    return atomic_cmpxchg(slot, FREE_SLOT, column);
}

static inline uint take(volatile local uint *used)
{
    return atomic_inc(used);
}
#endif

// Returns false if the column is new and there are too many.
INLINE bool insert(struct table h, int column)
{
    uint s = ((uint)column * 0x9e3779b1u) >> 24;
    for (;;) {
        const int seen = claim((local int *)h.slots + s, column);
        if (seen == column)
            return true;
        if (seen == FREE_SLOT) {
            const uint place = take(h.used);
            if (place < EXTENDED_KEYS)
                h.keys[place] = column;
            return place < EXTENDED_KEYS;
        }
        s = (s + 1) % EXTENDED_SLOTS;
    }
}

INLINE void clear_table(local int4 *slots, local uint *used)
{
    for (GROUP_DOWNWARDS(s, EXTENDED_SLOTS / 4))
        slots[s] = (int4)(FREE_SLOT);
    if (get_local_id(0) == 0)
        *used = 0;
}

INLINE void insert_candidates(struct matrix A, struct table h, long i,
                              struct span s)
{
    const uint lid = get_local_id(0);
    bool more = true;
    if (lid == 0 && s.from < s.to)
        insert(h, (int)i);
    for (index_t at = s.from + lid / LANES_PER_ROW; more && at < s.to;
         at += TEAMS) {
        const int k = A.col[at];
        const bool strong = A.strong[at], coarse = A.coarse[k] >= 0;
        if (strong && coarse && team_lane() == 0)
            more = insert(h, k);
        const struct span r = span_of(k, strong && !coarse, A.row_ptr);
        for (index_t e = r.from + team_lane(); more && e < r.to;
             e += LANES_PER_ROW)
            if (A.strong[e] && A.coarse[A.col[e]] >= 0)
                more = insert(h, A.col[e]);
    }
}

// Puts the candidates of row i, and i, in ascending order into h.keys; returns
// their number, 0 if there are too many.
INLINE uint find_candidates(struct matrix A, struct table h, long i,
                            struct span s)
{
    clear_table(h.slots, h.used);
    GROUP_BARRIER();
    insert_candidates(A, h, i, s);
    GROUP_BARRIER();
    const uint n = *h.used > EXTENDED_KEYS ? 0 : *h.used;
    GROUP_BARRIER();
    sort_keys(team_of(31 - clz(LCL_WIDTH)), h.keys, n, n);
    return n;
}

// Place of a column among n ascending ones; n if it is not there.
INLINE uint place_of(local const int *keys, uint n, int column)
{
    uint low = 0, high = n;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (keys[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && keys[low < n ? low : 0] == column ? low : n;
}
