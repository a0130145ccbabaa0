// SPDX-License-Identifier: BSD-3-Clause
// Measures and states of coarse/fine splittings, shared with the host.
#pragma once

#include "aggregate.cl.h"

#define SPLITTING_BATCH 16 // rounds between two reads of the counter, at most

// State of a row.
enum {
    SPLITTING_FINE,
    SPLITTING_UNDECIDED,
    SPLITTING_COARSE,
};

// Larger than the number of any round.
#define SPLITTING_NEVER 0x7fffffff

// Measure of row i, on which `count` rows depend. The hash is a bijection, so
// that all rows have different measures.
static inline lcl_u64 splitting_measure(lcl_u32 count, lcl_u32 i)
{
    return (lcl_u64)count << 32 | aggregate_mix(i + 1);
}

// Whether the coupling `a` of a row is strong; `largest` is the largest one of
// the sign opposite to the diagonal.
static inline int splitting_is_strong(double a, int negative, double largest,
                                      double theta)
{
    const double size = negative ? a : -a;
    return size > 0 && size >= theta * largest;
}
