// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   ILU0  (LCL_MODE 1):  x_i = (y_i - sum_j u_ij x_j) / d_i
//                ILDU0 (LCL_MODE 2):  x_i = y_i / d_i - sum_j u_ij x_j
//
// Data:   factor.cl.h; val and col are readable a chunk past the last slot.
// Launch: one group a subdomain; its vector and, where LCL_SWEEPS > 0, its
//         table of sweeps stand in local memory. The slots are one stream, read
//         in chunks: one is on its way in registers while the two before it are
//         used from a ring in local memory, so that no sweep waits for global
//         memory and loads are wide whatever the steps are like. A lane does a
//         row of a sweep.
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
#ifndef LCL_SWEEPS
# define LCL_SWEEPS 0 // sweeps of a subdomain held in local memory; 0: in place
#endif
#ifndef LCL_SLOTS
# define LCL_SLOTS 4 // entries a row of a sweep, at most LCL_SWEEP_ENTRIES
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
                   global const double *b, global double *x,
                   global const int *stop, int at)
{
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    col += p.slot;
    val += p.slot;
    b += p.row;
    x += p.row;
    for (uint i = 0; i < p.rows; ++i)
        x[i] = b[i] - dot_row(val + steps[i].lower, col + steps[i].lower,
                              steps[i].lower_planes, x);
    for (uint i = p.rows; i-- > 0;) {
        const uint first = steps[i].upper;
        const double inv_d = val[first];
        const double sum = dot_row(val + first + 1, col + first + 1,
                                   steps[i].upper_planes - 1, x);
        x[i] = ILDU0 ? x[i] * inv_d - sum : (x[i] - sum) * inv_d;
    }
}

#else

// Slots of a chunk: two sweeps fit, so that a chunk may be replaced in the ring
// while a sweep is done and the next one is due.
# if LCL_SLOTS <= 3
#  define ITEM_SLOTS 8
# else
#  define ITEM_SLOTS 16
# endif
# define CHUNK (ITEM_SLOTS * LCL_GROUP)
# define RING  (2 * CHUNK)

// The slots of a subdomain on their way: from global memory to registers, from
// there to the ring.
struct stream {
    global const double2 *val; // the subdomain's first slots
    global const ushort8 *col;
    uint slots;  // of the subdomain
    uint loaded; // slots that have reached the ring
    double2 next_val[ITEM_SLOTS / 2];
    ushort8 next_col[ITEM_SLOTS / 8];
    local double2 *ring_val;
    local ushort8 *ring_col;
};

// Starts to load the chunk after those that have reached the ring.
static inline void fetch(struct stream *s)
{
    const uint lid = get_local_id(0);
# pragma unroll
    for (uint j = 0; j < ITEM_SLOTS / 2; ++j)
        s->next_val[j] = s->val[s->loaded / 2 + j * LCL_GROUP + lid];
# pragma unroll
    for (uint j = 0; j < ITEM_SLOTS / 8; ++j)
        s->next_col[j] = s->col[s->loaded / 8 + j * LCL_GROUP + lid];
}

// Brings the slots below `end` to the ring, where at most one chunk is missing
// and nobody looks at the older of the two chunks any more. They are seen after
// a barrier.
static inline void advance(struct stream *s, uint end)
{
    const uint lid = get_local_id(0), at = s->loaded % RING;
    if (end <= s->loaded)
        return;
# pragma unroll
    for (uint j = 0; j < ITEM_SLOTS / 2; ++j)
        s->ring_val[at / 2 + j * LCL_GROUP + lid] = s->next_val[j];
# pragma unroll
    for (uint j = 0; j < ITEM_SLOTS / 8; ++j)
        s->ring_col[at / 8 + j * LCL_GROUP + lid] = s->next_col[j];
    s->loaded += CHUNK;
    if (s->loaded < s->slots)
        fetch(s);
}

static inline double value(const struct stream *s, uint slot)
{
    return ((local const double *)s->ring_val)[slot % RING];
}

static inline double product(const struct stream *s, uint slot,
                             local const double *y)
{
    return value(s, slot) * y[((local const ushort *)s->ring_col)[slot % RING]];
}

// `planes` planes of entries of a lane's row times y.
static inline double dot_planes(const struct stream *s, uint slot, uint rows,
                                uint planes, local const double *y)
{
    double sum = 0;
# pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k)
        if (k < planes)
            sum += product(s, slot + k * rows, y);
    return sum;
}

WORK_GROUP
kernel void packed(global const struct lcl_part *restrict parts,
                   global const struct lcl_sweep *restrict all_sweeps,
                   global const ushort *restrict col,
                   global const double *restrict val,
                   global const double *restrict b, global double *restrict x,
                   global const int *stop, int at)
{
    local double y[LCL_ROWS];
    local double2 ring_val[RING / 2];
    local ushort8 ring_col[RING / 8];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    struct stream stream = {.val = (global const double2 *)(val + p.slot),
                            .col = (global const ushort8 *)(col + p.slot),
                            .slots = p.slots,
                            .loaded = 0,
                            .ring_val = ring_val,
                            .ring_col = ring_col};
    if (stop[at])
        return;
    fetch(&stream);
# if LCL_SWEEPS > 0
    local struct lcl_sweep sweeps[LCL_SWEEPS];
    for (uint t = lid; t < p.sweeps; t += LCL_GROUP)
        sweeps[t] = all_sweeps[p.sweep + t];
# else
    global const struct lcl_sweep *sweeps = all_sweeps + p.sweep;
# endif
    for (uint i = lid; i < p.rows; i += LCL_GROUP)
        y[i] = b[p.row + i];
    GROUP_BARRIER();

    struct lcl_sweep w = sweeps[0];
    uint slot = 0, end = w.rows * w.planes;
    double inv_d = 1;
    advance(&stream, end);
    GROUP_BARRIER();
    for (uint t = 1; t <= p.sweeps; ++t) {
        if (lid < w.rows) {
            const uint row = w.first + lid;
            const bool diagonal = w.flags & LCL_SWEEP_DIAGONAL;
            double y_i = y[row];
            if (diagonal)
                inv_d = value(&stream, slot + lid);
            if (ILDU0 && diagonal)
                y_i *= inv_d;
            y_i -= dot_planes(&stream, slot + lid + (diagonal ? w.rows : 0),
                              w.rows, w.planes - diagonal, y);
            if (!ILDU0 && (w.flags & LCL_SWEEP_LAST))
                y_i *= inv_d;
            y[row] = y_i;
            if (w.flags & LCL_SWEEP_LAST)
                x[p.row + row] = y_i;
        }
        if (t < p.sweeps) {
            w = sweeps[t];
            slot = end;
            end += w.rows * w.planes;
            advance(&stream, end);
        }
        GROUP_BARRIER();
    }
}
#endif
