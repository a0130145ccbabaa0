// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   x_i = y_i / d_i - sum_j u_ij x_j
// A slot of 1/d holds -1/d and its own row as column, so that every stage is
//     x_i = (x_i, or 0 if it begins with 1/d) - sum_k val_k x[col_k].
//
// Data:   factor.cl.h, slot.cl.h. Slots are readable up to
//         2 * LCL_SLOT_ALIGN * LCL_GROUP past the last.
// Launch: one group per subdomain, one lane per row of a stage; local memory
//         holds the vector and, if LOCAL_STAGES > 0, the table of stages. The
//         operands of a stage are loaded during the previous stage: without
//         RING from global memory, for devices fully occupied by groups; with
//         RING from a ring in local memory that wide loads fill in chunks, for
//         long chains of thin levels. SHARED_ROWS: several lanes share a row in
//         stages with few, long rows.
// Width 1: packed_serial.cl.
// Determinism: bitwise; one sum per row, in column order, or one such sum per
//         lane, added in a fixed order.
// If the stopping flag `stop[at]` is nonzero, the kernel does nothing.
#include "factor.cl.h"
#include "packed_ring.cl.h"
#include "wave.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LOCAL_STAGES
# define LOCAL_STAGES 0 // stages held in local memory: their number + 4
#endif
#ifndef SHARED_ROWS
# define SHARED_ROWS 0 // 1: several lanes share a row in some stages
#endif
#ifndef RING
# define RING 0 // 1: slots pass through a ring in local memory
#endif
#ifndef ADD_COARSE
# define ADD_COARSE                                                            \
  0 // 1: adds coarse[aggregate[p]] to the result of subdomain p
#endif

#define PLANES (STAGE_ENTRIES + 1) // maximum planes of a stage

// Operands of a lane for its part of a stage.
struct operands {
    stored_t val[PLANES];
    ushort col[PLANES];
};

// Number of lanes active in a stage, also the distance between a lane's slots.
INLINE uint lanes_of(struct lcl_stage w)
{
#if SHARED_ROWS
    return w.rows * w.lanes;
#else
    return w.rows;
#endif
}

// The lane's row in a stage; lanes beyond the last row take the last. Without
// the ring such lanes read slots of later stages instead, which prefetches them
// (lap3d:128 on an H200: 2 % faster, 2026-11).
INLINE uint lane_of(uint rows)
{
    return min((uint)get_local_id(0), (uint)max((int)rows - 1, 0));
}

#if RING

typedef struct ring stream_t;

INLINE void advance(stream_t *s, uint end)
{
    ring_advance(s, end);
}

// Loads the operands of a lane in the stage whose slots begin at `slot`.
INLINE void take(struct operands *o, const stream_t *s, uint slot,
                 struct lcl_stage w)
{
# if SHARED_ROWS
    const uint stride = lanes_of(w), lid = get_local_id(0);
    const uint end = max((int)(w.rows * w.planes), 1); // rest may be replaced
#  define PLACE(k) min((k)*stride + lid, end - 1)
# else
    const uint last = max((int)w.planes - 1, 0); // likewise
#  define PLACE(k) min(k, last) * w.rows + lane_of(w.rows)
# endif
# pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        o->val[k] = ring_value(s, slot + PLACE(k));
        o->col[k] = ring_column(s, slot + PLACE(k));
    }
}

#else

typedef struct {
    global const stored_t *val; // the subdomain's first slots
    global const ushort *col;
} stream_t;

// Nothing to do without the ring.
INLINE void advance(stream_t *s, uint end)
{
}

INLINE void take(struct operands *o, const stream_t *s, uint slot,
                 struct lcl_stage w)
{
# pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        const uint at = slot + k * lanes_of(w) + get_local_id(0);
        o->val[k] = s->val[at];
# if LCL_STORAGE != LCL_STORED_BF16
        o->col[k] = s->col[at];
# endif
    }
}

#endif

// sum_k val_k y[col_k] over the k for which k * stride < left. It uses values
// unconditionally: compilers would move a load under the condition of its use,
// which is too late.
INLINE double dot_planes(const struct operands *o, uint stride, uint left,
                         local const double *y)
{
    double sum = 0;
#pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        double y_k = 0;
        if (k * stride < left)
            y_k = y[SLOT_COLUMN(o->val[k], o->col[k])];
        sum += (k * stride < left ? slot_value(o->val[k]) : 0) * y_k;
    }
    return sum;
}

// The sums of the rows of a stage, on the first lanes.
INLINE double sum_row(struct lcl_stage w, const struct operands *o,
                      local const double *y, local double *scratch)
{
    const uint lid = get_local_id(0);
#if SHARED_ROWS
    const uint stride = lanes_of(w);
    const uint left = lid < stride ? w.rows * w.planes - lid : 0;
    return stride_sum(dot_planes(o, stride, left, y), w.rows, w.lanes, scratch);
#else
    return dot_planes(o, 1, lid < w.rows ? w.planes : 0, y);
#endif
}

