// SPDX-License-Identifier: BSD-3-Clause
// Norms of a residual other than the Euclidean one:
//
//     norm_share:   sums[g] = group g's share of ||r||_1 or ||r||_max
//     norm_square:  state[KRYLOV_NORM] = the square of the norm
//
// Launch: norm_share any number of groups, norm_square one group. The order of
// summation is fixed. The kernels read r once and do nothing if stop[at] is
// nonzero.
#include "krylov.cl.h"

#ifndef NORM_MAX
# define NORM_MAX 0 // 1: the maximum of |r_i| instead of their sum
#endif

// NaN if one of them is, which fmax() would pass over.
static inline double joined(double a, double b)
{
#if NORM_MAX
    return b > a || isnan(b) ? b : a;
#else
    return a + b;
#endif
}

INLINE double group_joined(double v, local double *scratch)
{
#if NORM_MAX && LCL_GROUP > 1
    GROUP_BARRIER();
    scratch[get_local_id(0)] = v;
    GROUP_BARRIER();
    for (ASCENDING(l, LCL_GROUP))
        v = joined(v, scratch[l]);
    GROUP_BARRIER();
    return v;
#elif NORM_MAX
    return v;
#else
    return group_sum(v, scratch);
#endif
}

WORK_GROUP
kernel void norm_share(long n, global const double *restrict r,
                       global double *restrict sums, global const int *stop,
                       int at)
{
    local double scratch[LCL_GROUP];
    double own = 0;
    if (stop[at])
        return;
    for (RANGE(i, n))
        own = joined(own, fabs(r[i]));
    own = group_joined(own, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = own;
}

WORK_GROUP
kernel void norm_square(int count, global const double *restrict sums,
                        global double *state, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double own = 0;
    if (stop[at])
        return;
    for (int g = get_local_id(0); g < count; g += LCL_GROUP)
        own = joined(own, sums[g]);
    own = group_joined(own, scratch);
    if (krylov_is_lead())
        state[KRYLOV_NORM] = own * own;
}
