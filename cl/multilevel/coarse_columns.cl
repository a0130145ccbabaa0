// SPDX-License-Identifier: BSD-3-Clause
// The coarse correction of coarse.cl for interleaved columns (columns.cl.h) and
// a matrix without blocks:
//     columns_restrict  T = Z^T R - W^T Y; T = Z^T R without an array y
//     columns_solve     E = A^-1 T, for a dense inverse of n rows
//     columns_prolong   Y = Y + Z E, and partial sums of <r_q, y_q>
//
// Data:   lib/multilevel/pattern.h, dense.cl.
// Launch: columns_restrict one group per aggregate, the others any number of
//         groups.
// Determinism: bitwise; sums depend only on the size and number of groups.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "columns.cl.h"

#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of the inverse: 1 double, 2 float
#endif
#if LCL_STORAGE == 2
typedef float stored;
#else
typedef double stored;
#endif

#define SOLVED_ROWS 4 // rows of the inverse that a group reads at once

// Rows that the group reads side by side, and the work-item's first one.
#if LCL_WIDTH == 1
# define ROWS_AT_ONCE 1
# define FIRST_ROW    0
#else
# define ROWS_AT_ONCE (LCL_GROUP / COLUMNS)
# define FIRST_ROW    ((uint)get_local_id(0) / COLUMNS)
#endif

// sum += the work-item's share of the rows of subdomain p
static inline void add_rows(int p, global const int *part_ptr,
                            global const double *r, double *sum)
{
    const long end = part_ptr[p + 1];
    for (long i = part_ptr[p] + FIRST_ROW; i < end; i += ROWS_AT_ONCE)
        for (uint c = 0; c < OWN; ++c)
            sum[c] += r[i * COLUMNS + FIRST_COLUMN + c];
}

WORK_GROUP
kernel void columns_restrict(
    global const int *restrict agg_ptr, global const int *restrict agg_parts,
    global const int *restrict part_ptr, global const uint *restrict col_ptr,
    global const uint *restrict order, global const int *restrict run_row,
    global const double *restrict w, global const double *restrict r,
    global const double *restrict y, global double *restrict t,
    global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const int a = get_group_id(0);
    double sum[OWN] = {0};
    if (stop[at])
        return;
    for (int m = agg_ptr[a]; m < agg_ptr[a + 1]; ++m)
        add_rows(agg_parts[m], part_ptr, r, sum);
    if (y)
        for (uint m = col_ptr[a] + FIRST_ROW; m < col_ptr[a + 1];
             m += ROWS_AT_ONCE) {
            const uint k = order[m];
            global const double *y_k =
                y + run_row[k] * (long)COLUMNS + FIRST_COLUMN;
            for (uint c = 0; c < OWN; ++c)
                sum[c] -= w[k] * y_k[c];
        }
    columns_store(sum, 1, t + a * (long)COLUMNS, scratch);
}

// sum[r * OWN + c] = the work-item's share of row `first` + r of A, times
// column c of its columns; rows after the last repeat it.
INLINE void share_of_rows(long first, long n, long stride,
                          global const stored *A, global const double *t,
                          double *sum)
{
    for (uint k = 0; k < SOLVED_ROWS * OWN; ++k)
        sum[k] = 0;
    for (long j = FIRST_ROW; j < n; j += ROWS_AT_ONCE) {
        double t_j[OWN];
        for (uint c = 0; c < OWN; ++c)
            t_j[c] = t[j * COLUMNS + FIRST_COLUMN + c];
#pragma unroll
        for (uint r = 0; r < SOLVED_ROWS; ++r) {
            const double a = A[min(first + r, n - 1) * stride + j];
#pragma unroll
            for (uint c = 0; c < OWN; ++c)
                sum[r * OWN + c] += a * t_j[c];
        }
    }
}

WORK_GROUP
kernel void columns_solve(long n, long stride, global const stored *restrict A,
                          global const double *restrict t,
                          global double *restrict e, global const int *stop,
                          int at)
{
    local double scratch[LCL_GROUP];
    double sum[SOLVED_ROWS * OWN];
    if (stop[at])
        return;
    for (long first = (long)get_group_id(0) * SOLVED_ROWS; first < n;
         first += (long)get_num_groups(0) * SOLVED_ROWS) {
        share_of_rows(first, n, stride, A, t, sum);
        for (uint r = 0; r < SOLVED_ROWS && first + r < n; ++r)
            columns_store(sum + r * OWN, 1, e + (first + r) * COLUMNS, scratch);
    }
}

WORK_GROUP
kernel void columns_prolong(long parts, global const int *restrict part_ptr,
                            global const int *restrict part_agg,
                            global const double *restrict e,
                            global const double *restrict r,
                            global double *restrict y,
                            global double *restrict sums,
                            global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double sum[OWN] = {0}, e_p[OWN];
    if (stop[at])
        return;
    for (long p = get_group_id(0); p < parts; p += get_num_groups(0)) {
        const long end = part_ptr[p + 1];
        for (uint c = 0; c < OWN; ++c)
            e_p[c] = e[part_agg[p] * (long)COLUMNS + FIRST_COLUMN + c];
        for (long i = part_ptr[p] + FIRST_ROW; i < end; i += ROWS_AT_ONCE)
            for (uint c = 0; c < OWN; ++c) {
                const long k = i * COLUMNS + FIRST_COLUMN + c;
                const double y_k = y[k] + e_p[c];
                y[k] = y_k;
                sum[c] += r[k] * y_k;
            }
    }
    columns_partial(sum, sums, scratch);
}