INLINE void finish_rows(struct lcl_stage w, const struct operands *o,
                        local double *y, local double *scratch)
{
    const uint lid = get_local_id(0), row = w.first + lid;
    const double sum = sum_row(w, o, y, scratch);
    if (lid < w.rows)
        y[row] = (w.flags & LCL_STAGE_DIAGONAL ? 0 : y[row]) - sum;
}

// y = b, with many loads in flight at once.
#define LOADS 16
static inline void load_vector(local double *y, global const double *b,
                               uint rows)
{
    for (uint first = 0; first < rows; first += LOADS * LCL_GROUP) {
        double part[LOADS];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            part[k] = i < rows ? b[i] : 0;
        }
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            if (i < rows)
                y[i] = part[k];
        }
    }
}

#if LOCAL_STAGES > 0
# define TABLE local
#else
# define TABLE global
#endif

// The way of a group through the stages of its subdomain.
struct run {
    TABLE const struct lcl_stage *stages;
    uint count, t;              // number of stages; the current one
    struct lcl_stage w, w1, w2; // stages t, t + 1 and t + 2
    uint slot;                  // first slot of stage t + 1
};

// Stage t, or an empty one after the last.
INLINE void find_stage(struct lcl_stage *w, const struct run *run, uint t)
{
#if LOCAL_STAGES > 0
    *w = run->stages[t];
#else
    const struct lcl_stage none = {0, 0, 0, 0, 1};
    *w = none;
    if (t < run->count)
        *w = run->stages[t];
#endif
}

// Runs the current stage with the operands `now`, loads those of the next one
// into `then` and goes there.
INLINE void do_stage(struct run *run, stream_t *stream,
                     const struct operands *now, struct operands *then,
                     local double *y, local double *scratch)
{
    take(then, stream, run->slot, run->w1);
    finish_rows(run->w, now, y, scratch);
    run->slot += run->w1.rows * run->w1.planes;
    run->w = run->w1;
    run->w1 = run->w2;
    find_stage(&run->w2, run, run->t + 3);
    advance(stream, run->slot + run->w1.rows * run->w1.planes);
    ++run->t;
    GROUP_BARRIER();
}

WORK_GROUP
kernel void packed(global const struct lcl_part *restrict parts,
                   global const struct lcl_stage *restrict all_stages,
                   global const ushort *restrict col,
                   global const stored_t *restrict val,
                   global const double *restrict b, global double *restrict x,
                   global const int *stop, int at, global const double *coarse,
                   global const int *aggregate)
{
    local double y[SUBDOMAIN_ROWS];
    local double scratch[SHARED_ROWS ? LCL_GROUP : 1];
    const struct lcl_part p = parts[get_group_id(0)];
    const uint lid = get_local_id(0);
#if RING
    local uint4 ring_val[2 * CHUNK_VALS], ring_col[2 * CHUNK_COLS];
    stream_t stream = {.from_val = (global const uint4 *)(val + p.slot),
                       .from_col = (global const uint4 *)(col + p.slot),
                       .slots = p.slots,
                       .loaded = 0,
                       .val = ring_val,
                       .col = ring_col};
#else
    stream_t stream = {val + p.slot, col + p.slot};
#endif
    if (stop[at])
        return;
#if RING
    ring_fetch(&stream);
#endif
#if LOCAL_STAGES > 0
    const struct lcl_stage none = {0, 0, 0, 0, 1};
    local struct lcl_stage stages[LOCAL_STAGES];
    for (uint t = lid; t < LOCAL_STAGES; t += LCL_GROUP)
        stages[t] = t < p.stages ? all_stages[p.stage + t] : none;
#else
    global const struct lcl_stage *stages = all_stages + p.stage;
#endif
    load_vector(y, b + p.row, p.rows);
    advance(&stream, 1);
    GROUP_BARRIER();

    struct run run = {.stages = stages, .count = p.stages, .t = 0};
    struct operands even, odd;
    find_stage(&run.w, &run, 0);
    find_stage(&run.w1, &run, 1);
    find_stage(&run.w2, &run, 2);
    run.slot = run.w.rows * run.w.planes;
    take(&even, &stream, 0, run.w);
    while (run.t < p.stages) {
        do_stage(&run, &stream, &even, &odd, y, scratch);
        do_stage(&run, &stream, &odd, &even, y, scratch);
    }
#if ADD_COARSE
    const double own = coarse[aggregate[get_group_id(0)]];
#else
    const double own = 0;
#endif
#pragma unroll 4
    for (uint i = lid; i < p.rows; i += LCL_GROUP)
        x[p.row + i] = y[i] + own;
}
