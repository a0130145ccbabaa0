// SPDX-License-Identifier: BSD-3-Clause
// Aggregates around the rows of a distance-2 independent set of the graph of
// strong couplings (Bell, Dalton, Olson, 2012), in rounds with new priorities
// (Kelley, Rajamanickam, 2022). A label is the root of an aggregate, or
// AGGREGATE_FREE, AGGREGATE_NONE. In the order of their launches:
//     start_rows      rows without strong couplings are no roots of a set
//     near_keys       near[i] = largest key of row i and its neighbours
//     choose_roots    a row with the largest key within distance 2 is a root;
//                     rows within distance 2 of a root are out
//     take_rows       free neighbours of roots get their label
//     start_second    candidates of phase 2: rows with at least `least` free
//                     neighbours; near_keys, ..., take_rows follow again
//     count_sizes     size[r] = rows of the aggregate of root r
//     join_rows       free rows join the aggregate of most coupling
//     mark_roots      1 for each root; rows that are still free become roots
//     number_rows     aggregate[i] = number of the root of row i
// left[slot] tells whether a round of the batch left rows undecided; a round
// after one that did not returns at once. joined[s] is the same for sweeps.
//
// Data:   lib/multilevel/aggregates.h
// Launch: any number of groups, LANES_PER_ROW lanes per row.
// Determinism: bitwise: all atomic operations count.
#include "row_team.cl.h"

#pragma OPENCL FP_CONTRACT OFF

WORK_GROUP
kernel void start_rows(long n, global const int *restrict strong_count,
                       global uchar *restrict state,
                       global ulong *restrict near, global int *restrict label,
                       global int *restrict size)
{
    for (RANGE(i, n)) {
        const int count = strong_count[i];
        state[i] = count > 0 ? AGGREGATE_UNDECIDED : AGGREGATE_OUT;
        near[i] = count > 0;
        label[i] = count < 0 ? AGGREGATE_NONE : AGGREGATE_FREE;
        size[i] = 0;
    }
}

// near[] of rows at which no key will change any more is 0 or
// AGGREGATE_HIGHEST.
WORK_GROUP
kernel void near_keys(long n, uint round, int slot,
                      global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const uchar *restrict strong,
                      global const uchar *restrict state,
                      global ulong *restrict near, global int *left)
{
    local double scratch[LCL_GROUP];
    if (get_global_id(0) == 0)
        left[slot] = 0;
    if (slot > 0 && left[slot > 0 ? slot - 1 : 0] == 0)
        return;
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const ulong before = i < n ? near[i] : 0;
        const bool open = before != 0 && before != AGGREGATE_HIGHEST;
        const struct span s = span_of(i, open, row_ptr);
        ulong key = open ? aggregate_key_of(state[i], (uint)i, round) : before;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            if (strong[k] & COUPLING_STRONG) {
                const uint j = (uint)col[k];
                key = max(key, (ulong)aggregate_key_of(state[j], j, round));
            }
        key = team_max_key(key, scratch);
        if (team_lane() == 0 && open)
            near[i] = key;
    }
}

WORK_GROUP
kernel void choose_roots(long n, uint round, int slot,
                         global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global const uchar *restrict strong,
                         global const ulong *restrict near,
                         global uchar *restrict state, global int *left)
{
    local double scratch[LCL_GROUP];
    if (slot > 0 && left[slot > 0 ? slot - 1 : 0] == 0)
        return;
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const bool open = i < n && state[i < n ? i : 0] == AGGREGATE_UNDECIDED;
        const struct span s = span_of(i, open, row_ptr);
        ulong key = open ? near[i] : 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            if (strong[k] & COUPLING_STRONG)
                key = max(key, near[col[k]]);
        key = team_max_key(key, scratch);
        if (team_lane() == 0 && open) {
            if (key == AGGREGATE_HIGHEST)
                state[i] = AGGREGATE_OUT;
            else if (key == aggregate_key((uint)i, round))
                state[i] = AGGREGATE_IN;
            else
                left[slot] = 1;
        }
    }
}

// In a structurally unsymmetric matrix a row may see several roots; it takes
// the first.
WORK_GROUP
kernel void take_rows(long n, global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const uchar *restrict strong,
                      global const uchar *restrict state,
                      global int *restrict label)
{
    local double scratch[LCL_GROUP];
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const bool open = i < n && label[i < n ? i : 0] == AGGREGATE_FREE;
        const bool root = open && state[open ? i : 0] == AGGREGATE_IN;
        const struct span s = span_of(i, open && !root, row_ptr);
        ulong key = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            if ((strong[k] & COUPLING_STRONG) && state[col[k]] == AGGREGATE_IN)
                key = max(key, (ulong)INT_MAX - (ulong)col[k]);
        key = team_max_key(key, scratch);
        if (team_lane() == 0 && root)
            label[i] = (int)i;
        else if (team_lane() == 0 && key > 0)
            label[i] = (int)((ulong)INT_MAX - key);
    }
}

