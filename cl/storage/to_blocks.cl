// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix to blocks of LCL_BLOCK rows, in two passes with a
// prefix sum between them:
//     count_blocks     count[u] = number of blocks of item u
//     place_entries    row_ptr and columns of the blocks; entry k of the matrix
//                      is value place[k] of the blocks
// 2^shift items share a block row. They have consecutive ranges of its block
// columns, which split the longest of its rows evenly. An item merges the
// entries of its LCL_BLOCK rows, and start[u] is the number of its first block.
//
// Data:   CSR with ascending columns; blocks by rows, columns ascend.
// Launch: any number of groups.
// Determinism: exact.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

#define NO_COLUMN INT_MAX

// The next entries of an item in its rows.
struct walk {
    index_t next[LCL_BLOCK], end[LCL_BLOCK];
    int head[LCL_BLOCK]; // their block columns, NO_COLUMN after the last one
    int limit;           // first block column of the next item
};

INLINE int block_column(global const int *col, index_t k, index_t end)
{
    return k < end ? col[k] / LCL_BLOCK : NO_COLUMN;
}

// The first entry whose column is not below `column`.
INLINE index_t seek(global const int *col, index_t low, index_t high,
                    int column)
{
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (col[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first block column of item `lane`.
INLINE int split(global const int *col, index_t from, uint length, uint lane,
                 int shift)
{
    if (lane == 0)
        return 0;
    if (lane >> shift || length == 0)
        return NO_COLUMN;
    return col[from + (index_t)((ulong)length * lane >> shift)] / LCL_BLOCK;
}

INLINE void walk_begin(struct walk *w, long u, int shift,
                       global const index_t *row_ptr, global const int *col)
{
    const long first = (u >> shift) * LCL_BLOCK;
    const uint lane = (uint)u & ((1u << shift) - 1);
    index_t from = 0;
    uint longest = 0;
#pragma unroll
    for (int r = 0; r < LCL_BLOCK; ++r) {
        w->next[r] = row_ptr[first + r];
        w->end[r] = row_ptr[first + r + 1];
        const uint length = (uint)(w->end[r] - w->next[r]);
        from = length > longest ? w->next[r] : from;
        longest = max(length, longest);
    }
    const int start = split(col, from, longest, lane, shift);
    w->limit = split(col, from, longest, lane + 1, shift);
#pragma unroll
    for (int r = 0; r < LCL_BLOCK; ++r) {
        if (start == NO_COLUMN)
            w->next[r] = w->end[r];
        else if (start > 0)
            w->next[r] = seek(col, w->next[r], w->end[r], start * LCL_BLOCK);
        w->head[r] = block_column(col, w->next[r], w->end[r]);
    }
}

// The column of the next block, w->limit or more after the last one.
INLINE int walk_column(const struct walk *w)
{
    int column = w->head[0];
#pragma unroll
    for (int r = 1; r < LCL_BLOCK; ++r)
        column = min(column, w->head[r]);
    return column;
}

WORK_GROUP
kernel void count_blocks(long block_rows, int shift,
                         global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global uint *restrict count)
{
    for (RANGE(u, block_rows << shift)) {
        struct walk w;
        uint blocks = 0;
        walk_begin(&w, u, shift, row_ptr, col);
        for (int j; (j = walk_column(&w)) < w.limit; ++blocks)
#pragma unroll
            for (int r = 0; r < LCL_BLOCK; ++r)
                while (w.head[r] == j)
                    w.head[r] = block_column(col, ++w.next[r], w.end[r]);
        count[u] = blocks;
    }
}

WORK_GROUP
kernel void place_entries(long block_rows, int shift,
                          global const index_t *restrict row_ptr,
                          global const int *restrict col,
                          global const uint *restrict start,
                          global uint *restrict block_row_ptr,
                          global int *restrict block_col,
                          global uint *restrict place)
{
    const long items = block_rows << shift;
    if (get_global_id(0) == 0)
        block_row_ptr[block_rows] = start[items];
    for (RANGE(u, items)) {
        struct walk w;
        uint block = start[u];
        if ((u >> shift) << shift == u)
            block_row_ptr[u >> shift] = block;
        walk_begin(&w, u, shift, row_ptr, col);
        for (int j; (j = walk_column(&w)) < w.limit; ++block) {
            block_col[block] = j;
#pragma unroll
            for (int r = 0; r < LCL_BLOCK; ++r)
                while (w.head[r] == j) {
                    const index_t k = w.next[r]++;
                    place[k] = (block * LCL_BLOCK + r) * LCL_BLOCK +
                               (uint)(col[k] - j * LCL_BLOCK);
                    w.head[r] = block_column(col, w.next[r], w.end[r]);
                }
        }
    }
}
