// SPDX-License-Identifier: BSD-3-Clause
// Coarse/fine splitting by a distance-1 independent set (PMIS: De Sterck, Yang,
// Heys, SIMAX 27 (2006)). In the order of the launches:
//     find_dependences  strong[k] = -s a_ij >= theta max_k(-s a_ik) > 0, s the
//                       sign of a_ii, 1 if it is 0; negative[i] = s < 0;
//                       counts[j] = number of rows with a strong coupling to j
//     start_states      rows nobody depends on are fine
//     mark_smaller      mark[i] = round, from 1, if an undecided row of larger
//                       measure depends on row i or the reverse
//     choose_coarse     undecided rows without the mark of this round are
//                       coarse, undecided rows that depend on these are fine
//     mark_coarse       1 for each coarse row
//     number_coarse     coarse[i] = number of row i; -1 if it is fine
// left[slot] tells whether a round of the batch left rows undecided; a round
// after one that did not returns at once.
//
// Data:   lib/multilevel/splitting.h
// Launch: any number of groups, LANES_PER_ROW lanes per row.
// Determinism: bitwise: all atomic operations count or take maxima.
#include "row_team.cl.h"
#include "splitting.cl.h"

#pragma OPENCL FP_CONTRACT OFF

WORK_GROUP
kernel void find_dependences(long n, double theta,
                             global const index_t *restrict row_ptr,
                             global const int *restrict col,
                             global const double *restrict val,
                             global uchar *restrict strong,
                             global uchar *restrict negative,
                             volatile global uint *counts)
{
    local double scratch[LCL_GROUP];
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const struct span s = span_of(i, i < n, row_ptr);
        double d = 0, below = 0, above = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const double a = val[k];
            const bool own = col[k] == i;
            d += own ? a : 0.0;
            below = fmax(below, own ? 0.0 : -a);
            above = fmax(above, own ? 0.0 : a);
        }
        d = team_sum(d, scratch);
        below = team_max(below, scratch);
        above = team_max(above, scratch);
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const int j = col[k];
            const bool found =
                j != i && splitting_is_strong(val[k], d < 0,
                                              d < 0 ? above : below, theta);
            strong[k] = found;
            if (found)
                atomic_inc(&counts[j]);
        }
        if (team_lane() == 0 && i < n)
            negative[i] = d < 0;
    }
}

WORK_GROUP
kernel void start_states(long n, global const uint *restrict counts,
                         global uchar *restrict state,
                         global int *restrict mark)
{
    for (RANGE(i, n)) {
        state[i] = counts[i] > 0 ? SPLITTING_UNDECIDED : SPLITTING_FINE;
        mark[i] = counts[i] > 0 ? 0 : SPLITTING_NEVER;
    }
}

// No row writes the mark of a fine row but that row itself.
WORK_GROUP
kernel void mark_smaller(long n, int round, int slot,
                         global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global const uchar *restrict strong,
                         global const uint *restrict counts,
                         global const uchar *restrict state,
                         volatile global int *mark, global int *left)
{
    if (get_global_id(0) == 0)
        left[slot] = 0;
    if (slot > 0 && left[slot > 0 ? slot - 1 : 0] == 0)
        return;
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const int own_state = i < n ? state[i < n ? i : 0] : SPLITTING_COARSE;
        const bool open = own_state == SPLITTING_UNDECIDED;
        const struct span s = span_of(i, open, row_ptr);
        const ulong own = splitting_measure(counts[open ? i : 0], (uint)i);
        bool smaller = false;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const int j = col[k];
            if (strong[k] && state[j] == SPLITTING_UNDECIDED) {
                if (splitting_measure(counts[j], (uint)j) > own)
                    smaller = true;
                else
                    atomic_max(&mark[j], round);
            }
        }
        if (smaller)
            atomic_max(&mark[i], round);
        if (own_state == SPLITTING_FINE && team_lane() == 0)
            mark[i] = SPLITTING_NEVER;
    }
}

// An undecided row depends on no row that was coarse before.
WORK_GROUP
kernel void choose_coarse(long n, int round, int slot,
                          global const index_t *restrict row_ptr,
                          global const int *restrict col,
                          global const uchar *restrict strong,
                          global const int *restrict mark,
                          global uchar *restrict state, global int *left)
{
    local double scratch[LCL_GROUP];
    if (slot > 0 && left[slot > 0 ? slot - 1 : 0] == 0)
        return;
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const bool open = i < n && state[i < n ? i : 0] == SPLITTING_UNDECIDED;
        const bool smaller = open && mark[open ? i : 0] == round;
        const struct span s = span_of(i, smaller, row_ptr);
        ulong found = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            if (strong[k] && mark[col[k]] < round)
                found = 1;
        found = team_max_key(found, scratch);
        if (team_lane() == 0 && open) {
            if (!smaller)
                state[i] = SPLITTING_COARSE;
            else if (found)
                state[i] = SPLITTING_FINE;
            else
                left[slot] = 1;
        }
    }
}

WORK_GROUP
kernel void mark_coarse(long n, global const uchar *restrict state,
                        global int *restrict mark)
{
    for (RANGE(i, n))
        mark[i] = state[i] == SPLITTING_COARSE;
}

WORK_GROUP
kernel void number_coarse(long n, global const uchar *restrict state,
                          global const uint *restrict number,
                          global int *restrict coarse)
{
    for (RANGE(i, n))
        coarse[i] = state[i] == SPLITTING_COARSE ? (int)number[i] : -1;
}
