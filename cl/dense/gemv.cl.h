// SPDX-License-Identifier: BSD-3-Clause
// Products with a dense matrix, kernels of dense.cl:
//     dense_narrow:     converts the matrix to single precision
//     dense_gemv:       y = A x
//     dense_gemv_rows:  y_i = row list[i] of A, times x
//
// Launch: LANES_PER_ROW lanes per element of y; at width 1, and for
//         dense_narrow, any number of groups.
// Determinism: bitwise, for any number of groups.
// If the stopping flag `stop[at]` is nonzero, the products do nothing.
#pragma once

#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW LCL_WIDTH // lanes per row of dense_gemv
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of the matrix of dense_gemv: 1 double, 2 float
#endif
#if LCL_STORAGE == 2
typedef float stored;
#else
typedef double stored;
#endif

WORK_GROUP
kernel void dense_narrow(long count, global const double *A, global float *B)
{
    for (RANGE(i, count))
        B[i] = (float)A[i];
}

// The share of lane `lane` in a row times x; at width 1 four independent sums.
static inline double dot_row(global const stored *row, long n, uint lane,
                             global const double *x)
{
    double sum = 0;
    long j = lane;
#if LCL_WIDTH == 1
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += row[j] * x[j];
        s1 += row[j + 1] * x[j + 1];
        s2 += row[j + 2] * x[j + 2];
        s3 += row[j + 3] * x[j + 3];
    }
    sum = (s0 + s1) + (s2 + s3);
#endif
    for (; j < n; j += LANES_PER_ROW)
        sum += row[j] * x[j];
    return sum;
}

// y_i = row i of A, or row list[i], of n elements, times x for i < rows.
INLINE void rows_times(long rows, global const int *list, long n, long stride,
                       global const stored *A, global const double *x,
                       global double *y, local double *scratch)
{
#if LCL_WIDTH == 1
    for (RANGE(i, rows))
        y[i] = dot_row(A + (list ? list[i] : i) * stride, n, 0, x);
#else
    const long i = get_global_id(0) / LANES_PER_ROW;
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    double sum = 0;
    if (i < rows)
        sum = dot_row(A + (list ? list[i] : i) * stride, n, lane, x);
    sum = wave_sum(sum, LANES_PER_ROW, scratch);
    if (i < rows && lane == 0)
        y[i] = sum;
#endif
}

WORK_GROUP
kernel void dense_gemv(long n, long stride, global const stored *restrict A,
                       global const double *restrict x,
                       global double *restrict y, global const int *stop,
                       int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    rows_times(n, 0, n, stride, A, x, y, scratch);
}

WORK_GROUP
kernel void dense_gemv_rows(long rows, global const int *restrict list, long n,
                            long stride, global const stored *restrict A,
                            global const double *restrict x,
                            global double *restrict y, global const int *stop,
                            int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    rows_times(rows, list, n, stride, A, x, y, scratch);
}
