// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   ILU0  (LCL_MODE 1):  x_i = (y_i - sum_j u_ij x_j) / d_i
//                ILDU0 (LCL_MODE 2):  x_i = y_i / d_i - sum_j u_ij x_j
//
// Data:   factor.cl.h.
// Launch: one group a subdomain; its vector and, where LCL_STEPS > 0, its step
//         table stand in local memory. A lane does a row of a step; the entries
//         of the LCL_DEPTH steps to come wait in registers, LCL_SLOTS a row, so
//         that a step depends on local memory alone.
// Width 1: an item does a subdomain in order, in place, without barriers.
// Determinism: bitwise; one sum a row, in column order.
// `stop[at]` other than 0: the caller has stopped, nothing is done.
#include "factor.cl.h"
#include "wave.cl.h"

#ifndef LCL_MODE
# define LCL_MODE 2
#endif
#define ILDU0 (LCL_MODE == 2)
#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LCL_SLOTS
# define LCL_SLOTS 4 // entries of a row fetched ahead
#endif
#ifndef LCL_DEPTH
# define LCL_DEPTH 2 // steps fetched ahead
#endif

#if LCL_WIDTH == 1

// sum_k val[k] x[col[k]]
static inline double dot_row(global const double *val, global const ushort *col,
                      uint count, global const double *x)
{
    double sum = 0;
    for (uint k = 0; k < count; ++k)
        sum += val[k] * x[col[k]];
    return sum;
}

WORK_GROUP
kernel void packed(global const struct lcl_part *parts,
                   global const struct lcl_step *steps, global const ushort *col,
                   global const double *val, global const double *inv_d,
                   global const double *b, global double *x,
                   global const int *stop, int at)
{
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    col += p.slot;
    val += p.slot;
    inv_d += p.row;
    b += p.row;
    x += p.row;
    for (uint i = 0; i < p.rows; ++i)
        x[i] = b[i] - dot_row(val + steps[i].lower, col + steps[i].lower,
                              steps[i].lower_slots, x);
    for (uint i = p.rows; i-- > 0;) {
        const double sum = dot_row(val + steps[i].upper, col + steps[i].upper,
                                   steps[i].upper_slots, x);
        x[i] = ILDU0 ? x[i] * inv_d[i] - sum : (x[i] - sum) * inv_d[i];
    }
}

#else

#ifdef LCL_STEPS
# define TABLE local
#else
# define TABLE global
#endif

// One row of one step, in registers.
struct ahead {
    double val[LCL_SLOTS];
    double inv_d;
    ushort col[LCL_SLOTS];
    int row;    // local number; -1 where the lane has none
    uint slots; // entries, also those that the registers do not hold
};

// Every load is made, from the first slot where there is no entry: a load that
// may not happen leaves the old value in its register, and merging the two
// would wait for the load here instead of where it is needed.
static inline void fetch(struct ahead *a, TABLE const struct lcl_step *table,
                         bool lower, uint lid, global const ushort *col,
                         global const double *val, global const double *inv_d)
{
    const struct lcl_step s = *table;
    const bool active = lid < s.rows;
    const uint slots = lower ? s.lower_slots : s.upper_slots;
    uint slot = (lower ? s.lower : s.upper) + lid;
    a->row = active ? (int)(s.first + lid) : -1;
    a->slots = active ? slots : 0;
#pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k, slot += s.rows) {
        const uint at = k < a->slots ? slot : 0;
        a->val[k] = val[at];
        a->col[k] = col[at];
    }
    if (!lower)
        a->inv_d = inv_d[active ? a->row : 0];
}

// What the registers do not hold of a long row.
static inline double dot_rest(const struct ahead *a,
                              TABLE const struct lcl_step *s, bool lower,
                              uint lid, global const ushort *col,
                              global const double *val, local const double *y)
{
    double sum = 0;
    uint slot = (lower ? s->lower : s->upper) + lid + LCL_SLOTS * s->rows;
    for (uint k = LCL_SLOTS; k < a->slots; ++k, slot += s->rows)
        sum += val[slot] * y[col[slot]];
    return sum;
}

static inline double dot(const struct ahead *a, TABLE const struct lcl_step *s,
                         bool lower, uint lid, global const ushort *col,
                         global const double *val, local const double *y)
{
    double sum = 0;
#pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k)
        if (k < a->slots)
            sum += a->val[k] * y[a->col[k]];
    if (a->slots > LCL_SLOTS)
        sum += dot_rest(a, s, lower, lid, col, val, y);
    return sum;
}

WORK_GROUP
kernel void packed(global const struct lcl_part *restrict parts,
                   global const struct lcl_step *restrict all_steps,
                   global const ushort *restrict col,
                   global const double *restrict val,
                   global const double *restrict inv_d,
                   global const double *restrict b, global double *restrict x,
                   global const int *stop, int at)
{
    local double y[LCL_ROWS];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    if (stop[at])
        return;
    col += p.slot;
    val += p.slot;
    inv_d += p.row;
    x += p.row;
#ifdef LCL_STEPS
    local struct lcl_step steps[LCL_STEPS];
    for (uint s = lid; s < p.steps; s += LCL_GROUP)
        steps[s] = all_steps[p.step + s];
#else
    global const struct lcl_step *steps = all_steps + p.step;
#endif
    for (uint i = lid; i < p.rows; i += LCL_GROUP)
        y[i] = b[p.row + i];
    GROUP_BARRIER();

    // p.steps is a multiple of LCL_DEPTH: the table ends with empty steps
    struct ahead next[LCL_DEPTH];
#pragma unroll
    for (uint d = 0; d < LCL_DEPTH; ++d)
        fetch(&next[d], &steps[d], true, lid, col, val, inv_d);
    for (uint s = 0; s < p.steps; s += LCL_DEPTH) {
#pragma unroll
        for (uint d = 0; d < LCL_DEPTH; ++d) {
            struct ahead *a = &next[d];
            if (a->slots > 0)
                y[a->row] -= dot(a, &steps[s + d], true, lid, col, val, y);
            if (s + LCL_DEPTH < p.steps)
                fetch(a, &steps[s + d + LCL_DEPTH], true, lid, col, val, inv_d);
            GROUP_BARRIER();
        }
    }
#pragma unroll
    for (uint d = 0; d < LCL_DEPTH; ++d)
        fetch(&next[d], &steps[p.steps - 1 - d], false, lid, col, val, inv_d);
    for (uint s = p.steps; s > 0; s -= LCL_DEPTH) {
#pragma unroll
        for (uint d = 0; d < LCL_DEPTH; ++d) {
            struct ahead *a = &next[d];
            if (a->row >= 0) {
                const double sum =
                    dot(a, &steps[s - 1 - d], false, lid, col, val, y);
                const double x_i = ILDU0 ? y[a->row] * a->inv_d - sum
                                         : (y[a->row] - sum) * a->inv_d;
                y[a->row] = x_i;
                x[a->row] = x_i;
            }
            if (s > LCL_DEPTH)
                fetch(a, &steps[s - 1 - d - LCL_DEPTH], false, lid, col, val,
                      inv_d);
            GROUP_BARRIER();
        }
    }
}
#endif
