// SPDX-License-Identifier: BSD-3-Clause
// Vectors of interleaved columns (columns.cl.h):
//     put_column     column q of Y = x
//     get_column     y = column q of X
//     columns_scale  X = D^-1 B
//     columns_dot    partial sums of <w_q, y_q> of each column
//     columns_add    adds C to the columns of X with limit[q] < infinity
// Launch: any number of groups.
// Determinism: fixed order for a given number of groups.
#include "columns.cl.h"

WORK_GROUP
kernel void put_column(long n, int q, global const double *restrict x,
                       global double *restrict y)
{
    for (RANGE(i, n))
        y[i * COLUMNS + q] = x[i];
}

WORK_GROUP
kernel void get_column(long n, int q, global const double *restrict x,
                       global double *restrict y)
{
    for (RANGE(i, n))
        y[i] = x[i * COLUMNS + q];
}

// Does nothing if stop[at] is nonzero.
WORK_GROUP
kernel void columns_scale(long n, global const double *restrict inv_d,
                          global const double *restrict b,
                          global double *restrict x, global const int *stop,
                          int at)
{
    if (stop[at])
        return;
    for (RANGE(k, n * COLUMNS))
        x[k] = inv_d[k / COLUMNS] * b[k];
}

// Does nothing if stop[at] is nonzero.
WORK_GROUP
kernel void columns_dot(long n, global const double *restrict w,
                        global const double *restrict y,
                        global double *restrict sums, global const int *stop,
                        int at)
{
    local double scratch[LCL_GROUP];
    double sum[OWN] = {0};
    if (stop[at])
        return;
    for (RANGE(t, ROUNDS_OF(n)))
        for (uint c = 0; c < OWN; ++c)
            sum[c] += w[t * OWN + c] * y[t * OWN + c];
    columns_partial(sum, sums, scratch);
}

WORK_GROUP
kernel void columns_add(long n, global const double *limit,
                        global const double *restrict c,
                        global double *restrict x)
{
    for (RANGE(k, n * COLUMNS))
        if (limit[k % COLUMNS] < INFINITY)
            x[k] += c[k];
}
