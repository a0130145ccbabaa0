// SPDX-License-Identifier: BSD-3-Clause
// packed.cl for waves of one lane: one work-item per subdomain solves in place,
// in the order of the rows, whose slots follow each other.
//     count_planes   slots per row, once per pattern
//     packed         x = (L D U)^-1 b, or, if there is an array `aggregate`,
//                    x = (L D U)^-1 b + coarse[aggregate[p]] in subdomain p;
//                    b, x and coarse have COLUMNS interleaved columns
//                    (columns.cl.h)
//     packed_columns the first, and the sums of packed_columns.cl
//
// Data:   factor.cl.h, slot.cl.h; steps are rows.
// Launch: count_planes any number of groups, the others one per subdomain.
// Determinism: bitwise; one sum per row, in column order.
// If the stopping flag `stop[at]` is nonzero, the last two do nothing.
#include "factor.cl.h"
#include "slot.cl.h"
#include "wave.cl.h"

#ifndef COLUMNS
# define COLUMNS 1 // interleaved columns of vectors
#endif

// sum[q] = sum_k val[k] x[col[k]] for each column q
static inline void dot_row(global const stored_t *val, global const ushort *col,
                           uint count, global const double *x, double *sum)
{
    for (uint q = 0; q < COLUMNS; ++q)
        sum[q] = 0;
    for (uint k = 0; k < count; ++k) {
        const double a = slot_value(val[k]);
        global const double *x_k =
            x + (ulong)SLOT_COLUMN(val[k], col[k]) * COLUMNS;
#pragma unroll
        for (uint q = 0; q < COLUMNS; ++q)
            sum[q] += a * x_k[q];
    }
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

// x = (L D U)^-1 b on a subdomain whose first row b and x point to.
INLINE void solve(struct lcl_part p, global const struct planes *planes,
                  global const ushort *col, global const stored_t *val,
                  global const double *b, global double *x)
{
    planes += p.row;
    col += p.slot;
    val += p.slot;
    double sum[COLUMNS];
    for (ulong i = 0; i < p.rows; ++i) {
        const uint count = planes[i].lower;
        dot_row(val, col, count, x, sum);
        for (uint q = 0; q < COLUMNS; ++q)
            x[i * COLUMNS + q] = b[i * COLUMNS + q] - sum[q];
        val += count;
        col += count;
    }
    for (ulong i = p.rows; i-- > 0;) {
        const uint count = planes[i].upper;
        dot_row(val, col, count, x, sum);
        for (uint q = 0; q < COLUMNS; ++q)
            x[i * COLUMNS + q] = -sum[q];
        val += count;
        col += count;
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
    b += p.row * (ulong)COLUMNS;
    x += p.row * (ulong)COLUMNS;
    solve(p, planes, col, val, b, x);
    if (!aggregate)
        return;
    const ulong own = aggregate[get_group_id(0)] * (ulong)COLUMNS;
    for (ulong i = 0; i < p.rows * (ulong)COLUMNS; ++i)
        x[i] += coarse[own + i % COLUMNS];
}

// Row q of sums = <b_q, x_q>, row COLUMNS + q = the sum of b_q.
static inline void add_up(ulong rows, global const double *b,
                          global const double *x, global double *sums)
{
    const ulong groups = get_num_groups(0);
    double dot[COLUMNS] = {0}, sum[COLUMNS] = {0};
    for (ulong i = 0; i < rows * COLUMNS; i += COLUMNS)
        for (uint q = 0; q < COLUMNS; ++q) {
            dot[q] += b[i + q] * x[i + q];
            sum[q] += b[i + q];
        }
    sums += get_group_id(0);
    for (uint q = 0; q < COLUMNS; ++q) {
        sums[q * groups] = dot[q];
        sums[(COLUMNS + q) * groups] = sum[q];
    }
}

WORK_GROUP
kernel void packed_columns(global const struct lcl_part *parts,
                           global const struct planes *planes,
                           global const ushort *col, global const stored_t *val,
                           global const double *b, global double *x,
                           global const int *stop, int at, global double *sums)
{
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    b += p.row * (ulong)COLUMNS;
    x += p.row * (ulong)COLUMNS;
    solve(p, planes, col, val, b, x);
    if (sums)
        add_up(p.rows, b, x, sums);
}
