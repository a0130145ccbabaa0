// SPDX-License-Identifier: BSD-3-Clause
// The transpose of a sparse matrix A in CSR:
//     transpose_count  counts the entries of each column
//     transpose_place  puts a key for each entry into its column, in any order
//     transpose_sort   sorts the keys of each column: columns of the result
//                      ascend, and entry k of it is entry map[k] of A
//
// Data:   a key is the row of an entry and its number. count[] and taken[] are
//         0 before.
// Launch: transpose_sort groups of one wave, a column for a group at a time;
//         any number of groups.
// Determinism: bitwise, since all keys are different.
#include "sort.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void transpose_count(long nnz, global const int *col,
                            volatile global uint *count)
{
    for (RANGE(k, nnz))
        atomic_inc(&count[col[k]]);
}

WORK_GROUP
kernel void transpose_place(long n, global const uint *row_ptr,
                            global const int *col, global const uint *t_ptr,
                            volatile global uint *taken, global ulong *key)
{
    for (RANGE(i, n))
        for (uint k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            const int c = col[k];
            key[t_ptr[c] + atomic_inc(&taken[c])] = (ulong)i << 32 | k;
        }
}

static inline void put_in_order(global ulong *key, uint low, uint high)
{
    const ulong a = key[low], b = key[high];
    if (a > b) {
        key[low] = b;
        key[high] = a;
    }
}

WORK_GROUP
kernel void transpose_sort(long n, global const uint *t_ptr, global ulong *key,
                           global int *t_col, global uint *map)
{
    for (long c = get_group_id(0); c < n; c += get_num_groups(0)) {
        const uint first = t_ptr[c], count = t_ptr[c + 1] - first;
        global ulong *own = key + first;
        for (uint top = 1; top < count; top *= 2)
            for (uint stride = top; stride > 0; stride /= 2) {
                for (uint t = get_local_id(0); t < pairs_at(stride, count);
                     t += LCL_GROUP) {
                    const uint low = low_of(t, stride);
                    const uint high = high_of(low, stride, top);
                    if (high < count)
                        put_in_order(own, low, high);
                }
                GROUP_BARRIER_GLOBAL();
            }
        for (uint k = get_local_id(0); k < count; k += LCL_GROUP) {
            t_col[first + k] = (int)(own[k] >> 32);
            map[first + k] = (uint)own[k];
        }
        GROUP_BARRIER_GLOBAL();
    }
}
