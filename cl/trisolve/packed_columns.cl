// SPDX-License-Identifier: BSD-3-Clause
// packed.cl for interleaved columns (columns.cl.h): X = (L D U)^-1 B on all
// subdomains in one launch, with one pass over the slots for all columns. With
// an array `sums`, its rows receive <b_q, x_q> over each subdomain, and after
// these COLUMNS rows the sum of b_q, while B is in the cache.
//
// Data:   factor.cl.h, slot.cl.h.
// Launch: one group per subdomain, COLUMNS lanes per row of a stage, so groups
//         of COLUMNS * STAGE_LANES; local memory holds the columns of the
//         subdomain, its stages and a ring of slots.
// Width 1: packed_serial.cl.
// Determinism: bitwise; one sum per row, in column order.
// If the stopping flag `stop[at]` is nonzero, the kernel does nothing.
#include "columns.cl.h"
#include "factor.cl.h"
#include "packed_ring.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LOCAL_STAGES
# define LOCAL_STAGES 64 // at least the number of stages + 2
#endif

// doubles in local memory: the columns of a subdomain, then scratch
#if SUBDOMAIN_ROWS * COLUMNS > LCL_GROUP
# define LOCAL_DOUBLES (SUBDOMAIN_ROWS * COLUMNS)
#else
# define LOCAL_DOUBLES LCL_GROUP
#endif

// The row of a stage, and the column, of a lane: x_i = (x_i, or 0 if it begins
// with 1/d) - sum_k val_k x[col_k]; the slots of the stage begin at `slot`.
INLINE void do_stage(struct lcl_stage w, uint slot, const struct ring *ring,
                     local double *y)
{
    const uint row = get_local_id(0) / COLUMNS;
    double sum = 0;
    y += FIRST_COLUMN;
    for (uint k = 0; k < (row < w.rows ? w.planes : 0); ++k) {
        const uint at = slot + k * w.rows + row;
        const stored_t val = ring_value(ring, at);
        const uint col = SLOT_COLUMN(val, ring_column(ring, at));
        sum += slot_value(val) * y[col * COLUMNS];
    }
    if (row < w.rows) {
        local double *y_i = y + (w.first + row) * COLUMNS;
        *y_i = (w.flags & LCL_STAGE_DIAGONAL ? 0 : *y_i) - sum;
    }
}

// All stages of a subdomain; empty ones follow the last.
INLINE void do_stages(uint count, local const struct lcl_stage *stages,
                      struct ring *ring, local double *y)
{
    struct lcl_stage w = stages[0], next = stages[1];
    uint slot = 0;
    for (uint t = 0; t < count; ++t) {
        const struct lcl_stage after = stages[t + 2];
        const uint end = slot + w.rows * w.planes;
        do_stage(w, slot, ring, y);
        ring_advance(ring, end + next.rows * next.planes);
        slot = end;
        w = next;
        next = after;
        GROUP_BARRIER();
    }
}

// x = y, and the sums, for which y becomes scratch.
INLINE void store_columns(uint count, global const double *b, local double *y,
                          global double *x, global double *sums)
{
    double dot = 0, sum = 0;
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
    local struct lcl_stage stages[LOCAL_STAGES];
    local uint4 ring_val[2 * CHUNK_VALS], ring_col[2 * CHUNK_COLS];
    const struct lcl_stage none = {0, 0, 0, 0, 1};
    const struct lcl_part p = parts[get_group_id(0)];
    const uint lid = get_local_id(0);
    struct ring ring = {.from_val = (global const uint4 *)(val + p.slot),
                        .from_col = (global const uint4 *)(col + p.slot),
                        .slots = p.slots,
                        .loaded = 0,
                        .val = ring_val,
                        .col = ring_col};
    if (stop[at])
        return;
    ring_fetch(&ring);
    b += p.row * (long)COLUMNS;
    x += p.row * (long)COLUMNS;
    for (uint t = lid; t < LOCAL_STAGES; t += LCL_GROUP)
        stages[t] = t < p.stages ? all_stages[p.stage + t] : none;
#pragma unroll 8
    for (uint i = lid; i < p.rows * COLUMNS; i += LCL_GROUP)
        y[i] = b[i];
    ring_advance(&ring, 1);
    GROUP_BARRIER();
    do_stages(p.stages, stages, &ring, y);
    store_columns(p.rows * COLUMNS, b, y, x, sums);
}
