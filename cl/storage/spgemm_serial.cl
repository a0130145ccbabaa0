// SPDX-License-Identifier: BSD-3-Clause
// Sparse product C = A B at width 1 (row by row, Gustavson 1978):
//     count_rows       length[i] = number of entries of row i of C
//     fill_rows        columns of C in ascending order
//     multiply_rows    values: c_ij = sum over k of a_ik b_kj
//
// Each group has a mark for each column. In the first two kernels it is the
// last row that has the column, numbered differently in each of them; they
// start from marks of -1. In the third one it is the place of the column in the
// row.
//
// Data:   CSR with ascending columns; marks[g * cols + j] of group g.
// Launch: any number of groups of one item.
// Determinism: as spgemm.cl.
#include "rounding.cl.h"
#include "spgemm_index.cl.h"

#define FILLING 0x80000000u // in the marks of fill_rows

WORK_GROUP
kernel void count_rows(long n, long cols,
                       global const a_index *restrict a_row_ptr,
                       global const int *restrict a_col,
                       global const b_index *restrict b_row_ptr,
                       global const int *restrict b_col,
                       global uint *restrict marks,
                       global uint *restrict length)
{
    global uint *mark = marks + get_group_id(0) * cols;
    for (RANGE(i, n)) {
        uint count = 0;
        for (a_index k = a_row_ptr[i]; k < a_row_ptr[i + 1]; ++k) {
            const int j = a_col[k];
            for (b_index e = b_row_ptr[j]; e < b_row_ptr[j + 1]; ++e) {
                global uint *own = mark + b_col[e];
                count += *own != (uint)i;
                *own = (uint)i;
            }
        }
        length[i] = count;
    }
}

// Shell sort, whose last pass is an insertion sort.
static inline void sort_columns(global int *col, uint n)
{
    for (uint gap = n > 8 ? n / 3 : 1; n > 1 && gap > 0;
         gap = gap > 2 ? gap / 3 : gap - 1)
        for (uint i = gap; i < n; ++i) {
            const int own = col[i];
            uint at = i;
            for (; at >= gap && col[at - gap] > own; at -= gap)
                col[at] = col[at - gap];
            col[at] = own;
        }
}

WORK_GROUP
kernel void fill_rows(
    long n, long cols, global const a_index *restrict a_row_ptr,
    global const int *restrict a_col, global const b_index *restrict b_row_ptr,
    global const int *restrict b_col, global uint *restrict marks,
    global const c_index *restrict c_row_ptr, global int *restrict c_col)
{
    global uint *mark = marks + get_group_id(0) * cols;
    for (RANGE(i, n)) {
        const uint now = (uint)i | FILLING;
        global int *own = c_col + c_row_ptr[i];
        uint count = 0;
        for (a_index k = a_row_ptr[i]; k < a_row_ptr[i + 1]; ++k) {
            const int j = a_col[k];
            for (b_index e = b_row_ptr[j]; e < b_row_ptr[j + 1]; ++e)
                if (mark[b_col[e]] != now) {
                    mark[b_col[e]] = now;
                    own[count++] = b_col[e];
                }
        }
        sort_columns(own, count);
    }
}

WORK_GROUP
kernel void multiply_rows(
    long n, long cols, global const a_index *restrict a_row_ptr,
    global const int *restrict a_col, global const double *restrict a_val,
    global const b_index *restrict b_row_ptr, global const int *restrict b_col,
    global const double *restrict b_val, global uint *restrict marks,
    global const c_index *restrict c_row_ptr, global const int *restrict c_col,
    global double *restrict c_val)
{
    global uint *mark = marks + get_group_id(0) * cols;
    for (RANGE(i, n)) {
        const c_index to = c_row_ptr[i];
        const uint count = (uint)(c_row_ptr[i + 1] - to);
        global double *own = c_val + to;
        for (uint p = 0; p < count; ++p) {
            mark[c_col[to + p]] = p;
            own[p] = 0;
        }
        for (a_index k = a_row_ptr[i]; k < a_row_ptr[i + 1]; ++k) {
            const int j = a_col[k];
            const double a = a_val[k];
            for (b_index e = b_row_ptr[j]; e < b_row_ptr[j + 1]; ++e) {
                const uint p = mark[b_col[e]];
                own[p] = fused(a, b_val[e], own[p]);
            }
        }
    }
}
