// SPDX-License-Identifier: BSD-3-Clause
// The rows of y = A x that have entries in columns of other ranks, after the
// product with the columns of the own rank. For listed row r of `rows`, with
// i = row[r]:
//     y_i = sum of a_ij x_j over the entries ptr[r] .. ptr[r+1]-1 of the list
// where column j < n is x[j] and the others are ghost[j - n].
//     halo_plain
//     halo_dot:  and adds w_i (y_i - what y_i was before) to sums[g]
//
// Launch: G groups, those of the sums; LANES_PER_ROW lanes share a row.
// Determinism: fixed order for a given G; rows are never split.
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

// The lane's share of a row.
static inline double row_share(uint from, uint to, uint lane, long n,
                               global const int *col, global const double *val,
                               global const double *x,
                               global const double *ghost)
{
    double dot = 0;
    for (uint k = from + lane; k < to; k += LANES_PER_ROW) {
        const int j = col[k];
        global const double *from_j = j < n ? x + j : ghost + (j - n);
        dot += val[k] * *from_j;
    }
    return dot;
}

// Stores y_i; returns by how much it has changed.
static inline double replace(global double *y, int i, double dot)
{
    const double before = y[i];
    y[i] = dot;
    return dot - before;
}

// Returns the sum of w_i (y_i - what it was), for this work-item's rows.
INLINE double halo_rows(int dots, long rows, global const int *row,
                        global const uint *ptr, global const int *col,
                        global const double *val, long n,
                        global const double *x, global const double *ghost,
                        global const double *w, global double *y,
                        local double *scratch)
{
    double sum = 0;
#if LCL_WIDTH == 1
    for (RANGE(r, rows)) {
        const double dot =
            row_share(ptr[r], ptr[r + 1], 0, n, col, val, x, ghost);
        const double change = replace(y, row[r], dot);
        sum += dots ? w[row[r]] * change : 0.0;
    }
#else
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint teams = LCL_GROUP / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * teams; first < rows;
         first += (long)get_num_groups(0) * teams) {
        const long r = first + get_local_id(0) / LANES_PER_ROW;
        const uint from = r < rows ? ptr[r] : 0, to = r < rows ? ptr[r + 1] : 0;
        const double dot =
            wave_sum(row_share(from, to, lane, n, col, val, x, ghost),
                     LANES_PER_ROW, scratch);
        if (r < rows && lane == 0) {
            const double change = replace(y, row[r], dot);
            sum += dots ? w[row[r]] * change : 0.0;
        }
    }
#endif
    return sum;
}

WORK_GROUP
kernel void halo_plain(long rows, global const int *restrict row,
                       global const uint *restrict ptr,
                       global const int *restrict col,
                       global const double *restrict val, long n,
                       global const double *restrict x,
                       global const double *restrict ghost,
                       global const double *restrict w, global double *y,
                       global double *sums, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    halo_rows(0, rows, row, ptr, col, val, n, x, ghost, w, y, scratch);
}

WORK_GROUP
kernel void halo_dot(long rows, global const int *restrict row,
                     global const uint *restrict ptr,
                     global const int *restrict col,
                     global const double *restrict val, long n,
                     global const double *restrict x,
                     global const double *restrict ghost,
                     global const double *restrict w, global double *y,
                     global double *sums, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    double sum =
        halo_rows(1, rows, row, ptr, col, val, n, x, ghost, w, y, scratch);
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] += sum;
}
