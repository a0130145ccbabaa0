// SPDX-License-Identifier: BSD-3-Clause
// Vector kernels of the report on row-binned CG (section IV.D), whose loop
// keeps its scalars on the host:
//     vector_dot:        result += <a, b>; the host has set it to 0
//     vector_axpy:       y = y + alpha x
//     vector_scale_add:  p = r + beta p
// LCL_SINGLE: all numbers are fp32, as in the report.
//
// Launch: one work-item per element, at width 1 any number of groups.
// Determinism: none for vector_dot: groups add to the sum in any order.
#include "atomic.cl.h"
#include "wave.cl.h"

#if LCL_GROUP == 1
static inline real tree_sum(real v, local real *temp)
{
    return v;
}
#else
// The published reduction in local memory, extended to groups of any size: it
// starts at the largest power of two below the size.
static inline real tree_sum(real v, local real *temp)
{
    const uint tid = get_local_id(0);
    uint first = 1;
    while (2 * first < LCL_GROUP)
        first *= 2;
    temp[tid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = first; offset > 0; offset /= 2) {
        if (tid < offset && tid + offset < LCL_GROUP)
            temp[tid] += temp[tid + offset];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return temp[0];
}
#endif

WORK_GROUP
kernel void vector_dot(long n, global const real *a, global const real *b,
                       global real *result)
{
    local real temp[LCL_GROUP];
    real sum = 0;
    for (RANGE(i, n))
        sum += a[i] * b[i];
    sum = tree_sum(sum, temp);
    if (get_local_id(0) == 0)
        add_by_groups(result, sum);
}

WORK_GROUP
kernel void vector_axpy(long n, real alpha, global const real *x,
                        global real *y)
{
    for (RANGE(i, n))
        y[i] += alpha * x[i];
}

WORK_GROUP
kernel void vector_scale_add(long n, real beta, global const real *r,
                             global real *p)
{
    for (RANGE(i, n))
        p[i] = r[i] + beta * p[i];
}
