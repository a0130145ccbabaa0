// SPDX-License-Identifier: BSD-3-Clause
// The product C = A B of sparse matrices in CSR, columns ascending.
//     spgemm_merge   row by row, merges the columns of the rows of B that row i
//                    of A names: counts them or, if `fill`, stores them
//     spgemm_values  c_ij = sum_k a_ik b_kj, k ascending
//
// Launch: spgemm_merge groups of one wave, spgemm_values of any size; any
//         number of groups. LANES_PER_ROW lanes share a row.
// Determinism: bitwise.
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

// First place of col[from] .. col[to-1], ascending, whose column is at least c.
static inline uint place_of(global const int *col, uint from, uint to, int c)
{
    while (from < to) {
        const uint middle = from + (to - from) / 2;
        if (col[middle] < c)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// The smallest column of row j after column `last`; -1: none.
static inline int column_after(global const uint *row_ptr,
                               global const int *col, int j, int last)
{
    const uint end = row_ptr[j + 1];
    const uint at = place_of(col, row_ptr[j], end, last + 1);
    return at < end ? col[at] : -1;
}

// Lanes exchange the complement of a column, so that the largest is that of the
// smallest column, and 0 none. All teams of a wave loop until the last is done.
WORK_GROUP
kernel void spgemm_merge(long n, global const uint *a_ptr,
                         global const int *a_col, global const uint *b_ptr,
                         global const int *b_col, int fill, global uint *count,
                         global const uint *c_ptr, global int *c_col)
{
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_WIDTH / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * rows; first < n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        const uint begin = i < n ? a_ptr[i] : 0;
        uint end = i < n ? a_ptr[i + 1] : 0, found = 0;
        const uint to = fill && i < n ? c_ptr[i] : 0;
        int last = -1;
        bool more = true;
        while (more) {
            uint next = 0;
            for (uint k = begin + lane; k < end; k += LANES_PER_ROW) {
                const int c = column_after(b_ptr, b_col, a_col[k], last);
                next = max(next, c < 0 ? 0u : ~(uint)c);
            }
            next = wave_largest(next, LANES_PER_ROW, scratch);
            if (next > 0) {
                last = (int)~next;
                if (fill && lane == 0)
                    c_col[to + found] = last;
                ++found;
            } else {
                end = begin;
            }
            more = wave_largest(next, LCL_WIDTH, scratch) > 0;
        }
        if (!fill && i < n && lane == 0)
            count[i] = found;
    }
}

WORK_GROUP
kernel void spgemm_values(long n, global const uint *a_ptr,
                          global const int *a_col, global const double *a,
                          global const uint *b_ptr, global const int *b_col,
                          global const double *b, global const uint *c_ptr,
                          global const int *c_col, global double *c)
{
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (long i =
             (long)get_group_id(0) * rows + get_local_id(0) / LANES_PER_ROW;
         i < n; i += (long)get_num_groups(0) * rows) {
        const uint from = a_ptr[i], to = a_ptr[i + 1];
        for (uint o = c_ptr[i] + lane; o < c_ptr[i + 1]; o += LANES_PER_ROW) {
            double sum = 0;
            for (uint k = from; k < to; ++k) {
                const int j = a_col[k];
                const uint end = b_ptr[j + 1];
                const uint at = place_of(b_col, b_ptr[j], end, c_col[o]);
                if (at < end && b_col[at] == c_col[o])
                    sum += a[k] * b[at];
            }
            c[o] = sum;
        }
    }
}

// Number of products a_ik b_kj of each row, at most 2^32 - 1.
WORK_GROUP
kernel void spgemm_products(long n, global const uint *a_ptr,
                            global const int *a_col, global const uint *b_ptr,
                            global double *sums)
{
    local double scratch[LCL_GROUP];
    double sum = 0;
    for (RANGE(i, n))
        for (uint k = a_ptr[i]; k < a_ptr[i + 1]; ++k)
            sum += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}
