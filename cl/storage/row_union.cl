// SPDX-License-Identifier: BSD-3-Clause
// A matrix C with rows of A and B: row i has the entries of row i of A in
// columns below `limit`, if i < rows, then those of row place[i] of B, if
// `placed` is not 0 and place[i] is not negative.
//     row_union_lengths    length[i] = number of entries of row i
//     row_union_rows       columns and values
//
// Data:   CSR, A with ascending columns.
// Launch: any number of groups; row_union_rows: 2^shift lanes share a row.
// Determinism: exact.
#include "search.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void row_union_lengths(long n, long rows, int limit,
                              global const uint *restrict a_ptr,
                              global const int *restrict a_col, int placed,
                              global const int *restrict place,
                              global const uint *restrict b_ptr,
                              global uint *restrict length)
{
    for (RANGE(i, n)) {
        const int p = placed ? place[i] : -1;
        uint entries = p < 0 ? 0 : b_ptr[p + 1] - b_ptr[p];
        if (i < rows)
            entries += count_below(limit, a_ptr[i], a_ptr[i + 1], a_col);
        length[i] = entries;
    }
}

WORK_GROUP
kernel void row_union_rows(
    long n, int shift, long rows, global const uint *restrict a_ptr,
    global const int *restrict a_col, global const double *restrict a_val,
    int placed, global const int *restrict place,
    global const uint *restrict b_ptr, global const int *restrict b_col,
    global const double *restrict b_val, global const uint *restrict c_ptr,
    global int *restrict c_col, global double *restrict c_val)
{
    const uint lanes = 1u << shift;
    for (RANGE(u, n << shift)) {
        const long i = u >> shift;
        const uint lane = (uint)u & (lanes - 1);
        const int p = placed ? place[i] : -1;
        const uint b = p < 0 ? 0 : b_ptr[p];
        const uint of_b = p < 0 ? 0 : b_ptr[p + 1] - b;
        const uint c = c_ptr[i], of_a = c_ptr[i + 1] - c - of_b;
        const uint a = i < rows ? a_ptr[i] : 0;
        for (uint k = lane; k < of_a; k += lanes) {
            c_col[c + k] = a_col[a + k];
            c_val[c + k] = a_val[a + k];
        }
        for (uint k = lane; k < of_b; k += lanes) {
            c_col[c + of_a + k] = b_col[b + k];
            c_val[c + of_a + k] = b_val[b + k];
        }
    }
}
