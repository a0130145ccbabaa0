// SPDX-License-Identifier: BSD-3-Clause
// Projection along the null space of A, of which the VECTORS columns of N are
// an orthonormal basis:
//
//     projection_dots:  s = N^T z
//     projection_take:  z = z - N (s - wanted)
//
// N is stored by columns of n values; with CONSTANT it is one column of equal
// entries `value` and not stored. Launch: any number of groups, the same for
// both kernels. Partial sums: row k of `sums` holds one entry per group for
// column k; the order of summation is fixed. The kernels read and write 3
// vectors and read N twice.
#include "krylov.cl.h"

#ifndef VECTORS
# define VECTORS 1 // columns of N
#endif
#ifndef CONSTANT
# define CONSTANT 0 // 1: N is one column of equal entries
#endif

#if CONSTANT
# define ENTRY(k, i) (value)
#else
# define ENTRY(k, i) (N[(k)*n + (i)])
#endif

// Does nothing if stop[at] is nonzero, nor does projection_take.
WORK_GROUP
kernel void projection_dots(long n, double value,
                            global const double *restrict N,
                            global const double *restrict z,
                            global double *restrict sums,
                            global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    double own[VECTORS] = {0};
    for (RANGE(i, n)) {
        const double z_i = z[i];
        for (int k = 0; k < VECTORS; ++k)
            own[k] += ENTRY(k, i) * z_i;
    }
    for (int k = 0; k < VECTORS; ++k) {
        const double sum = group_sum(own[k], scratch);
        if (get_local_id(0) == 0)
            sums[k * get_num_groups(0) + get_group_id(0)] = sum;
    }
}

WORK_GROUP
kernel void projection_take(long n, double value,
                            global const double *restrict N,
                            global const double *restrict sums,
                            global const double *restrict wanted,
                            global double *restrict z, global const int *stop,
                            int at)
{
    local double scratch[LCL_GROUP], s[VECTORS];
    if (stop[at])
        return;
    krylov_sum_rows(VECTORS, get_num_groups(0), sums, s, scratch);
    GROUP_BARRIER();
    for (RANGE(i, n)) {
        double z_i = z[i];
        for (int k = 0; k < VECTORS; ++k)
            z_i -= (s[k] - wanted[k]) * ENTRY(k, i);
        z[i] = z_i;
    }
}
