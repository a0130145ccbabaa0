// SPDX-License-Identifier: BSD-3-Clause
// The coarse correction of coarse.cl for interleaved columns (columns.cl.h) and
// a matrix without blocks:
//     columns_owners    owner[i] = aggregate of row i
//     columns_restrict  S = Z^T R, and T = S - W^T Y if `deflate` is set; with
//                       an array y, <r_q, y_q> over each aggregate; from sums
//                       of packed_columns.cl over the subdomains if they exist
//     columns_solve     E = A^-1 T for a dense inverse of n rows; with an array
//                       s, partial sums of <r_q, y_q + Z e_q>
//     columns_prolong   Y = Z E
// Z E is added by the kernel that reads Y next, by `owner`: a pass over Y less.
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

WORK_GROUP
kernel void columns_owners(long parts, global const int *restrict part_ptr,
                           global const int *restrict part_agg,
                           global int *restrict owner)
{
    for (long p = get_group_id(0); p < parts; p += get_num_groups(0))
        for (long i = part_ptr[p] + get_local_id(0); i < part_ptr[p + 1];
             i += LCL_GROUP)
            owner[i] = part_agg[p];
}

// sum += the work-item's share of the rows of subdomain p, dot += that of
// <r, y>
static inline void add_rows(int p, global const int *part_ptr,
                            global const double *r, global const double *y,
                            double *sum, double *dot)
{
    const long end = part_ptr[p + 1];
    for (long i = part_ptr[p] + FIRST_ROW; i < end; i += ROWS_AT_ONCE)
        for (uint c = 0; c < OWN; ++c) {
            const long k = i * COLUMNS + FIRST_COLUMN + c;
            const double r_k = r[k];
            sum[c] += r_k;
            if (y)
                dot[c] += r_k * y[k];
        }
}

// The same from the sums over `parts` subdomains, from m on.
static inline void add_sums(int m, int end, global const int *agg_parts,
                            long parts, global const double *of_parts,
                            double *sum, double *dot)
{
    for (m += FIRST_ROW; m < end; m += ROWS_AT_ONCE)
        for (uint c = 0; c < OWN; ++c) {
            global const double *row =
                of_parts + agg_parts[m] + (FIRST_COLUMN + c) * parts;
            dot[c] += *row;
            sum[c] += row[COLUMNS * parts];
        }
}

// sum -= the work-item's share of column a of W times Y
static inline void take_column(long a, global const uint *col_ptr,
                               global const uint *order,
                               global const int *run_row,
                               global const double *w, global const double *y,
                               double *sum)
{
    for (uint m = col_ptr[a] + FIRST_ROW; m < col_ptr[a + 1];
         m += ROWS_AT_ONCE) {
        const uint k = order[m];
        global const double *y_k =
            y + run_row[k] * (long)COLUMNS + FIRST_COLUMN;
        for (uint c = 0; c < OWN; ++c)
            sum[c] -= w[k] * y_k[c];
    }
}

WORK_GROUP
kernel void columns_restrict(
    int deflate, global const int *restrict agg_ptr,
    global const int *restrict agg_parts, global const int *restrict part_ptr,
    global const uint *restrict col_ptr, global const uint *restrict order,
    global const int *restrict run_row, global const double *restrict w,
    global const double *restrict r, global const double *restrict y,
    global double *restrict s, global double *restrict t,
    global double *restrict dots, global const int *stop, int at, long parts,
    global const double *of_parts)
{
    local double scratch[LCL_GROUP];
    const long a = get_group_id(0);
    double dot[OWN] = {0}, sum[OWN] = {0};
    if (stop[at])
        return;
    if (of_parts)
        add_sums(agg_ptr[a], agg_ptr[a + 1], agg_parts, parts, of_parts, sum,
                 dot);
    else
        for (int m = agg_ptr[a]; m < agg_ptr[a + 1]; ++m)
            add_rows(agg_parts[m], part_ptr, r, y, sum, dot);
    columns_store(sum, 1, s + a * COLUMNS, scratch);
    columns_store(dot, 1, dots + a * COLUMNS, scratch);
    if (deflate)
        take_column(a, col_ptr, order, run_row, w, y, sum);
    columns_store(sum, 1, t + a * COLUMNS, scratch);
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

// Sums of the rows that the group has solved.
INLINE void sum_dots(long n, global const double *dots, global const double *s,
                     global const double *e, global double *sums)
{
    for (uint c = 0; c < OWN; ++c) {
        const uint q = FIRST_COLUMN + c;
        double dot = 0;
        for (long first = (long)get_group_id(0) * SOLVED_ROWS; first < n;
             first += (long)get_num_groups(0) * SOLVED_ROWS)
            for (long i = first; i < min(first + SOLVED_ROWS, n); ++i)
                dot += dots[i * COLUMNS + q] +
                       s[i * COLUMNS + q] * e[i * COLUMNS + q];
        sums[q * (long)get_num_groups(0) + get_group_id(0)] = dot;
    }
}

WORK_GROUP
kernel void columns_solve(long n, long stride, global const stored *restrict A,
                          global const double *restrict t,
                          global const double *restrict dots,
                          global const double *s, global double *e,
                          global double *restrict sums, global const int *stop,
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
    GROUP_BARRIER_GLOBAL();
    if (s && get_local_id(0) < COLUMNS)
        sum_dots(n, dots, s, e, sums);
}

WORK_GROUP
kernel void columns_prolong(long n, global const int *restrict owner,
                            global const double *restrict e,
                            global double *restrict y, global const int *stop,
                            int at)
{
    if (stop[at])
        return;
    for (RANGE(t, ROUNDS_OF(n))) {
        const long at = owner[t * OWN / COLUMNS] * (long)COLUMNS + FIRST_COLUMN;
        for (uint c = 0; c < OWN; ++c)
            y[t * OWN + c] = e[at + c];
    }
}
