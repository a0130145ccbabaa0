// SPDX-License-Identifier: BSD-3-Clause
// What becomes of small pivots: the same in every factorisation.
#pragma once

#define PIVOT_REPLACE 3 // enum lcl_pivot; every other policy boosts

// A pivot that is large enough, or its repair.
static inline double repair(double d, double largest, double tol, int policy,
                            bool *small)
{
    *small = !(fabs(d) > tol * largest) || !isfinite(d);
    if (!*small)
        return d;
    if (largest == 0)
        return 1;
    return copysign(policy == PIVOT_REPLACE ? largest : tol * largest,
                    isfinite(d) ? d : 1.0);
}
