// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   ILU0  (LCL_MODE 1):  x_i = (y_i - sum_j u_ij x_j) / d_i
//                ILDU0 (LCL_MODE 2):  x_i = y_i / d_i - sum_j u_ij x_j
//
// Data:   factor.cl.h.
// Launch: one group a subdomain; its vector and, where LCL_STEPS > 0, its step
//         table stand in local memory. A lane does a row of a step; the entries
//         of the steps to come wait in registers, LCL_SLOTS a row, so that a
//         step depends on local memory alone.
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
# define LCL_DEPTH 2 // steps in registers: the one being done, those to come
#endif
#ifndef LCL_LONG_ROWS
# define LCL_LONG_ROWS 0 // 1: some rows have more than LCL_SLOTS entries
#endif
#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: 2^32 slots or more
#endif
#if LCL_WIDE
typedef ulong slot_t;
#else
typedef uint slot_t;
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
                   global const struct lcl_step *steps,
                   global const ushort *col, global const double *val,
                   global const double *inv_d, global const double *b,
                   global double *x, global const int *stop, int at)
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

# ifdef LCL_STEPS
#  define TABLE local
# else
#  define TABLE global
# endif

// Where a row of a step stands, and its first entries, in registers.
struct ahead {
    double val[LCL_SLOTS];
    double inv_d;
    ushort col[LCL_SLOTS];
    int row;    // local number; -1 where the lane has none
    uint slots; // entries, also those that the registers do not hold
};

// What all work-items of a group read.
struct factor {
    global const ushort *col;
    global const double *val, *inv_d;
    slot_t slot; // first of the subdomain
    uint row;    // likewise
};

// Every load is made, from the first slot where there is no entry: a load that
// may not happen leaves the old value in its register, and merging the two
// would wait for the load here instead of where it is needed.
static inline void fetch(struct ahead *a, const struct factor *f,
                         TABLE const struct lcl_step *table, bool lower)
{
    const struct lcl_step s = *table;
    const uint lid = get_local_id(0);
    const bool active = lid < s.rows;
    const uint slots = lower ? s.lower_slots : s.upper_slots;
    slot_t slot = f->slot + (lower ? s.lower : s.upper) + lid;
    a->row = active ? (int)(s.first + lid) : -1;
    a->slots = active ? slots : 0;
# pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k, slot += s.rows) {
        const slot_t at = k < a->slots ? slot : f->slot;
        a->val[k] = f->val[at];
        a->col[k] = f->col[at];
    }
    if (!lower)
        a->inv_d = f->inv_d[f->row + (active ? a->row : 0)];
}

static inline double dot(const struct ahead *a, const struct factor *f,
                         TABLE const struct lcl_step *s, bool lower,
                         local const double *y)
{
    double sum = 0;
# pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k)
        if (k < a->slots)
            sum += a->val[k] * y[a->col[k]];
# if LCL_LONG_ROWS
    slot_t slot = f->slot + (lower ? s->lower : s->upper) + get_local_id(0) +
                  LCL_SLOTS * s->rows;
    for (uint k = LCL_SLOTS; k < a->slots; ++k, slot += s->rows)
        sum += f->val[slot] * y[f->col[slot]];
# endif
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
    const struct factor f = {col, val, inv_d, (slot_t)p.slot, p.row};
    if (stop[at])
        return;
# ifdef LCL_STEPS
    local struct lcl_step steps[LCL_STEPS];
    for (uint s = lid; s < p.steps; s += LCL_GROUP)
        steps[s] = all_steps[p.step + s];
# else
    global const struct lcl_step *steps = all_steps + p.step;
# endif
    for (uint i = lid; i < p.rows; i += LCL_GROUP)
        y[i] = b[p.row + i];
    GROUP_BARRIER();

    // A step's row waits in set s % LCL_DEPTH; what is fetched while step s is
    // done is step s + LCL_DEPTH - 1. p.steps is a multiple of LCL_DEPTH.
    struct ahead set[LCL_DEPTH];
# pragma unroll
    for (uint d = 0; d < LCL_DEPTH - 1; ++d)
        fetch(&set[d], &f, &steps[d], true);
    for (uint first = 0; first < p.steps; first += LCL_DEPTH) {
# pragma unroll
        for (uint d = 0; d < LCL_DEPTH; ++d) {
            const uint s = first + d, next = s + LCL_DEPTH - 1;
            struct ahead *a = &set[d];
            if (next < p.steps)
                fetch(&set[(d + LCL_DEPTH - 1) % LCL_DEPTH], &f, &steps[next],
                      true);
            if (a->slots > 0)
                y[a->row] -= dot(a, &f, &steps[s], true, y);
            GROUP_BARRIER();
        }
    }
    const uint last = p.steps - 1;
# pragma unroll
    for (uint d = 0; d < LCL_DEPTH - 1; ++d)
        fetch(&set[d], &f, &steps[last - d], false);
    for (uint first = 0; first < p.steps; first += LCL_DEPTH) {
# pragma unroll
        for (uint d = 0; d < LCL_DEPTH; ++d) {
            const uint s = first + d, next = s + LCL_DEPTH - 1;
            struct ahead *a = &set[d];
            if (next < p.steps)
                fetch(&set[(d + LCL_DEPTH - 1) % LCL_DEPTH], &f,
                      &steps[last - next], false);
            if (a->row >= 0) {
                const double sum = dot(a, &f, &steps[last - s], false, y);
                const double x_i = ILDU0 ? y[a->row] * a->inv_d - sum
                                         : (y[a->row] - sum) * a->inv_d;
                y[a->row] = x_i;
                x[p.row + a->row] = x_i;
            }
            GROUP_BARRIER();
        }
    }
}
#endif
