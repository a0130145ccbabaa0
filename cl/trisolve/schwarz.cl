// SPDX-License-Identifier: BSD-3-Clause
// Additive Schwarz methods on overlapping subdomains: y = sum_p Q_p A_p^-1 R_p
// x between vectors of n rows and vectors of the extended rows (subdomains.h).
//
//     schwarz_extend:  row k of the extended vector is row rows[k] of x, whose
//                      elements from n on are those of ghost
//     schwarz_collect: row i of y is the sum of the extended rows place[k],
//                      first[i] <= k < first[i+1]: all copies of the row, or,
//                      restricted, the one of the subdomain that owns it
//
// Launch: any number of groups, one item per row and component of a block.
// Determinism: bitwise.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "block.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void schwarz_extend(long rows, global const uint *restrict row,
                           global const double *restrict x, long n,
                           global const double *restrict ghost,
                           global double *restrict extended,
                           global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(k, rows * LCL_BLOCK)) {
        const long i = moved(k, row);
        extended[k] = i < n ? x[i] : ghost[i - n];
    }
}

WORK_GROUP
kernel void schwarz_collect(long n, global const uint *restrict first,
                            global const uint *restrict place,
                            global const double *restrict extended,
                            global double *restrict y, global const int *stop,
                            int at)
{
    if (stop[at])
        return;
    for (RANGE(k, n * LCL_BLOCK)) {
        const long i = k / LCL_BLOCK;
        double sum = 0;
        for (uint m = first[i]; m < first[i + 1]; ++m)
            sum += extended[in_block(k, i, place[m])];
        y[k] = sum;
    }
}
