// SPDX-License-Identifier: BSD-3-Clause
// Treatment of small pivots, shared by all factorisations; the policies also by
// the host.
#pragma once

// A policy is an enum lcl_pivot, plus this if pivots of the other sign than
// a_ii count as small.
#define LCL_PIVOT_DEFINITE 8

#ifdef __OPENCL_C_VERSION__

// Tells how many small pivots the group's subdomain has; one item calls it.
static inline void tell_small(int count, global int *repaired,
                              global int *counts)
{
    repaired[get_group_id(0)] = count;
    if (count > 0)
        atomic_add(&counts[0], count);
}

# define PIVOT_REPLACE 3 // every other policy boosts

// What pivots and shifts of a row are compared with: its largest entry or, if
// their sign counts, its diagonal entry, so that scaled rows and columns, D A
// D, have scaled factors.
static inline double pivot_scale(double given, double largest, int policy)
{
    const bool own = (policy & LCL_PIVOT_DEFINITE) != 0 && given != 0;
    return own ? fabs(given) : largest;
}

// Returns the pivot d of a row with the diagonal entry `given` if it is large
// enough, otherwise its replacement.
static inline double repair(double d, double given, double scale, double tol,
                            int policy, bool *small)
{
    const bool definite = (policy & LCL_PIVOT_DEFINITE) != 0;
    const bool replaces = (policy & ~LCL_PIVOT_DEFINITE) == PIVOT_REPLACE;
    const double sign = given < 0 ? -1.0 : 1.0;
    *small = !((definite ? sign * d : fabs(d)) > tol * scale) || !isfinite(d);
    if (!*small)
        return d;
    if (scale == 0)
        return 1;
    const double kept = definite ? sign : isfinite(d) ? d : 1.0;
    return copysign(replaces ? scale : tol * scale, kept);
}

#endif
