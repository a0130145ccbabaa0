// SPDX-License-Identifier: BSD-3-Clause
// Treatment of small pivots, shared by all factorisations; the policies also by
// the host.
#pragma once

// A policy is an enum lcl_pivot, plus this if negative pivots count as small.
#define LCL_PIVOT_POSITIVE 8

#ifdef __OPENCL_C_VERSION__

# define PIVOT_REPLACE 3 // every other policy boosts

// Returns d if it is large enough, otherwise its replacement.
static inline double repair(double d, double largest, double tol, int policy,
                            bool *small)
{
    const bool positive = (policy & LCL_PIVOT_POSITIVE) != 0;
    const bool replaces = (policy & ~LCL_PIVOT_POSITIVE) == PIVOT_REPLACE;
    *small = !((positive ? d : fabs(d)) > tol * largest) || !isfinite(d);
    if (!*small)
        return d;
    if (largest == 0)
        return 1;
    return copysign(replaces ? largest : tol * largest,
                    isfinite(d) && !positive ? d : 1.0);
}

#endif
