// SPDX-License-Identifier: BSD-3-Clause
// Values of A^T in blocks of LCL_BLOCK rows: block k of y is the transpose of
// block map[k] of x. An entry is NUMBERS numbers, one of each of as many
// matrices with the same pattern.
// Launch: any number of groups; each value is visited once.
// Determinism: exact.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

#ifndef NUMBERS
# define NUMBERS 1
#endif

#define VALUES (LCL_BLOCK * LCL_BLOCK)

WORK_GROUP
kernel void transpose_values(long n, global const uint *restrict map,
                             global const double *restrict x,
                             global double *restrict y)
{
    for (RANGE(v, n * VALUES)) {
        const long k = v / VALUES;
        const int e = (int)(v - k * VALUES), r = e / LCL_BLOCK;
        const int c = e - r * LCL_BLOCK;
        const long from = (long)map[k] * VALUES + c * LCL_BLOCK + r;
        for (int t = 0; t < NUMBERS; ++t)
            y[v * NUMBERS + t] = x[from * NUMBERS + t];
    }
}
