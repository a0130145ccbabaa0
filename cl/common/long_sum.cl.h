// SPDX-License-Identifier: BSD-3-Clause
// Sums in three times the working precision, with a bound on their error: what
// rounding takes from an addition is added up in a second sum, and what it
// takes there in a third. Source: Ogita, Rump and Oishi, SIAM J. Sci. Comput.
// 26 (2005), Algorithm 4.8 with K = 3; products as in Algorithm 3.5.
#pragma once

#include "rounding.cl.h"

#pragma OPENCL FP_CONTRACT OFF // two_sum() needs each operation rounded

// The sum is high + middle + low, except for errors of at most 2^-52 `lost` in
// each addition to `low`. `size` is the sum of the absolute values of terms.
struct long_sum {
    double high, middle, low, lost, size;
};

// Products below LEAST may lose bits below 2^-1074 of their rounding error:
// UNSEEN in `lost` stands for more.
#define LONG_SUM_LEAST  0x1p-960
#define LONG_SUM_UNSEEN 0x1p-1016

INLINE struct long_sum long_sum_zero(void)
{
    struct long_sum s = {0, 0, 0, 0, 0};
    return s;
}

// a + b = the result + *error, unless it overflows. Source: Knuth, The Art of
// Computer Programming 2, section 4.2.2, theorem B.
INLINE double two_sum(double a, double b, double *error)
{
    const double sum = a + b, of_b = sum - a;
    *error = (a - (sum - of_b)) + (b - of_b);
    return sum;
}

INLINE void long_sum_small(struct long_sum *s, double v)
{
    double rest;
    s->middle = two_sum(s->middle, v, &rest);
    s->low += rest;
    s->lost += fabs(rest);
}

INLINE void long_sum_add(struct long_sum *s, double v)
{
    double rest;
    s->high = two_sum(s->high, v, &rest);
    long_sum_small(s, rest);
}

// Adds a x.
INLINE void long_sum_product(struct long_sum *s, double a, double x)
{
    const double p = a * x;
    const bool tiny = fabs(p) < LONG_SUM_LEAST && a != 0 && x != 0;
    long_sum_add(s, p);
    long_sum_small(s, fused(a, x, -p));
    s->size += fabs(p);
    s->lost += tiny ? LONG_SUM_UNSEEN : 0.0;
}

// Adds all of t.
INLINE void long_sum_join(struct long_sum *s, struct long_sum t)
{
    long_sum_add(s, t.high);
    long_sum_small(s, t.middle);
    s->low += t.low;
    s->lost += t.lost;
    s->size += t.size;
}

// Adds a times all of t.
INLINE void long_sum_times(struct long_sum *s, double a, struct long_sum t)
{
    const double size = s->size;
    long_sum_product(s, a, t.high);
    long_sum_product(s, a, t.middle);
    s->low += a * t.low;
    s->lost += fabs(a) * (t.lost + fabs(t.low));
    s->size = size + fabs(a) * t.size;
}

// The sum, and a bound on its error beside a rounding to double precision,
// after `terms` terms or fewer.
INLINE double long_sum_value(struct long_sum s, double terms, double *error)
{
    double rest;
    const double sum = two_sum(s.high, s.middle, &rest);
    *error = (4 * terms + 16) * 0x1p-52 * s.lost;
    return sum + (rest + s.low);
}

// The sum over each run of `lanes` work-items, a power of two, on the first of
// them; `room` has LCL_GROUP elements. All work-items call it.
#if LCL_GROUP == 1
INLINE struct long_sum long_sum_total(struct long_sum s, uint lanes,
                                      local struct long_sum *room)
{
    return s;
}
#else
INLINE struct long_sum long_sum_total(struct long_sum s, uint lanes,
                                      local struct long_sum *room)
{
    const uint lid = get_local_id(0), lane = lid % lanes;
    if (lanes == 1)
        return s;
    for (uint step = lanes / 2; step > 0; step /= 2) {
        GROUP_BARRIER();
        room[lid] = s;
        GROUP_BARRIER();
        if (lane < step)
            long_sum_join(&s, room[lid + step]);
    }
    return s;
}
#endif
