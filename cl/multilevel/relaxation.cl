// SPDX-License-Identifier: BSD-3-Clause
// A level of a V-cycle smoothed by incomplete factors M of its matrix A. The
// vectors b and x of the level are in fp32 and scaled by t (cycle.cl); those of
// M are in fp64, unscaled and in the order of perm (NULL: that of the level).
//     relaxation_enter    in = the unscaled vector b
//     relaxation_leave    x = d out, or x + d out with `add`, scaled; d is the
//                         damping (NULL: 1)
//
// Data:   vectors of n elements.
// Launch: any number of groups.
// Determinism: exact.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "stored.cl.h"
#include "wave.cl.h"

#define PLACE(perm, p) ((perm) ? (perm)[p] : (uint)(p))

WORK_GROUP
kernel void relaxation_enter(long n, global const uint *perm,
                             global const double *t, global const float *b,
                             global double *in, global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(p, n)) {
        const uint i = PLACE(perm, p);
        in[p] = b[i] / t[i];
    }
}

WORK_GROUP
kernel void relaxation_leave(long n, global const uint *perm,
                             global const double *t, global const double *d,
                             global const double *out, int add, global float *x,
                             global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(p, n)) {
        const uint i = PLACE(perm, p);
        const double step = (d ? d[0] : 1.0) * out[p] / fabs(t[i]);
        x[i] = lcl_fp32_of(add ? x[i] + step : step);
    }
}
