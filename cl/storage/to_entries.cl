// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix of LCL_BLOCK x LCL_BLOCK blocks to single entries:
//     entry_rows    row pointers
//     entry_columns columns
//     entry_values  values
//
// Data:   blocks by rows with ascending columns, values of a block by rows.
// Launch: any number of groups, of one wave for columns and values.
// Determinism: exact.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

WORK_GROUP
kernel void entry_rows(long block_rows, global const uint *row_ptr,
                       global uint *entry_ptr)
{
    for (RANGE(i, block_rows)) {
        const uint from = row_ptr[i], length = row_ptr[i + 1] - from;
        for (int r = 0; r < LCL_BLOCK; ++r)
            entry_ptr[i * LCL_BLOCK + r] =
                from * (LCL_BLOCK * LCL_BLOCK) + r * length * LCL_BLOCK;
        if (i == block_rows - 1)
            entry_ptr[block_rows * LCL_BLOCK] =
                (from + length) * (LCL_BLOCK * LCL_BLOCK);
    }
}

// for (ENTRIES(u, r, at)): entry u of the LCL_BLOCK rows of `width` entries
// each is entry `at` of row r.
#define ENTRIES(u, r, at)                                                      \
 uint u = get_local_id(0), r = u / max(width, 1u), at = u - r * width;         \
 u < entries;                                                                  \
 u += LCL_WIDTH, r = u / max(width, 1u), at = u - r * width

WORK_GROUP
kernel void entry_columns(long block_rows, global const uint *row_ptr,
                          global const int *col, global int *entry_col)
{
    for (GROUP_RANGE(i, block_rows, 1)) {
        const uint from = row_ptr[i], length = row_ptr[i + 1] - from;
        const uint width = length * LCL_BLOCK, entries = width * LCL_BLOCK;
        global int *out = entry_col + (ulong)from * (LCL_BLOCK * LCL_BLOCK);
        for (ENTRIES(u, r, at)) {
            const uint block = at / LCL_BLOCK;
            out[u] =
                col[from + block] * LCL_BLOCK + (int)(at - block * LCL_BLOCK);
        }
    }
}

WORK_GROUP
kernel void entry_values(long block_rows, global const uint *row_ptr,
                         global const double *val, global double *entry_val)
{
    for (GROUP_RANGE(i, block_rows, 1)) {
        const uint from = row_ptr[i], length = row_ptr[i + 1] - from;
        const uint width = length * LCL_BLOCK, entries = width * LCL_BLOCK;
        const ulong first = (ulong)from * (LCL_BLOCK * LCL_BLOCK);
        for (ENTRIES(u, r, at)) {
            const uint block = at / LCL_BLOCK;
            const uint c = at - block * LCL_BLOCK;
            entry_val[first + u] =
                val[first + (block * LCL_BLOCK + r) * LCL_BLOCK + c];
        }
    }
}
