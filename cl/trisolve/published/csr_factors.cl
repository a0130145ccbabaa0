// SPDX-License-Identifier: BSD-3-Clause
// Extracts the triangles in CSR and the diagonal, in blocks, from a packed
// factor:
//     take_entries       M_k = the block of slot[k]
//     take_diagonal      D_i^-1
//     invert_diagonal    D_i, from D_i^-1
//     times_diagonal     M_k = M_k D_j with j = col[k]: L becomes L D
//
// Data:   factor.cl.h; the results are row-major blocks, scalars for LCL_BLOCK
//         1. row[k] and col[k] count from the first row of the subdomain.
// Launch: one group per subdomain, one item per block.
// Determinism: bitwise.
#include "factor.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

// to = sign times the block of a slot on a lane of a step.
static inline void take(global double *to, double sign,
                        global const double *slot_val, ulong slot, uint lane,
                        uint stride)
{
    global const double *from =
        slot_val + slot * ENTRIES - lane * (ENTRIES - 1);
    for (uint e = 0; e < ENTRIES; ++e)
        to[e] = sign * from[e * stride];
}

WORK_GROUP
kernel void take_entries(global const struct lcl_part *parts,
                         global const struct lcl_step *steps,
                         global const ushort *step_of,
                         global const uint *row_ptr, global const ushort *row,
                         global const uint *slot, global const double *slot_val,
                         global double *val)
{
    const struct lcl_part p = parts[get_group_id(0)];
    const uint end = row_ptr[p.row + p.rows];
    for (uint k = row_ptr[p.row] + get_local_id(0); k < end; k += LCL_GROUP) {
        const struct lcl_step s = steps[p.step + step_of[p.row + row[k]]];
        take(val + (ulong)k * ENTRIES, 1, slot_val, slot[k], row[k] - s.first,
             s.rows);
    }
}

WORK_GROUP
kernel void take_diagonal(global const struct lcl_part *parts,
                          global const struct lcl_step *steps,
                          global const ushort *step_of,
                          global const double *slot_val, global double *inv_d)
{
    const struct lcl_part p = parts[get_group_id(0)];
    inv_d += (ulong)p.row * ENTRIES;
    for (uint i = get_local_id(0); i < p.rows; i += LCL_GROUP) {
        const struct lcl_step s = steps[p.step + step_of[p.row + i]];
        const uint lane = i - s.first;
        take(inv_d + i * ENTRIES, -1, slot_val, p.slot + s.upper + lane, lane,
             s.rows);
    }
}

// ------------------------------------------------------------------ inverses

// The row with the largest entry in column k, from row k on.
static inline uint pivot_row(const double *m, uint k)
{
    uint p = k;
    for (uint r = k + 1; r < LCL_BLOCK; ++r)
        if (fabs(m[r * LCL_BLOCK + k]) > fabs(m[p * LCL_BLOCK + k]))
            p = r;
    return p;
}

// Swaps rows (stride LCL_BLOCK, step 1) or columns (stride 1, step LCL_BLOCK) i
// and j.
static inline void exchange(double *m, uint i, uint j, uint stride, uint step)
{
    for (uint k = 0; k < LCL_BLOCK; ++k) {
        const double kept = m[i * stride + k * step];
        m[i * stride + k * step] = m[j * stride + k * step];
        m[j * stride + k * step] = kept;
    }
}

// Eliminates column k of m and stores column k of the inverse in its place.
static inline void eliminate(double *m, uint k)
{
    const double inverse = 1.0 / m[k * LCL_BLOCK + k];
    m[k * LCL_BLOCK + k] = 1;
    for (uint c = 0; c < LCL_BLOCK; ++c)
        m[k * LCL_BLOCK + c] *= inverse;
    for (uint r = 0; r < LCL_BLOCK; ++r) {
        const double factor = m[r * LCL_BLOCK + k];
        if (r == k)
            continue;
        m[r * LCL_BLOCK + k] = 0;
        for (uint c = 0; c < LCL_BLOCK; ++c)
            m[r * LCL_BLOCK + c] -= factor * m[k * LCL_BLOCK + c];
    }
}

// m = m^-1 by Gauss-Jordan elimination: row swaps during elimination become
// column swaps at the end.
static inline void invert(double *m)
{
    uint pivot[LCL_BLOCK];
    for (uint k = 0; k < LCL_BLOCK; ++k) {
        pivot[k] = pivot_row(m, k);
        exchange(m, k, pivot[k], LCL_BLOCK, 1);
        eliminate(m, k);
    }
    for (uint k = LCL_BLOCK; k-- > 0;)
        exchange(m, k, pivot[k], 1, LCL_BLOCK);
}

WORK_GROUP
kernel void invert_diagonal(global const uint *part_ptr,
                            global const double *inv_d, global double *d)
{
    const uint p = get_group_id(0), last = part_ptr[p + 1];
    double m[ENTRIES];
    for (uint i = part_ptr[p] + get_local_id(0); i < last; i += LCL_GROUP) {
        for (uint e = 0; e < ENTRIES; ++e)
            m[e] = inv_d[(ulong)i * ENTRIES + e];
        invert(m);
        for (uint e = 0; e < ENTRIES; ++e)
            d[(ulong)i * ENTRIES + e] = m[e];
    }
}

// row = row m
static inline void times(global double *row, global const double *m)
{
    double product[LCL_BLOCK];
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        product[c] = 0;
        for (uint k = 0; k < LCL_BLOCK; ++k)
            product[c] += row[k] * m[k * LCL_BLOCK + c];
    }
    for (uint c = 0; c < LCL_BLOCK; ++c)
        row[c] = product[c];
}

WORK_GROUP
kernel void times_diagonal(global const uint *part_ptr,
                           global const uint *row_ptr, global const ushort *col,
                           global const double *d, global double *val)
{
    const uint p = get_group_id(0), first = part_ptr[p];
    const uint end = row_ptr[part_ptr[p + 1]];
    for (uint k = row_ptr[first] + get_local_id(0); k < end; k += LCL_GROUP)
        for (uint r = 0; r < LCL_BLOCK; ++r)
            times(val + (ulong)k * ENTRIES + r * LCL_BLOCK,
                  d + ((ulong)first + col[k]) * ENTRIES);
}
