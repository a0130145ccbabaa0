// SPDX-License-Identifier: BSD-3-Clause
// T = A^T:
//     count_columns    count[j] += number of entries of column j of A
//     place_rows       rows of A, in any order, as the columns of T; takes
//                      count[] down to 0
//     sort_rows        sorts the columns of each row of T; entry k of T is
//                      entry map[k] of A. Lists rows that are too long.
//     sort_long        the same for the listed rows, where groups may be of
//                      several waves by a program of its own with LONG_ROWS
//
// Data:   CSR with ascending columns and fewer than 2^32 entries.
// Launch: any number of groups, of one wave without LONG_ROWS; sort_rows: teams
//         of 2^shift lanes with one row each; sort_long: one group per row.
// Determinism: exact, since the order of placement does not survive the sort.
#include "bitmap.cl.h"
#include "keys.cl.h"
#include "search.cl.h"
#include "transpose.cl.h"

#ifndef LONG_ROWS
# define LONG_ROWS 0 // 1: rows from a list, one group per row
#endif

// Where entry (i, j) of A is.
static inline uint find_entry(int i, int j, global const uint *row_ptr,
                              global const int *col)
{
    return row_ptr[i] + count_below(j, row_ptr[i], row_ptr[i + 1], col);
}

#if !LONG_ROWS

WORK_GROUP
kernel void count_columns(long entries, global const int *restrict col,
                          volatile global uint *count)
{
    for (RANGE(k, entries))
        atomic_inc(&count[col[k]]);
}

// 2^shift lanes share a row of A.
WORK_GROUP
kernel void place_rows(long n, int shift, global const uint *restrict row_ptr,
                       global const int *restrict col,
                       global const uint *restrict t_row_ptr,
                       volatile global uint *count, global int *t_col)
{
    for (RANGE(u, n << shift)) {
        const long i = u >> shift;
        const uint lane = (uint)u & ((1u << shift) - 1);
        for (uint k = row_ptr[i] + lane; k < row_ptr[i + 1]; k += 1u << shift) {
            const int j = col[k];
            t_col[t_row_ptr[j] + (uint)atomic_dec(&count[j]) - 1] = (int)i;
        }
    }
}

WORK_GROUP
kernel void sort_rows(long rows, int shift,
                      global const uint *restrict t_row_ptr,
                      global const uint *restrict row_ptr,
                      global const int *restrict col, global int *t_col,
                      global uint *restrict map, global int *restrict list,
                      volatile global uint *listed)
{
    local int all_keys[TRANSPOSE_KEYS(LCL_WIDTH) * LCL_WIDTH];
    local double scratch[LCL_GROUP];
    const struct team t = team_of(shift);
    const uint most = TRANSPOSE_KEYS(LCL_WIDTH) << shift;
    local int *keys = all_keys + t.number * most;
    for (TEAMS_RANGE(at, rows, shift)) {
        const long j = at + t.number;
        uint from = 0, n = 0;
        if (j < rows) {
            from = t_row_ptr[j];
            n = t_row_ptr[j + 1] - from;
        }
        if (n > most) {
            if (t.lane == 0)
                list[atomic_inc(listed)] = (int)j;
            n = 0;
        }
        for (TEAM_DOWNWARDS(e, n, t))
            keys[e] = t_col[from + e];
        GROUP_BARRIER();
        sort_keys(t, keys, n, wave_largest(n, LCL_WIDTH, scratch));
        for (TEAM_DOWNWARDS(e, n, t)) {
            t_col[from + e] = keys[e];
            map[from + e] = find_entry(keys[e], (int)j, row_ptr, col);
        }
        GROUP_BARRIER();
    }
}

#endif
#if LONG_ROWS || LCL_WIDTH == 1

// Sets the bits of the numbers base .. base + BITMAP_BITS - 1 among count ones.
INLINE void mark_all(long base, uint count, global const int *numbers,
                     struct bitmap b)
{
    for (GROUP_DOWNWARDS(e, count)) {
        const long bit = numbers[e] - base;
        if (bit >= 0 && bit < BITMAP_BITS)
            bitmap_set(b, (uint)bit);
    }
    GROUP_BARRIER();
}

// Sorts into the map first: a window reads all columns.
WORK_GROUP
kernel void sort_long(global const uint *restrict t_row_ptr,
                      global const uint *restrict row_ptr,
                      global const int *restrict col, global int *t_col,
                      global uint *map, global const int *restrict list,
                      global const uint *listed)
{
    local uint words[BITMAP_WORDS];
    local ulong scratch[LCL_GROUP];
    local int bounds[2];
    const struct bitmap b = {words, scratch};
    const long rows = listed[0];
    for (long at = get_group_id(0); at < rows; at += get_num_groups(0)) {
        const int j = list[at];
        const uint from = t_row_ptr[j], n = t_row_ptr[j + 1] - from;
        global int *sorted = (global int *)(map + from);
        bounds_begin(bounds);
        for (GROUP_DOWNWARDS(e, n))
            widen(bounds, t_col[from + e], t_col[from + e]);
        GROUP_BARRIER();
        const long low = bounds[0], high = bounds[1];
        uint to = 0;
        for (long base = low; base <= high; base += BITMAP_BITS) {
            const uint used = bitmap_words(base, high);
            bitmap_clear(b, used);
            mark_all(base, n, t_col + from, b);
            to += bitmap_write(b, used, (int)base, sorted + to);
        }
        GROUP_BARRIER_GLOBAL();
        for (GROUP_DOWNWARDS(e, n)) {
            const int i = sorted[e];
            t_col[from + e] = i;
            map[from + e] = find_entry(i, j, row_ptr, col);
        }
    }
}

#endif
