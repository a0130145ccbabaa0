// SPDX-License-Identifier: BSD-3-Clause
// What a verdict needs to know of the residual r and of x:
//     verify_norms:  of group g of G, the sum of |scale r_i|^POWER in two
//                     numbers, the largest |r_i| and backward_i, and how many
//                     r_i and x_i are not finite, as rows of `parts`
//                     (verify.cl.h);
//                     sums[G+g] = the sum of r_i^2 in working precision
//     verify_scale:  v_i = v_i a b
// x has `columns` interleaved columns, of which q is meant.
//
// Launch: any number of groups.
// Determinism: fixed order for a given G.
#include "finite.cl.h"
#include "long_sum.cl.h"
#include "verify.cl.h"

#ifndef POWER
# define POWER 2 // 1: the sum of |r_i|
#endif

INLINE double group_largest(double v, local double *scratch)
{
#if LCL_GROUP > 1
    const uint lid = get_local_id(0);
    for (uint step = LCL_GROUP / 2; step > 0; step /= 2) {
        GROUP_BARRIER();
        scratch[lid] = v;
        GROUP_BARRIER();
        if (lid < step)
            v = fmax(v, scratch[lid + step]);
    }
#endif
    return v;
}

struct share {
    struct long_sum norm;
    double square, largest, backward, bad_r, bad_x;
};

// Rounded as the sums of products are.
INLINE double add_square(double sum, double v)
{
#pragma OPENCL FP_CONTRACT ON
    return sum + v * v;
}

INLINE void add_element(struct share *s, double r, double scale,
                        double backward, double x)
{
    const bool bad = exponent_of(r) == NOT_FINITE;
    const double v = bad ? 0.0 : r;
#if POWER == 1
    long_sum_add(&s->norm, fabs(v * scale));
#else
    long_sum_product(&s->norm, v * scale, v * scale);
#endif
    s->square = add_square(s->square, v);
    s->largest = fmax(s->largest, fabs(v));
    s->backward = fmax(s->backward, bad ? 1.0 : backward);
    s->bad_r += bad ? 1.0 : 0.0;
    s->bad_x += exponent_of(x) == NOT_FINITE ? 1.0 : 0.0;
}

WORK_GROUP
kernel void verify_norms(long n, double scale, global const double *restrict r,
                         global const double *restrict backward, int columns,
                         int q, global const double *restrict x,
                         global double *restrict sums,
                         global double *restrict parts)
{
    local struct long_sum room[LCL_GROUP];
    local double scratch[LCL_GROUP];
    const uint g = get_group_id(0), G = get_num_groups(0);
    struct share s = {long_sum_zero(), 0, 0, 0, 0, 0};
    for (RANGE(i, n))
        add_element(&s, r[i], scale, backward[i], x[i * columns + q]);
    s.norm = long_sum_total(s.norm, LCL_GROUP, room);
    s.square = group_sum(s.square, scratch);
    s.bad_r = group_sum(s.bad_r, scratch);
    s.bad_x = group_sum(s.bad_x, scratch);
    s.largest = group_largest(s.largest, scratch);
    s.backward = group_largest(s.backward, scratch);
    if (get_local_id(0) != 0)
        return;
    double rest;
    parts[VERIFY_HIGH * G + g] = two_sum(s.norm.high, s.norm.middle, &rest);
    parts[VERIFY_LOW * G + g] = rest + s.norm.low;
    parts[VERIFY_LARGEST * G + g] = s.largest;
    parts[VERIFY_BACKWARD * G + g] = s.backward;
    parts[VERIFY_BAD_R * G + g] = s.bad_r;
    parts[VERIFY_BAD_X * G + g] = s.bad_x;
    sums[G + g] = s.square;
}

WORK_GROUP
kernel void verify_scale(long n, double a, double b, global double *v)
{
    for (RANGE(i, n))
        v[i] = v[i] * a * b;
}
