// SPDX-License-Identifier: BSD-3-Clause
// Completes y = A x for kernels that compute no sums: turns y into the result
// of `mode` and computes its partial sums, see spmv.cl.h.
//
// Launch: G groups.
// Determinism: fixed order for a given G.
#include "spmv.cl.h"

WORK_GROUP
kernel void product_sums(int mode, long n, global const double *restrict w,
                         global double *restrict y,
                         global double *restrict sums, global const int *stop,
                         int at)
{
    local double scratch[LCL_GROUP];
    struct spmv_sums s = {0, 0};
    if (stop[at])
        return;
    for (RANGE(i, n))
        spmv_row(mode, i, y[i], spmv_operand(mode, w, i), y, &s);
    spmv_finish(mode, s, sums, scratch);
}
