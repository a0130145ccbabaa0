// SPDX-License-Identifier: BSD-3-Clause
// Graph of a matrix for the matching:
//     list_long     the rows of more than MATCH_LONG entries; counts those of
//                   more than half as many
//     roots         1 / sqrt(|a_ii|), with |a_ii| the largest value of a block;
//                   a zero diagonal counts as the largest entry of its row
//     weigh         weight of each entry (i, j): strength of a_ij plus that of
//                   a_ji; 0 on the diagonal. Notes if there is no a_ji
//     count_both    length[i] = entries of row i and of column i
//     list_both     entries of A and A^T by row, each with its own strength
//
// Layout: that of csr.cl and, for LCL_BLOCK > 1, of bsr.cl.
// Launch: any number of groups; a team of lanes per row.
// Determinism: bitwise, except for the order of long rows, of the entries of
// list_both and of nothing else.
#pragma once

#include "team.cl.h"

#pragma OPENCL FP_CONTRACT OFF

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#define AREA (LCL_BLOCK * LCL_BLOCK)

WORK_GROUP
kernel void list_long(long n, global const uint *restrict ptr,
                      global int *restrict list, volatile global uint *counts)
{
    for (RANGE(i, n)) {
        const uint entries = ptr[i + 1] - ptr[i];
        if (entries > MATCH_LONG)
            list[atomic_inc(&counts[MATCH_LONGS])] = (int)i;
        if (entries > MATCH_LONG / 2)
            atomic_inc(&counts[MATCH_HALVES]);
    }
}

// NaN does not count; not every driver's fmax() ignores it.
static inline double norm_of(global const double *val, ulong k)
{
    double largest = 0;
    for (uint e = 0; e < AREA; ++e) {
        const double a = fabs(val[k * AREA + e]);
        largest = a > largest ? a : largest;
    }
    return largest;
}

WORK_GROUP
kernel void roots(long rows, global const int *list, global const uint *row_ptr,
                  global const int *restrict col,
                  global const double *restrict val, global double *root)
{
    local double largest[LCL_GROUP], diagonal[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), row_ptr);
        double most = 0, own = 0;
        for (uint k = r.from + lane; k < r.to; k += TEAM) {
            const double a = norm_of(val, k);
            most = fmax(most, a);
            own = col[k] == r.row ? a : own;
        }
        largest[lid] = most;
        diagonal[lid] = own;
        GROUP_BARRIER();
        for (uint l = 1; l < TEAM && lane == 0; ++l) {
            most = fmax(most, largest[lid + l]);
            own = fmax(own, diagonal[lid + l]);
        }
        own = own > 0 ? own : most;
        if (lane == 0 && r.row >= 0)
            root[r.row] = 1 / sqrt(own > 0 ? own : 1);
        GROUP_BARRIER();
    }
}

// Position of entry (i, j), or the end of row i.
static inline uint find_entry(int i, int j, global const uint *row_ptr,
                              global const int *col)
{
    const uint end = row_ptr[i + 1];
    uint low = row_ptr[i], high = end;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && col[low] == j ? low : end;
}

static inline uint strength_of(int weighted, global const double *val, ulong k,
                               double row_root, double col_root)
{
    return weighted ? match_strength(norm_of(val, k), row_root, col_root)
                    : MATCH_SCALE + MATCH_LEAST;
}

WORK_GROUP
kernel void weigh(long rows, global const int *list, int weighted,
                  global const uint *row_ptr, global const int *restrict col,
                  global const double *restrict val, global const double *root,
                  global uint *weight, global uint *counts)
{
    const uint lane = get_local_id(0) % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), row_ptr);
        const double own = r.row >= 0 && weighted ? root[r.row] : 1;
        for (uint k = r.from + lane; k < r.to; k += TEAM) {
            const int j = col[k];
            const uint other =
                j == r.row ? 0 : find_entry(j, r.row, row_ptr, col);
            if (j == r.row) {
                weight[k] = 0;
            } else if (other == row_ptr[j + 1]) {
                counts[MATCH_LACKING] = 1;
            } else {
                const double its = weighted ? root[j] : 1;
                weight[k] = strength_of(weighted, val, k, own, its) +
                            strength_of(weighted, val, other, its, own);
            }
        }
    }
}

WORK_GROUP
kernel void count_both(long rows, global const int *list,
                       global const uint *row_ptr,
                       global const int *restrict col,
                       volatile global int *length)
{
    const uint lane = get_local_id(0) % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), row_ptr);
        if (lane == 0 && r.row >= 0)
            atomic_add(&length[r.row], (int)(r.to - r.from));
        for (uint k = r.from + lane; k < r.to; k += TEAM)
            atomic_inc(&length[col[k]]);
    }
}

// next[i]: the next free entry of row i.
WORK_GROUP
kernel void list_both(long rows, global const int *list, int weighted,
                      global const uint *row_ptr,
                      global const int *restrict col,
                      global const double *restrict val,
                      global const double *root, volatile global uint *next,
                      global int *adj, global uint *weight)
{
    const uint lane = get_local_id(0) % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), row_ptr);
        const double own = r.row >= 0 && weighted ? root[r.row] : 1;
        for (uint k = r.from + lane; k < r.to; k += TEAM) {
            const int j = col[k];
            const double its = weighted ? root[j] : 1;
            const uint here = atomic_inc(&next[r.row]);
            const uint there = atomic_inc(&next[j]);
            adj[here] = j;
            adj[there] = r.row;
            weight[here] = weight[there] =
                j == r.row ? 0 : strength_of(weighted, val, k, own, its);
        }
    }
}
