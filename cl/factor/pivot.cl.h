// SPDX-License-Identifier: BSD-3-Clause
// Treatment of small pivots, shared by all factorisations.
#pragma once

// A policy is an enum lcl_pivot, plus PIVOT_POSITIVE if negative pivots count
// as small.
#define PIVOT_REPLACE  3 // every other policy boosts
#define PIVOT_POSITIVE 8

// Returns d if it is large enough, otherwise its replacement.
static inline double repair(double d, double largest, double tol, int policy,
                            bool *small)
{
    const bool positive = (policy & PIVOT_POSITIVE) != 0;
    const bool replaces = (policy & ~PIVOT_POSITIVE) == PIVOT_REPLACE;
    *small = !((positive ? d : fabs(d)) > tol * largest) || !isfinite(d);
    if (!*small)
        return d;
    if (largest == 0)
        return 1;
    return copysign(replaces ? largest : tol * largest,
                    isfinite(d) && !positive ? d : 1.0);
}
