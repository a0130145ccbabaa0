// SPDX-License-Identifier: BSD-3-Clause
// Where the diagonal of a matrix is: place[i] is the index of a_ii among the
// values, or -1 if the pattern lacks it.
//
// Data:   CSR or BSR with ascending columns, blocks by rows.
// Launch: any number of groups, one item per block row.
// Determinism: exact.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

WORK_GROUP
kernel void diagonal_places(long rows, global const index_t *restrict row_ptr,
                            global const int *restrict col,
                            global long *restrict place)
{
    for (RANGE(i, rows)) {
        index_t low = row_ptr[i], high = row_ptr[i + 1];
        const index_t end = high;
        while (low < high) {
            const index_t middle = low + (high - low) / 2;
            if (col[middle] < i)
                low = middle + 1;
            else
                high = middle;
        }
        const bool found = low < end && col[low < end ? low : 0] == i;
        for (int r = 0; r < LCL_BLOCK; ++r)
            place[i * LCL_BLOCK + r] =
                found ? ((long)low * LCL_BLOCK + r) * LCL_BLOCK + r : -1;
    }
}
