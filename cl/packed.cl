// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   ILU0  (LCL_MODE 1):  x_i = (y_i - sum_j u_ij x_j) / d_i
//                ILDU0 (LCL_MODE 2):  x_i = y_i / d_i - sum_j u_ij x_j
//
// Data:   factor.cl.h; val and col are readable a chunk past the last slot.
// Launch: one group a subdomain; its vector and, where LCL_STEPS > 0, its step
//         table stand in local memory. The slots are one stream, read in chunks
//         of 8 a work-item: one chunk is on its way in registers while the two
//         before it are used from a ring in local memory, so that no step waits
//         for global memory and loads are wide whatever the steps are like. A
//         lane does a row of a step.
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
# define LCL_SLOTS 4 // entries of a row that are summed at once, at most 7
#endif
#ifndef LCL_LONG_ROWS
# define LCL_LONG_ROWS 0 // 1: some rows have more than LCL_SLOTS entries
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

#define CHUNK (8 * LCL_GROUP) // slots
#define RING (2 * CHUNK)

// The slots of a subdomain on their way: from global memory to registers, from
// there to the ring.
struct stream {
    global const double2 *val; // the subdomain's first slots
    global const ushort8 *col;
    uint slots;  // of the subdomain
    uint loaded; // slots that have reached the ring
    double2 next_val[4];
    ushort8 next_col;
    local double2 *ring_val;
    local ushort8 *ring_col;
};

// Starts to load the chunk after those that have reached the ring.
static inline void fetch(struct stream *s)
{
    const uint lid = get_local_id(0);
#pragma unroll
    for (uint j = 0; j < 4; ++j)
        s->next_val[j] = s->val[s->loaded / 2 + j * LCL_GROUP + lid];
    s->next_col = s->col[s->loaded / 8 + lid];
}

// Brings the slots below `end` to the ring, where at most one chunk is missing
// and nobody looks at the older of the two chunks any more.
static inline void advance(struct stream *s, uint end)
{
    if (end <= s->loaded)
        return;
    const uint lid = get_local_id(0), at = s->loaded % RING;
#pragma unroll
    for (uint j = 0; j < 4; ++j)
        s->ring_val[at / 2 + j * LCL_GROUP + lid] = s->next_val[j];
    s->ring_col[at / 8 + lid] = s->next_col;
    s->loaded += CHUNK;
    if (s->loaded < s->slots)
        fetch(s);
    GROUP_BARRIER();
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

// The entries of this lane's row, in `planes` planes of `rows` slots, times y.
// Called by the whole group; lanes without a row get 0.
static inline double dot_planes(struct stream *s, uint slot, uint rows,
                                uint planes, local const double *y)
{
    const uint lid = get_local_id(0);
    const bool active = lid < rows;
    double sum = 0;
    advance(s, slot + rows * min(planes, (uint)LCL_SLOTS));
#pragma unroll
    for (uint k = 0; k < LCL_SLOTS; ++k)
        if (active && k < planes)
            sum += product(s, slot + k * rows + lid, y);
#if LCL_LONG_ROWS
    for (uint k = LCL_SLOTS; k < planes; ++k) {
        GROUP_BARRIER();
        advance(s, slot + (k + 1) * rows);
        if (active)
            sum += product(s, slot + k * rows + lid, y);
    }
#endif
    return sum;
}

#ifdef LCL_STEPS
# define TABLE local
#else
# define TABLE global
#endif

static inline void solve_lower(struct stream *stream,
                               TABLE const struct lcl_step *steps, uint count,
                               local double *y)
{
    const uint lid = get_local_id(0);
    for (uint i = 0; i < count; ++i) {
        const struct lcl_step s = steps[i];
        if (s.lower_planes == 0)
            continue;
        const double sum =
            dot_planes(stream, s.lower, s.rows, s.lower_planes, y);
        if (lid < s.rows)
            y[s.first + lid] -= sum;
        GROUP_BARRIER();
    }
}

static inline void solve_upper(struct stream *stream,
                               TABLE const struct lcl_step *steps, uint count,
                               local double *y, global double *x)
{
    const uint lid = get_local_id(0);
    for (uint i = count; i-- > 0;) {
        const struct lcl_step s = steps[i];
        const bool active = lid < s.rows;
        advance(stream, s.upper + s.rows);
        const double inv_d = active ? value(stream, s.upper + lid) : 0;
        const double sum = dot_planes(stream, s.upper + s.rows, s.rows,
                                      s.upper_planes - 1, y);
        if (active) {
            const uint row = s.first + lid;
            const double x_i = ILDU0 ? y[row] * inv_d - sum
                                     : (y[row] - sum) * inv_d;
            y[row] = x_i;
            x[row] = x_i;
        }
        GROUP_BARRIER();
    }
}

WORK_GROUP
kernel void packed(global const struct lcl_part *restrict parts,
                   global const struct lcl_step *restrict all_steps,
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
    solve_lower(&stream, steps, p.steps, y);
    solve_upper(&stream, steps, p.steps, y, x + p.row);
}
#endif