WORK_GROUP
kernel void start_second(long n, int least,
                         global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global const uchar *restrict strong,
                         global const int *restrict label,
                         global uchar *restrict state,
                         global ulong *restrict near)
{
    local double scratch[LCL_GROUP];
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const bool open = i < n && label[i < n ? i : 0] == AGGREGATE_FREE;
        const struct span s = span_of(i, open, row_ptr);
        double count = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            count += (strong[k] & COUPLING_STRONG) &&
                     label[col[k]] == AGGREGATE_FREE;
        count = team_sum(count, scratch);
        if (team_lane() == 0 && i < n) {
            state[i] =
                open && count >= least ? AGGREGATE_UNDECIDED : AGGREGATE_OUT;
            near[i] = open;
        }
    }
}

WORK_GROUP
kernel void count_sizes(long n, global const int *restrict label,
                        volatile global int *size, global int *left)
{
    if (get_global_id(0) == 0)
        left[0] = 0;
    for (RANGE(i, n))
        if (label[i] >= 0)
            atomic_inc(&size[label[i]]);
}

// ------------------------------------------------------------------- join

// Sum of the couplings with one of `bits` between a row and an aggregate, in
// their order.
static inline double coupling_of(struct span s, int root, global const int *col,
                                 global const double *val,
                                 global const uchar *strong, uchar bits,
                                 global const int *label)
{
    double sum = 0;
    for (index_t k = s.from; k < s.to; ++k)
        if ((strong[k] & bits) && label[col[k]] == root)
            sum += fabs(val[k]);
    return sum;
}

// The larger sum; among equal ones the larger key.
struct offer {
    double sum;
    ulong key;
};

static inline struct offer better(struct offer a, struct offer b)
{
    const bool other = b.sum > a.sum || (b.sum == a.sum && b.key > a.key);
    return other ? b : a;
}

INLINE struct offer team_best(struct offer own, local double *scratch)
{
    for (uint mask = LANES_PER_ROW / 2; mask > 0; mask /= 2) {
        struct offer other;
        other.sum = team_xor(own.sum, mask, scratch);
        other.key = team_xor_key(own.key, mask, scratch);
        own = better(own, other);
    }
    return own;
}

// A row without strong couplings joins by those of the filtered matrix: its
// solution follows its neighbours'.
// Sweep 0 tells in left[0] whether rows remain free; if not, the others return
// at once. Sweeps alternate between two arrays of labels.
WORK_GROUP
kernel void join_rows(long n, int sweep, global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const double *restrict val,
                      global const uchar *restrict strong,
                      global const int *restrict strong_count,
                      global const int *restrict size,
                      global const int *restrict label,
                      global int *restrict new_label, global int *left)
{
    local double scratch[LCL_GROUP];
    if (sweep > 0 && left[0] == 0)
        return;
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const int old = label[i < n ? i : 0];
        const struct span s =
            span_of(i, i < n && old == AGGREGATE_FREE, row_ptr);
        const uchar bits = strong_count[i < n ? i : 0] > 0 ? COUPLING_STRONG
                                                           : COUPLING_FILTERED;
        const bool is_long = s.to - s.from > AGGREGATE_LONG;
        struct offer best = {-1, 0};
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const int root = strong[k] & bits ? label[col[k]] : AGGREGATE_FREE;
            if (root >= 0) {
                struct offer o;
                o.sum = is_long ? fabs(val[k])
                                : coupling_of(s, root, col, val, strong, bits,
                                              label);
                o.key = ~((ulong)size[root] << 32 | (uint)root);
                best = better(best, o);
            }
        }
        best = team_best(best, scratch);
        if (team_lane() == 0 && i < n) {
            const bool joins = best.sum >= 0;
            new_label[i] = joins ? (int)(uint)~best.key : old;
            if (old == AGGREGATE_FREE && !joins && sweep == 0)
                left[0] = 1;
        }
    }
}

// ------------------------------------------------------------------- number

WORK_GROUP
kernel void mark_roots(long n, global int *restrict label,
                       global int *restrict mark)
{
    for (RANGE(i, n)) {
        const int root = label[i] == AGGREGATE_FREE ? (int)i : label[i];
        label[i] = root;
        mark[i] = root == i;
    }
}

WORK_GROUP
kernel void number_rows(long n, global const int *restrict label,
                        global const uint *restrict number,
                        global int *restrict aggregate)
{
    for (RANGE(i, n))
        aggregate[i] = label[i] < 0 ? -1 : (int)number[label[i]];
}
