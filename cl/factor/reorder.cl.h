// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase, part 2: the reordered matrix B with ascending
// columns, and `map`: entry k of B is entry map[k] of A.
//
// Data:   row i of B is row perm[i] of A.
// Launch: row_pointers one group per subdomain, sort_long one group per long
//         row, reorder_rows any number of groups.
// Determinism: bitwise.
#pragma once

#include "sort.cl.h"
#include "symbolic.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void row_pointers(global const struct lcl_part *parts,
                         global const int *perm, global const uint *row_ptr,
                         global uint *new_row_ptr)
{
    local uint sums[LCL_GROUP];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const uint2 share = slice_of(p.rows);
    uint sum = 0, at = (uint)p.entry;
    for (uint i = share.x; i < share.y; ++i)
        sum += symbolic_length(row_ptr, perm, p.row + i);
    sums[lid] = sum;
    GROUP_BARRIER();
    for (uint l = 0; l < lid; ++l)
        at += sums[l];
    for (uint i = share.x; i < share.y; ++i) {
        new_row_ptr[p.row + i] = at;
        at += symbolic_length(row_ptr, perm, p.row + i);
    }
    if (lid == LCL_GROUP - 1 && get_group_id(0) == get_num_groups(0) - 1)
        new_row_ptr[p.row + p.rows] = at;
}

// Insertion sort of a short row; a key is the new column and the position in
// A's row.
static inline void sort_short(uint2 r, global const int *col,
                              global const int *inverse, global int *new_col,
                              global uint *map)
{
    ulong key[SYMBOLIC_SHORT_ROW];
    const uint count = r.y - r.x;
    for (uint k = 0; k < count; ++k) {
        const ulong taken = (ulong)inverse[col[r.x + k]] << 32 | k;
        uint hole = k;
        for (; hole > 0 && key[hole - 1] > taken; --hole)
            key[hole] = key[hole - 1];
        key[hole] = taken;
    }
    for (uint k = 0; k < count; ++k) {
        new_col[k] = (int)(key[k] >> 32);
        map[k] = r.x + (uint)key[k];
    }
}

WORK_GROUP
kernel void reorder_rows(long n, global const int *perm,
                         global const int *inverse, global const uint *row_ptr,
                         global const int *col, global const uint *new_row_ptr,
                         global int *new_col, global uint *map)
{
    for (RANGE(i, n)) {
        const uint2 r = symbolic_run(row_ptr, perm, i);
        if (r.y - r.x <= SYMBOLIC_SHORT_ROW)
            sort_short(r, col, inverse, new_col + new_row_ptr[i],
                       map + new_row_ptr[i]);
    }
}

WORK_GROUP
kernel void sort_long(global const int *long_rows, global const int *inverse,
                      global const uint *row_ptr, global const int *col,
                      global const uint *new_row_ptr, global int *new_col,
                      global uint *map)
{
    const uint lid = get_local_id(0);
    const int old = long_rows[get_group_id(0)];
    const uint from = row_ptr[old], count = row_ptr[old + 1] - from;
    new_col += new_row_ptr[inverse[old]];
    map += new_row_ptr[inverse[old]];
    for (uint k = lid; k < count; k += LCL_GROUP) {
        new_col[k] = inverse[col[from + k]];
        map[k] = from + k;
    }
    GROUP_BARRIER_GLOBAL();
    uint top = 1, stride = 1;
    while (top < count) {
        for (uint t = lid; t < pairs_at(stride, count); t += LCL_GROUP) {
            const uint low = low_of(t, stride);
            const uint high = high_of(low, stride, top);
            if (high >= count || new_col[low] <= new_col[high])
                continue;
            const int column = new_col[low];
            const uint entry = map[low];
            new_col[low] = new_col[high];
            map[low] = map[high];
            new_col[high] = column;
            map[high] = entry;
        }
        GROUP_BARRIER_GLOBAL();
        stride /= 2;
        if (stride == 0)
            stride = top *= 2;
    }
}
