// SPDX-License-Identifier: BSD-3-Clause
// Vectors in fp32 whose entries ranks exchange, strong couplings inside a rank,
// and columns of a rank's matrix that are ghosts, which are those from n on
// (lib/multilevel/level_halo.h, level.c, rank_matrix.h).
//     ghosts_gather     y[first + k] = x[place[k]], both in fp32
//     ghosts_widen      y[k] = x[place[k]], in fp64
//     ghosts_narrow     y[first + k] = x[k], in fp32
//     inside_rank       removes the strong couplings to rows from n on, and
//                       counts those that are left; rows from n on have none
//     ghosts_aggregates out[k] = the aggregate of row place[k], -1: none
//     ghosts_mark       used[g] = 1 if column n + g occurs
//     ghosts_renumber   column n + g becomes column n + number[g]
//
// Data:   n elements or rows; couplings in CSR.
// Launch: any number of groups.
// Determinism: exact.
#include "aggregate.cl.h"
#include "index.cl.h"
#include "stored.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void ghosts_gather(long n, long first, global const int *place,
                          global const float *x, global float *y)
{
    for (RANGE(k, n))
        y[first + k] = x[place[k]];
}

WORK_GROUP
kernel void ghosts_widen(long n, global const int *place, global const float *x,
                         global double *y)
{
    for (RANGE(k, n))
        y[k] = x[place[k]];
}

WORK_GROUP
kernel void ghosts_narrow(long n, long first, global const double *x,
                          global float *y)
{
    for (RANGE(k, n))
        y[first + k] = lcl_fp32_of(x[k]);
}

WORK_GROUP
kernel void inside_rank(long n, long all, global const index_t *row_ptr,
                        global const int *col, global uchar *strong,
                        global int *count)
{
    for (RANGE(i, all)) {
        int left = 0;
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            strong[k] = i < n && col[k] < n ? strong[k] : 0;
            left += (strong[k] & COUPLING_STRONG) != 0;
        }
        count[i] = i >= n || count[i] < 0 ? -1 : left;
    }
}

WORK_GROUP
kernel void ghosts_aggregates(long n, global const int *place,
                              global const int *aggregate, global int *out)
{
    for (RANGE(k, n))
        out[k] = aggregate[place[k]];
}

WORK_GROUP
kernel void ghosts_mark(long entries, int n, global const int *col,
                        global int *used)
{
    for (RANGE(k, entries))
        if (col[k] >= n)
            used[col[k] - n] = 1;
}

WORK_GROUP
kernel void ghosts_renumber(long entries, int n, global const int *number,
                            global int *col)
{
    for (RANGE(k, entries))
        if (col[k] >= n)
            col[k] = n + number[col[k] - n];
}
