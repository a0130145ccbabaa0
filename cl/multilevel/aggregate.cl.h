// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of strength and aggregates, shared with the host.
#pragma once

#include "types.cl.h"

#define AGGREGATE_SUMS  8   // partial sums of a row, by position modulo 8
#define AGGREGATE_LONG  256 // longer rows join that of their largest coupling
#define AGGREGATE_BATCH 16  // rounds between two reads of the counter, at most
#define AGGREGATE_JOINS 3   // sweeps that join free rows to aggregates

#define AGGREGATE_FREE (-1) // label of a row without an aggregate so far
#define AGGREGATE_NONE (-2) // of a row without couplings

// Bits of a coupling (lib/multilevel/strength.h); a strong one is also in the
// filtered matrix.
#define COUPLING_STRONG   1
#define COUPLING_FILTERED 2

// State of a row in the search for a distance-2 independent set.
enum {
    AGGREGATE_OUT,
    AGGREGATE_UNDECIDED,
    AGGREGATE_IN,
};

#define AGGREGATE_HIGHEST (~(lcl_u64)0) // key of a root

static inline lcl_u32 aggregate_mix(lcl_u32 h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

// Priority of row i in a round; ties of the hash end with the row number.
// Neither 0 nor AGGREGATE_HIGHEST.
static inline lcl_u64 aggregate_key(lcl_u32 i, lcl_u32 round)
{
    const lcl_u32 h = aggregate_mix(aggregate_mix(i + 1) + 0x9e3779b1u * round);
    return (lcl_u64)(h >> 1) << 32 | (i + 1);
}

static inline lcl_u64 aggregate_key_of(int state, lcl_u32 i, lcl_u32 round)
{
    if (state == AGGREGATE_UNDECIDED)
        return aggregate_key(i, round);
    return state == AGGREGATE_IN ? AGGREGATE_HIGHEST : 0;
}

static inline double aggregate_abs(double a)
{
    return a < 0 ? -a : a;
}

// Whether abs(a_ij) > theta sqrt(m_i m_j), from the inverse roots of m_i and
// m_j; the product of the roots comes first, so that both ends agree.
static inline int aggregate_is_strong(double a, double root_i, double root_j,
                                      double theta)
{
    return aggregate_abs(a) * (root_i * root_j) > theta;
}

static inline lcl_u8 aggregate_coupling(int strong, double a, double root_i,
                                        double theta)
{
    return strong ? COUPLING_STRONG | COUPLING_FILTERED
           : aggregate_is_strong(a, root_i, root_i, theta) ? COUPLING_FILTERED
                                                           : 0;
}

// Diagonal of the filtered matrix: d plus the weak couplings of the row, or d
// if that would change the sign or leave at most a tenth.
static inline double aggregate_diagonal(double d, double weak)
{
    const double sum = d + weak;
    const double size = d < 0 ? -sum : sum;
    return size > 0.1 * aggregate_abs(d) ? sum : d;
}
