// SPDX-License-Identifier: BSD-3-Clause
// packed.cl for interleaved columns (columns.cl.h): X = (L D U)^-1 B on all
// subdomains in one launch, with one pass over the slots for all columns. With
// an array `sums`, its rows receive <b_q, x_q> over each subdomain, and after
// these COLUMNS rows the sum of b_q, while B is in the cache.
//
// Data:   factor.cl.h, slot.cl.h.
// Launch: one group per subdomain, COLUMNS lanes per row of a stage, so groups
//         of COLUMNS times the lanes of packed.cl; local memory holds the
//         columns of the subdomain. The operands of a stage are loaded during
//         the previous stage, unless rows are long.
// Width 1: packed_serial.cl.
// Determinism: bitwise; one sum per row, in column order.
// If the stopping flag `stop[at]` is nonzero, the kernel does nothing.
#include "columns.cl.h"
#include "factor.cl.h"
#include "slot.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef STAGE_ENTRIES
# define STAGE_ENTRIES 4 // maximum entries per row in a stage; see SHARED_ROWS
#endif
#ifndef SHARED_ROWS
# define SHARED_ROWS 0 // 1: stages may have more planes
#endif

// Planes whose operands a lane keeps.
#if SHARED_ROWS
# define PLANES 0
#else
# define PLANES (STAGE_ENTRIES + 1)
#endif

// doubles in local memory: the columns of a subdomain, then scratch
#if SUBDOMAIN_ROWS * COLUMNS > LCL_GROUP
# define LOCAL_DOUBLES (SUBDOMAIN_ROWS * COLUMNS)
#else
# define LOCAL_DOUBLES LCL_GROUP
#endif

struct slots {
    global const stored_t *val; // the subdomain's first slots
    global const ushort *col;
};

// Operands of a lane for its row of a stage.
struct operands {
    stored_t val[PLANES + 1];
    ushort col[PLANES + 1];
};

// The way of a group through the stages of its subdomain.
struct run {
    global const struct lcl_stage *stages;
    uint count, t;              // number of stages; the current one
    struct lcl_stage w, w1, w2; // stages t, t + 1 and t + 2
    uint slot, slot1;           // first slots of stages t and t + 1
};

INLINE void find_stage(struct lcl_stage *w, const struct run *run, uint t)
{
    const struct lcl_stage none = {0, 0, 0, 0, 1};
    *w = none;
    if (t < run->count)
        *w = run->stages[t];
}

// Slot of plane k of the lane's row; lanes beyond the last row and planes
// beyond the last take the last.
INLINE uint place(struct lcl_stage w, uint k)
{
    const uint row = get_local_id(0) / COLUMNS;
    return min(k, (uint)max((int)w.planes - 1, 0)) * w.rows +
           min(row, (uint)max((int)w.rows - 1, 0));
}

INLINE void take(struct operands *o, const struct slots *s, uint slot,
                 struct lcl_stage w)
{
#pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        const uint at = slot + place(w, k);
        o->val[k] = s->val[at];
#if LCL_STORAGE != LCL_STORED_BF16
        o->col[k] = s->col[at];
#endif
    }
}

// The sum of the lane's row and column.
INLINE double sum_row(const struct run *run, const struct slots *s,
                      const struct operands *o, local const double *y)
{
    const struct lcl_stage w = run->w;
    const bool works = get_local_id(0) / COLUMNS < w.rows;
    double sum = 0;
    y += FIRST_COLUMN;
#if SHARED_ROWS
    for (uint k = 0; k < (works ? w.planes : 0); ++k) {
        const uint at = run->slot + place(w, k);
        const stored_t slot = s->val[at];
        const uint col = SLOT_COLUMN(slot, s->col[at]);
        sum += slot_value(slot) * y[col * COLUMNS];
    }
#else
# pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        const bool has = works && k < w.planes;
        double y_k = 0;
        if (has)
            y_k = y[SLOT_COLUMN(o->val[k], o->col[k]) * COLUMNS];
        sum += (has ? slot_value(o->val[k]) : 0) * y_k;
    }
#endif
    return sum;
}

// Runs the current stage with the operands `now`, loads those of the next one
// into `then` and goes there.
INLINE void do_stage(struct run *run, const struct slots *s,
                     const struct operands *now, struct operands *then,
                     local double *y)
{
    const uint lid = get_local_id(0), row = run->w.first + lid / COLUMNS;
    take(then, s, run->slot1, run->w1);
    const double sum = sum_row(run, s, now, y);
    if (lid / COLUMNS < run->w.rows) {
        local double *y_k = y + row * COLUMNS + FIRST_COLUMN;
        *y_k = (run->w.flags & LCL_STAGE_DIAGONAL ? 0 : *y_k) - sum;
    }
    run->slot = run->slot1;
    run->slot1 += run->w1.rows * run->w1.planes;
    run->w = run->w1;
    run->w1 = run->w2;
    find_stage(&run->w2, run, run->t + 3);
    ++run->t;
    GROUP_BARRIER();
}

// x = y, and the sums, for which y becomes scratch.
INLINE void store_columns(uint count, global const double *b, local double *y,
                          global double *x, global double *sums)
{
    double dot = 0, sum = 0;
#pragma unroll 4
    for (uint i = get_local_id(0); i < count; i += LCL_GROUP) {
        const double y_i = y[i];
        const double b_i = sums ? b[i] : 0;
        x[i] = y_i;
        dot += b_i * y_i;
        sum += b_i;
    }
    if (!sums)
        return;
    columns_partial(&dot, sums, y);
    columns_partial(&sum, sums + COLUMNS * get_num_groups(0), y);
}

WORK_GROUP
kernel void packed_columns(global const struct lcl_part *restrict parts,
                           global const struct lcl_stage *restrict all_stages,
                           global const ushort *restrict col,
                           global const stored_t *restrict val,
                           global const double *restrict b,
                           global double *restrict x, global const int *stop,
                           int at, global double *restrict sums)
{
    local double y[LOCAL_DOUBLES];
    const struct lcl_part p = parts[get_group_id(0)];
    const uint lid = get_local_id(0);
    const struct slots s = {val + p.slot, col + p.slot};
    struct operands even, odd;
    if (stop[at])
        return;
    b += p.row * (long)COLUMNS;
    x += p.row * (long)COLUMNS;
#pragma unroll 8
    for (uint i = lid; i < p.rows * COLUMNS; i += LCL_GROUP)
        y[i] = b[i];
    struct run run = {
        .stages = all_stages + p.stage, .count = p.stages, .t = 0, .slot = 0};
    find_stage(&run.w, &run, 0);
    find_stage(&run.w1, &run, 1);
    find_stage(&run.w2, &run, 2);
    run.slot1 = run.w.rows * run.w.planes;
    take(&even, &s, 0, run.w);
    GROUP_BARRIER();
    while (run.t < p.stages) {
        do_stage(&run, &s, &even, &odd, y);
        do_stage(&run, &s, &odd, &even, y);
    }
    store_columns(p.rows * COLUMNS, b, y, x, sums);
}
