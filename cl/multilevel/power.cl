// SPDX-License-Identifier: BSD-3-Clause
// Estimates of largest eigenvalues by the growth of a vector x, y = B x:
//     power_start     x = pseudo-random numbers
//     power_growth    partial sums of x^2 and y^2
//     power_lambda    lambda = 1.1 sqrt(sum y^2 / sum x^2), unless lambda is
//                     larger
//     power_damping   d = 1.5 / (1.05 sqrt(sum y^2 / sum x^2)), at most 1
//
// Data:   vectors of n elements in fp32; `sums` holds 2 * groups doubles.
// Launch: any number of groups; power_lambda and power_damping one.
// Determinism: bitwise for a given number of groups.
#include "aggregate.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void power_start(long n, global float *x)
{
    for (RANGE(i, n))
        x[i] = (int)aggregate_mix((uint)i + 1) * 0x1p-31f;
}

WORK_GROUP
kernel void power_growth(long n, global const float *x, global const float *y,
                         global double *sums)
{
    local double scratch[LCL_GROUP];
    double xx = 0, yy = 0;
    for (RANGE(i, n)) {
        xx += (double)x[i] * x[i];
        yy += (double)y[i] * y[i];
    }
    xx = group_sum(xx, scratch);
    yy = group_sum(yy, scratch);
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = xx;
        sums[get_num_groups(0) + get_group_id(0)] = yy;
    }
}

INLINE double growth_of(int groups, global const double *sums,
                        local double *scratch)
{
    double xx = 0, yy = 0;
    for (int g = get_local_id(0); g < groups; g += LCL_GROUP) {
        xx += sums[g];
        yy += sums[groups + g];
    }
    xx = group_sum(xx, scratch);
    yy = group_sum(yy, scratch);
    return sqrt(yy / (xx > 0 ? xx : 1.0));
}

WORK_GROUP
kernel void power_lambda(int groups, global const double *sums,
                         global double *lambda)
{
    local double scratch[LCL_GROUP];
    const double found = 1.1 * growth_of(groups, sums, scratch);
    if (get_local_id(0) == 0 && found > lambda[0] && isfinite(found))
        lambda[0] = found;
}

WORK_GROUP
kernel void power_damping(int groups, global const double *sums,
                          global double *d)
{
    local double scratch[LCL_GROUP];
    const double lambda = 1.05 * growth_of(groups, sums, scratch);
    if (get_local_id(0) == 0)
        d[0] = lambda > 1.5 && isfinite(lambda) ? 1.5 / lambda : 1;
}
