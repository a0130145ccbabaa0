// SPDX-License-Identifier: BSD-3-Clause
// Bins the rows of a matrix by length: counts the rows of each class, then
// lists the rows of each bin, a bin being one or several classes.
//
// Class c has the rows with 2^(c-1) + 1 to 2^c entries; class 0 those with 0 or
// 1 entries, the last class all longer rows.
// Launch: G groups; group g has the chunk of rows n g / G .. n (g + 1) / G - 1,
//         each work-item a slice of it.
// Determinism: bitwise; the rows of a list ascend.
#include "spmv.cl.h"

#define CLASSES 16
#define BINS    8

static inline uint class_of(index_t length)
{
    const uint l = (uint)min(length, (index_t)1 << 30);
    return l < 2 ? 0 : min(32 - clz(l - 1), (uint)CLASSES - 1);
}

static inline uint row_class(global const index_t *row_ptr, long i)
{
    return class_of(row_ptr[i + 1] - row_ptr[i]);
}

// The work-item's rows.
static inline long2 rows_of_item(long n)
{
    const long G = get_num_groups(0), g = get_group_id(0);
    const long from = n * g / G, to = n * (g + 1) / G;
    const uint2 slice = slice_of((uint)(to - from));
    return (long2)(from + slice.x, from + slice.y);
}

// counts[c G + g] = rows of class c in chunk g
WORK_GROUP
kernel void row_classes(long n, global const index_t *restrict row_ptr,
                        global uint *restrict counts)
{
    local uint count[CLASSES][LCL_GROUP];
    const uint lid = get_local_id(0);
    const long2 rows = rows_of_item(n);
    for (uint c = 0; c < CLASSES; ++c)
        count[c][lid] = 0;
    for (long i = rows.x; i < rows.y; ++i)
        ++count[row_class(row_ptr, i)][lid];
    GROUP_BARRIER();
    for (uint c = lid; c < CLASSES; c += LCL_GROUP) {
        uint sum = 0;
        for (uint l = 0; l < LCL_GROUP; ++l)
            sum += count[c][l];
        counts[c * get_num_groups(0) + get_group_id(0)] = sum;
    }
}

// Nibble c of `bin_of` is the bin of class c. The rows of bin b in chunk g go
// to list[places[b G + g]] and on.
WORK_GROUP
kernel void row_lists(long n, global const index_t *restrict row_ptr,
                      ulong bin_of, global const uint *restrict places,
                      int bins, global int *restrict list)
{
    local uint place[BINS][LCL_GROUP];
    const uint lid = get_local_id(0);
    const long2 rows = rows_of_item(n);
    for (uint b = 0; b < BINS; ++b)
        place[b][lid] = 0;
    for (long i = rows.x; i < rows.y; ++i)
        ++place[bin_of >> 4 * row_class(row_ptr, i) & 15][lid];
    GROUP_BARRIER();
    for (uint b = lid; b < (uint)bins; b += LCL_GROUP) {
        uint at = places[b * get_num_groups(0) + get_group_id(0)];
        for (uint l = 0; l < LCL_GROUP; ++l) {
            const uint count = place[b][l];
            place[b][l] = at;
            at += count;
        }
    }
    GROUP_BARRIER();
    for (long i = rows.x; i < rows.y; ++i)
        list[place[bin_of >> 4 * row_class(row_ptr, i) & 15][lid]++] = (int)i;
}

// start[k], length[k]: first entry and number of entries of row list[k]
WORK_GROUP
kernel void row_extents(long n, global const index_t *restrict row_ptr,
                        global const int *restrict list,
                        global index_t *restrict start,
                        global int *restrict length)
{
    for (RANGE(k, n)) {
        const index_t from = row_ptr[list[k]];
        start[k] = from;
        length[k] = (int)(row_ptr[list[k] + 1] - from);
    }
}
