// SPDX-License-Identifier: BSD-3-Clause
// Rows of a matrix that ranks send each other (lib/multilevel/row_exchange.h,
// rank_matrix.c). A rank has `own` columns of the whole matrix from `first` on,
// and ghosts, ghost[g] ascending, which are its columns from `own` on. On their
// way, rows have ascending columns of the whole matrix.
//     rows_leave     such rows from n rows with columns of the rank, own ones
//                    before ghosts; `lower` ghosts are below `first`
//     rows_reach     range[] = the least and the largest of column / 64 among
//                    columns that are not own ones, if there are any
//     rows_mark      sets bit column - from for each of these columns
//     rows_count     length[i] = entries of row i in columns that the rank has
//     rows_arrive    row i with columns of the rank, own ones first; map[k] =
//                    which entry of those that came entry k is
//     rows_append    rows behind the n rows and `start` entries of a matrix
//     rows_values    new values of these
//     rows_join      out[j] = ptr[start[j]]
//     rows_gathered  out[k] = column col[k] of a rank with all columns
// Row i of those that arrive is row place[i] of those that came, or row i if
// `placed` is 0.
//
// Data:   CSR.
// Launch: any number of groups; rows_leave: 2^shift lanes share a row.
// Determinism: exact.
#include "search.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void rows_leave(long n, int shift, int own, long first, int lower,
                       global const long *ghost, global const uint *row_ptr,
                       global const int *col, global const double *val,
                       global long *out_col, global double *out_val)
{
    const uint lanes = 1u << shift;
    for (RANGE(u, n << shift)) {
        const long i = u >> shift;
        const uint from = row_ptr[i], to = row_ptr[i + 1];
        const uint behind = count_below(own, from, to, col);
        const uint upper = count_below(own + lower, from, to, col);
        for (uint k = (uint)u & (lanes - 1); k < to - from; k += lanes) {
            const int c = col[from + k];
            const uint place = from + (k < behind  ? k + upper - behind
                                       : k < upper ? k - behind
                                                   : k);
            out_col[place] = c < own ? first + c : ghost[c - own];
            out_val[place] = val[from + k];
        }
    }
}

static inline bool is_own(long column, long first, int own)
{
    return column >= first && column < first + own;
}

WORK_GROUP
kernel void rows_reach(long entries, long first, int own,
                       global const long *col, volatile global uint *range)
{
    uint least = UINT_MAX, largest = 0;
    for (RANGE(k, entries)) {
        const uint word = (uint)(col[k] >> 6);
        if (!is_own(col[k], first, own)) {
            least = min(least, word);
            largest = max(largest, word);
        }
    }
    if (least <= largest) {
        atomic_min(range, least);
        atomic_max(range + 1, largest);
    }
}

WORK_GROUP
kernel void rows_mark(long entries, long first, int own, long from,
                      global const long *col, volatile global uint *bits)
{
    for (RANGE(k, entries))
        if (!is_own(col[k], first, own)) {
            const ulong bit = (ulong)(col[k] - from);
            atomic_or(bits + (bit >> 5), 1u << (bit & 31));
        }
}

// The column of the rank; -1: it has none.
static inline int column_of(long column, long first, int own, int ghosts,
                            global const long *ghost)
{
    int low = 0, high = ghosts;
    if (is_own(column, first, own))
        return (int)(column - first);
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (ghost[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ghosts && ghost[low] == column ? own + low : -1;
}

WORK_GROUP
kernel void rows_count(long n, long first, int own, int ghosts,
                       global const long *ghost, int placed,
                       global const int *place, global const uint *row_ptr,
                       global const long *col, global uint *length)
{
    for (RANGE(i, n)) {
        const long r = placed ? place[i] : i;
        uint entries = 0;
        for (uint k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
            entries += column_of(col[k], first, own, ghosts, ghost) >= 0;
        length[i] = entries;
    }
}

WORK_GROUP
kernel void rows_arrive(long n, long first, int own, int ghosts,
                        global const long *ghost, int placed,
                        global const int *place, global const uint *row_ptr,
                        global const long *col, global const double *val,
                        global const uint *out_ptr, global int *out_col,
                        global double *out_val, global uint *map)
{
    for (RANGE(i, n)) {
        const long r = placed ? place[i] : i;
        const uint from = row_ptr[r], to = row_ptr[r + 1];
        uint at = out_ptr[i];
        for (int pass = 0; pass < 2; ++pass) // own columns, then ghosts
            for (uint k = from; k < to; ++k) {
                if (is_own(col[k], first, own) != (pass == 0))
                    continue;
                const int c = column_of(col[k], first, own, ghosts, ghost);
                if (c < 0)
                    continue;
                out_col[at] = c;
                out_val[at] = val[k];
                map[at++] = k;
            }
    }
}

WORK_GROUP
kernel void rows_append(long rows, long entries, long n, uint start,
                        global const uint *row_ptr, global const int *col,
                        global const double *val, global uint *all_ptr,
                        global int *all_col, global double *all_val)
{
    for (RANGE(i, rows + 1))
        all_ptr[n + i] = start + row_ptr[i];
    for (RANGE(k, entries)) {
        all_col[start + k] = col[k];
        all_val[start + k] = val[k];
    }
}

WORK_GROUP
kernel void rows_values(long entries, uint start, global const uint *map,
                        global const double *val, global double *all_val)
{
    for (RANGE(k, entries))
        all_val[start + k] = val[map[k]];
}

WORK_GROUP
kernel void rows_join(long rows, global const int *start,
                      global const uint *ptr, global uint *out)
{
    for (RANGE(j, rows))
        out[j] = ptr[start[j]];
}

WORK_GROUP
kernel void rows_gathered(long entries, global const long *col, global int *out)
{
    for (RANGE(k, entries))
        out[k] = (int)col[k];
}
