// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of the matching, shared with the host: integers, and fp64
// operations that are rounded correctly everywhere, so that all devices get the
// same subdomains.
#pragma once

#include "types.cl.h"

#define MATCH_ROUNDS   8     // of a level
#define MATCH_SCALE    65536 // weight of a coupling of strength 1
#define MATCH_LEAST    66    // added to every weight: 0.001
#define MATCH_REFINED  4     // rounds of refinement of a level
#define MATCH_GAINS    8     // classes of gains
#define MATCH_DRAWS    8     // hash classes of equal gains
#define MATCH_CLASSES  (MATCH_GAINS * MATCH_DRAWS)
#define MATCH_DEGREE   512 // vertices with more entries do not change parts
#define MATCH_LONG     256 // entries of a row for a whole group
#define MATCH_SMALL    8   // a part below 1/8 of the limit is small
#define MATCH_VICINITY 64  // isolated vertices of a vicinity may be paired
#define MATCH_LEVELS   64
#define MATCH_DRAWINGS 2 // rounds of pairing vertices without free neighbours

// Words that the kernels of a level count in; the first tell the rounds in
// which something changed.
enum {
    MATCH_COUNT = MATCH_ROUNDS, // coarse vertices
    MATCH_ENTRIES,              // of the coarse graph
    MATCH_MERGED_LONG,          // coarse rows that are long before merging
    MATCH_LONGS,                // and after
    MATCH_HALVES,               // two such rows together may be long
    MATCH_LACKING,              // 1: the pattern is not symmetric
    MATCH_WORDS,
};

static inline lcl_u32 match_mix(lcl_u32 h)
{
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// Hash of the edge (i, j), the same from both ends.
static inline lcl_u32 match_hash(lcl_u32 i, lcl_u32 j, lcl_u32 round)
{
    const lcl_u32 low = i < j ? i : j, high = i < j ? j : i;
    return match_mix(match_mix(low * 0x9e3779b1u + round) ^ high * 0xb5297a4du);
}

// a_ij as an integer weight; `roots` are 1 / sqrt(|a_ii|) and that of a_jj.
// NaN and infinity count as 1.
static inline lcl_u32 match_strength(double a, double row_root, double col_root)
{
    const double s = (a < 0 ? -a : a) * row_root * col_root;
    return (s < 1 ? (lcl_u32)(s * MATCH_SCALE) : MATCH_SCALE) + MATCH_LEAST;
}

// Saturates. In 64 bits, since simulators lack the instruction that compilers
// make of a comparison with a.
static inline lcl_u32 match_add(lcl_u32 a, lcl_u32 b)
{
    const lcl_u64 sum = (lcl_u64)a + b;
    return sum >> 32 ? 0xffffffffu : (lcl_u32)sum;
}

// Rating of an edge between vertices of s and t rows (Holtgrewe, Sanders,
// Schulz, 2010), the same from both ends.
static inline double match_rating(lcl_u32 weight, lcl_u32 s, lcl_u32 t)
{
    return (double)weight * weight / ((double)s * t);
}

// Class of a move, the best first: by the gain relative to all `weight` of the
// vertex, then by hash.
static inline lcl_u32 match_class(lcl_u32 gain, lcl_u32 weight, lcl_u32 hash)
{
    const lcl_u64 share = (lcl_u64)gain * MATCH_GAINS / ((lcl_u64)weight + 1);
    return (MATCH_GAINS - 1 - (lcl_u32)share) * MATCH_DRAWS +
           hash % MATCH_DRAWS;
}

static inline int match_active(lcl_u32 hash)
{
    return (int)(hash >> 31);
}

static inline int match_small(lcl_u32 rows, lcl_u32 limit)
{
    return rows < limit / MATCH_SMALL;
}

// Whether a level of `n` vertices, contracted to `count`, shrinks too little.
static inline int match_stalls(lcl_u64 n, lcl_u64 count)
{
    return 10 * (n - count) < n;
}

// Whether to contract further: not once the vertices fill half the limit on
// average and hardly find a partner, nor once pairing leaves does not help.
static inline int match_goes_on(lcl_u64 rows, lcl_u64 n, lcl_u64 count,
                                lcl_u32 limit, int leaves)
{
    if (!match_stalls(n, count))
        return 1;
    return 2 * rows < limit * count && (!leaves || limit == 0xffffffffu) &&
           (!leaves || count < n);
}
