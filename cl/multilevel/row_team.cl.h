// SPDX-License-Identifier: BSD-3-Clause
// Teams of LANES_PER_ROW lanes, each with one row of a matrix at a time, and
// their sums and maxima. A sum of a row has AGGREGATE_SUMS partial sums, by the
// position of the entry modulo AGGREGATE_SUMS, which are added as a tree: ((p0
// + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7)), whatever the width.
#pragma once

#include "aggregate.cl.h"
#include "index.cl.h"
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to LCL_WIDTH and AGGREGATE_SUMS
#endif

#define SHARES (AGGREGATE_SUMS / LANES_PER_ROW) // partial sums of a lane

// for (ROWS(first, n)): all work-items of a group loop together, their teams
// have the rows first, first + 1, ...; row_of(first) is that of the team.
#define ROWS(first, n) GROUP_RANGE(first, n, LCL_GROUP / LANES_PER_ROW)

static inline long row_of(long first)
{
    return first + (long)(get_local_id(0) / LANES_PER_ROW);
}

static inline uint team_lane(void)
{
    return get_local_id(0) % LANES_PER_ROW;
}

// Entries of a row for the team; none if `use` is false.
struct span {
    index_t from, to;
};

static inline struct span span_of(long i, bool use,
                                  global const index_t *row_ptr)
{
    struct span s = {0, 0};
    if (use) {
        s.from = row_ptr[i];
        s.to = row_ptr[i + 1];
    }
    return s;
}

// The v of lane (own lane XOR mask), mask < LANES_PER_ROW. What a lane of the
// team has read before, another one may overwrite afterwards.
#if LANES_PER_ROW == 1
INLINE double team_xor(double v, uint mask, local double *scratch)
{
    return v;
}
INLINE ulong team_xor_key(ulong v, uint mask, local double *scratch)
{
    return v;
}
#elif defined(LCL_EXCHANGE_LOCAL)
INLINE double team_xor(double v, uint mask, local double *scratch)
{
    GROUP_BARRIER_GLOBAL();
    scratch[get_local_id(0)] = v;
    GROUP_BARRIER();
    return scratch[get_local_id(0) ^ mask];
}
INLINE ulong team_xor_key(ulong v, uint mask, local double *scratch)
{
    local ulong *keys = (local ulong *)scratch;
    GROUP_BARRIER_GLOBAL();
    keys[get_local_id(0)] = v;
    GROUP_BARRIER();
    return keys[get_local_id(0) ^ mask];
}
#else
INLINE double team_xor(double v, uint mask, local double *scratch)
{
    return wave_xor(v, mask);
}
INLINE ulong team_xor_key(ulong v, uint mask, local double *scratch)
{
    const uint2 a = as_uint2(v);
    return as_ulong(
        (uint2)(wave_xor_uint(a.x, mask), wave_xor_uint(a.y, mask)));
}
#endif

INLINE double team_sum(double v, local double *scratch)
{
    for (uint mask = LANES_PER_ROW / 2; mask > 0; mask /= 2)
        v += team_xor(v, mask, scratch);
    return v;
}

INLINE double team_max(double v, local double *scratch)
{
    for (uint mask = LANES_PER_ROW / 2; mask > 0; mask /= 2)
        v = fmax(v, team_xor(v, mask, scratch));
    return v;
}

INLINE ulong team_max_key(ulong v, local double *scratch)
{
    for (uint mask = LANES_PER_ROW / 2; mask > 0; mask /= 2)
        v = max(v, team_xor_key(v, mask, scratch));
    return v;
}

// The sum of a row from the partial sums of the lanes, SHARES each.
INLINE double row_sum(double *part, local double *scratch)
{
    for (uint half_count = SHARES / 2; half_count > 0; half_count /= 2)
        for (DOWNWARDS(q, half_count))
            part[q] += part[q + half_count];
    return team_sum(part[0], scratch);
}
