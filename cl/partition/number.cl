// SPDX-License-Identifier: BSD-3-Clause
// Numbers parts and lists their rows:
//     count_up        out[i] = first + i step
//     copy_words      out[i] = in[i]
//     renumber        part[i] = number[part[i]]; rows of the parts with any
//     gather_words    out[k] = in[place[k]]
//     scatter_rows    rows by part, in any order, from next[p] on
//     sort_rows       sorts the rows of each part
//     move_parts      the parts at other places
//
// Launch: any number of groups; sort_rows and move_parts: one group per part.
// Determinism: bitwise after sort_rows.
#include "sort.cl.h"
#include "wave.cl.h"

WORK_GROUP
kernel void count_up(long n, int first, int step, global int *out)
{
    for (RANGE(i, n))
        out[i] = first + (int)i * step;
}

WORK_GROUP
kernel void copy_words(long n, global const uint *restrict in, global uint *out)
{
    for (RANGE(i, n))
        out[i] = in[i];
}

WORK_GROUP
kernel void renumber(long n, long parts, global const uint *restrict number,
                     global const uint *restrict rows, global int *part,
                     global uint *new_rows)
{
    for (RANGE(i, n))
        part[i] = (int)number[part[i]];
    for (RANGE(p, parts))
        if (rows[p] > 0)
            new_rows[number[p]] = rows[p];
}

WORK_GROUP
kernel void gather_words(long n, global const uint *restrict place,
                         global const uint *restrict in, global uint *out)
{
    for (RANGE(k, n))
        out[k] = in[place[k]];
}

WORK_GROUP
kernel void scatter_rows(long n, global const int *restrict part,
                         volatile global uint *next, global int *perm)
{
    for (RANGE(i, n))
        perm[atomic_inc(&next[part[i]])] = (int)i;
}

WORK_GROUP
kernel void sort_rows(long parts, global const uint *restrict part_ptr,
                      global int *perm)
{
    for (GROUP_RANGE(p, parts, 1)) {
        global int *row = perm + part_ptr[p];
        const uint rows = part_ptr[p + 1] - part_ptr[p];
        uint top = 1, stride = 1;
        while (top < rows) {
            for (uint t = get_local_id(0); t < pairs_at(stride, rows);
                 t += LCL_GROUP) {
                const uint low = low_of(t, stride);
                const uint high = high_of(low, stride, top);
                if (high >= rows || row[low] <= row[high])
                    continue;
                const int larger = row[low];
                row[low] = row[high];
                row[high] = larger;
            }
            GROUP_BARRIER_GLOBAL();
            stride /= 2;
            if (stride == 0)
                stride = top *= 2;
        }
    }
}

WORK_GROUP
kernel void move_parts(long parts, global const uint *restrict part_ptr,
                       global const uint *restrict place,
                       global const int *restrict perm, global int *moved)
{
    for (GROUP_RANGE(p, parts, 1)) {
        const uint rows = part_ptr[p + 1] - part_ptr[p];
        for (uint i = get_local_id(0); i < rows; i += LCL_GROUP)
            moved[place[p] + i] = perm[part_ptr[p] + i];
    }
}
