// SPDX-License-Identifier: BSD-3-Clause
// packed.cl for waves of one lane: one work-item per subdomain solves in place,
// in the order of the rows, whose slots follow each other.
//     count_planes   slots per row, once per pattern
//     packed         x = (L D U)^-1 b, or, if there is an array `aggregate`,
//                    x = (L D U)^-1 b + coarse[aggregate[p]] in subdomain p
//
// Data:   factor.cl.h, slot.cl.h; steps are rows.
// Launch: packed one group per subdomain, count_planes any number of groups.
// Determinism: bitwise; one sum per row, in column order.
// If the stopping flag `stop[at]` is nonzero, packed does nothing.
#include "factor.cl.h"
#include "slot.cl.h"
#include "wave.cl.h"

// sum_k val[k] x[col[k]]
static inline double dot_row(global const stored_t *val,
                             global const ushort *col, uint count,
                             global const double *x)
{
    double sum = 0;
    for (uint k = 0; k < count; ++k)
        sum += slot_value(val[k]) * x[SLOT_COLUMN(val[k], col[k])];
    return sum;
}

// Slots of a row in L and, with that of 1/d, in U: sufficient for a run through
// the slots in order.
struct planes {
    ushort lower, upper;
};

WORK_GROUP
kernel void count_planes(long n, global const struct lcl_step *steps,
                         global struct planes *planes)
{
    for (RANGE(i, n)) {
        planes[i].lower = steps[i].lower_planes;
        planes[i].upper = steps[i].upper_planes;
    }
}

WORK_GROUP
kernel void packed(global const struct lcl_part *parts,
                   global const struct planes *planes, global const ushort *col,
                   global const stored_t *val, global const double *b,
                   global double *x, global const int *stop, int at,
                   global const double *coarse, global const int *aggregate)
{
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    planes += p.row;
    col += p.slot;
    val += p.slot;
    b += p.row;
    x += p.row;
    for (uint i = 0; i < p.rows; ++i) {
        const uint count = planes[i].lower;
        x[i] = b[i] - dot_row(val, col, count, x);
        val += count;
        col += count;
    }
    for (uint i = p.rows; i-- > 0;) {
        const uint count = planes[i].upper;
        x[i] = -dot_row(val, col, count, x);
        val += count;
        col += count;
    }
    if (!aggregate)
        return;
    const double own = coarse[aggregate[get_group_id(0)]];
    for (uint i = 0; i < p.rows; ++i)
        x[i] += own;
}
