// SPDX-License-Identifier: BSD-3-Clause
// Whether a matrix consists of full b x b blocks that start at multiples of b:
// bit b of *refused is set if it does not. The host launches the kernel for its
// candidates b in descending order; the bits of all other numbers are set
// before. Groups that start when the answer is known return at once; it is
// known also if a larger candidate is a block size.
//
// Data:   CSR with ascending columns; b divides the numbers of rows and
//         columns.
// Launch: any number of groups, of which most should start after others have
//         ended; 2^shift items per row.
// Determinism: exact.
#include "spmv.cl.h"

// Whether the entries lane, lane + lanes, ... of a row are in runs of b columns
// that start at multiples of b.
static inline bool is_made_of_runs(global const int *row, uint length,
                                   uint lane, uint lanes, uint b)
{
    const uint step = lanes % b;
    uint in_run = lane % b;
    bool sound = length % b == 0;
    for (uint p = lane; sound && p < length; p += lanes) {
        const uint first = (uint)row[p - in_run];
        sound =
            (uint)row[p] == first + in_run && (in_run > 0 || first % b == 0);
        in_run += step;
        in_run -= in_run >= b ? b : 0;
    }
    return sound;
}

// Whether these entries of two rows have the same columns.
static inline bool are_equal(global const int *row, global const int *other,
                             uint length, uint lane, uint lanes)
{
    bool equal = true;
    for (uint p = lane; equal && p < length; p += lanes)
        equal = row[p] == other[p];
    return equal;
}

WORK_GROUP
kernel void natural_block(long rows, int shift, int b,
                          global const index_t *restrict row_ptr,
                          global const int *restrict col,
                          volatile global uint *refused)
{
    local uint known;
    const uint lanes = 1u << shift;
    if (get_local_id(0) == 0)
        known = atomic_or(refused, 0);
    GROUP_BARRIER();
    if (known >> b & 1 || ~known >> (b + 1))
        return;
    for (RANGE(u, rows << shift)) {
        const long i = u >> shift, first = i - i % b;
        const uint lane = (uint)u & (lanes - 1);
        const index_t from = row_ptr[i], other = row_ptr[first];
        const uint length = (uint)(row_ptr[i + 1] - from);
        const bool sound =
            i == first
                ? is_made_of_runs(col + from, length, lane, lanes, b)
                : length == (uint)(row_ptr[first + 1] - other) &&
                      are_equal(col + from, col + other, length, lane, lanes);
        if (!sound) {
            atomic_or(refused, 1u << b);
            return;
        }
    }
}
