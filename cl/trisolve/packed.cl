// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b on all subdomains in one launch, from packed levels:
//     L y = b,   x_i = y_i / d_i - sum_j u_ij x_j
// A slot of 1/d holds -1/d and its own row as column, so that every sweep is
//     x_i = (x_i, or 0 where it begins with 1/d) - sum_k val_k x[col_k].
//
// Data:   factor.cl.h; LCL_STORAGE: what a slot is. Slots are readable up to
//         2 * LCL_SLOT_ALIGN * LCL_GROUP past the last.
// Launch: one group a subdomain, a lane a row of a sweep; vector and, where
//         LCL_SWEEPS > 0, table of sweeps in local memory. The operands of a
//         sweep are loaded while the one before it is done. LCL_RING 0: from
//         global memory, for devices full of groups. LCL_RING 1: from a ring in
//         local memory that is filled in chunks by wide loads, for long chains
//         of thin levels. LCL_LANES > 1: lanes share the rows of sweeps whose
//         rows are long and few.
// Width 1: an item does a subdomain in order, in place, without barriers.
// Determinism: bitwise; one sum a row, in column order, or such a sum a lane
//         and those in a fixed order.
// `stop[at]` other than 0: the caller has stopped, nothing is done.
#include "factor.cl.h"
#include "wave.cl.h"

#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // 1: fp64, 2: fp32, 3: bf16 and column in one word
#endif
#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LCL_SWEEPS
# define LCL_SWEEPS 0 // sweeps held in local memory, 4 more than there are
#endif
#ifndef LCL_SLOTS
# define LCL_SLOTS 4 // entries a lane in a sweep at most
#endif
#ifndef LCL_LANES
# define LCL_LANES 1 // lanes that share the rows of a sweep, up to LCL_WIDTH
#endif
#ifndef LCL_RING
# define LCL_RING 0
#endif
#ifndef LCL_MODE
# define LCL_MODE 0 // 1: adds shift[shift_of[p]] to the result of subdomain p
#endif

#if LCL_STORAGE == 1
typedef double stored_t;
#elif LCL_STORAGE == 2
typedef float stored_t;
#else
typedef uint stored_t;
#endif

#if LCL_STORAGE == 3
# define VALUE(val, col)  ((double)as_float((val)&0xffff0000u))
# define COLUMN(val, col) ((val)&0xffffu)
#else
# define VALUE(val, col)  ((double)(val))
# define COLUMN(val, col) (col)
#endif

#if LCL_WIDTH == 1

// sum_k val[k] x[col[k]]
static inline double dot_row(global const stored_t *val,
                             global const ushort *col, uint count,
                             global const double *x)
{
    double sum = 0;
    for (uint k = 0; k < count; ++k)
        sum += VALUE(val[k], col[k]) * x[COLUMN(val[k], col[k])];
    return sum;
}

// planes[i] = entries of row i of L, and in the upper half those of U and -1/d:
// all that a run through the slots in order needs to know. Steps are rows.
WORK_GROUP
kernel void count_planes(long n, global const struct lcl_step *steps,
                         global uint *planes)
{
    for (RANGE(i, n))
        planes[i] = steps[i].lower_planes | (uint)steps[i].upper_planes << 16;
}

WORK_GROUP
kernel void packed(global const struct lcl_part *parts,
                   global const uint *planes, global const ushort *col,
                   global const stored_t *val, global const double *b,
                   global double *x, global const int *stop, int at,
                   global const double *shift, global const int *shift_of)
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
        const uint count = planes[i] & 0xffff;
        x[i] = b[i] - dot_row(val, col, count, x);
        val += count;
        col += count;
    }
    for (uint i = p.rows; i-- > 0;) {
        const uint count = planes[i] >> 16;
        x[i] = -dot_row(val, col, count, x);
        val += count;
        col += count;
    }
# if LCL_MODE == 1
    const double own_shift = shift[shift_of[get_group_id(0)]];
    for (uint i = 0; i < p.rows; ++i)
        x[i] += own_shift;
# endif
}

#else

# define PLANES (LCL_SLOTS + 1) // of a sweep at most

// What a lane needs for its part of a sweep.
struct operands {
    stored_t val[PLANES];
    ushort col[PLANES];
};

// Lanes with a part in a sweep; from one slot of a lane to its next.
INLINE uint lanes_of(struct lcl_sweep w)
{
# if LCL_LANES > 1
    return w.rows * w.lanes;
# else
    return w.rows;
# endif
}

// The lane's place among the rows of a sweep; those beyond the last are there,
// too. Straight from global memory they read slots of later sweeps instead,
// which are then at hand (lap3d:128 on an H200: 2 % faster, 2026-11).
INLINE uint lane_of(uint rows)
{
    return min((uint)get_local_id(0), (uint)max((int)rows - 1, 0));
}

# if LCL_RING

// Slots of a chunk: two sweeps fit, so that a chunk may be replaced in the ring
// while the sweep after the next is read from it.
#  if LCL_SLOTS <= 3
#   define ITEM_SLOTS 8
#  else
#   define ITEM_SLOTS 16
#  endif
#  define CHUNK     (ITEM_SLOTS * LCL_GROUP)
#  define RING      (2 * CHUNK)
#  define ITEM_VALS (ITEM_SLOTS * sizeof(stored_t) / 16) // loads of a lane
#  define ITEM_COLS (ITEM_SLOTS / 8)

// The slots of a subdomain on their way: from global memory to registers, from
// there to the ring.
struct stream {
    global const uint4 *val, *col; // the subdomain's first slots
    uint slots;                    // of the subdomain
    uint loaded;                   // slots that have reached the ring
    uint4 next_val[ITEM_VALS], next_col[ITEM_COLS];
    local uint4 *ring_val, *ring_col;
};

// Starts to load the chunk after those that have reached the ring.
static inline void fetch(struct stream *s)
{
    const uint chunk = s->loaded / CHUNK, lid = get_local_id(0);
#  pragma unroll
    for (uint j = 0; j < ITEM_VALS; ++j)
        s->next_val[j] = s->val[(chunk * ITEM_VALS + j) * LCL_GROUP + lid];
#  if LCL_STORAGE != 3
#   pragma unroll
    for (uint j = 0; j < ITEM_COLS; ++j)
        s->next_col[j] = s->col[(chunk * ITEM_COLS + j) * LCL_GROUP + lid];
#  endif
}

// Brings the slots below `end` to the ring, where at most one chunk is missing
// and nobody looks at the older of the two chunks any more. They are seen after
// a barrier.
static inline void advance(struct stream *s, uint end)
{
    const uint side = s->loaded / CHUNK % 2, lid = get_local_id(0);
    if (end <= s->loaded)
        return;
#  pragma unroll
    for (uint j = 0; j < ITEM_VALS; ++j)
        s->ring_val[(side * ITEM_VALS + j) * LCL_GROUP + lid] = s->next_val[j];
#  if LCL_STORAGE != 3
#   pragma unroll
    for (uint j = 0; j < ITEM_COLS; ++j)
        s->ring_col[(side * ITEM_COLS + j) * LCL_GROUP + lid] = s->next_col[j];
#  endif
    s->loaded += CHUNK;
    if (s->loaded < s->slots)
        fetch(s);
}

// The operands of a lane in the sweep whose slots begin at `slot`.
INLINE void take(struct operands *o, const struct stream *s, uint slot,
                 struct lcl_sweep w)
{
#  if LCL_LANES > 1
    const uint stride = lanes_of(w), lid = get_local_id(0);
    const uint end = max((int)(w.rows * w.planes), 1); // others may be replaced
#   define PLACE(k) min((k)*stride + lid, end - 1)
#  else
    const uint last = max((int)w.planes - 1, 0); // likewise
#   define PLACE(k) min(k, last) * w.rows + lane_of(w.rows)
#  endif
#  pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        const uint at = (slot + PLACE(k)) % RING;
        o->val[k] = ((local const stored_t *)s->ring_val)[at];
#  if LCL_STORAGE != 3
        o->col[k] = ((local const ushort *)s->ring_col)[at];
#  endif
    }
}

# else

struct stream {
    global const stored_t *val; // the subdomain's first slots
    global const ushort *col;
};

INLINE void take(struct operands *o, const struct stream *s, uint slot,
                 struct lcl_sweep w)
{
#  pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        const uint at = slot + k * lanes_of(w) + get_local_id(0);
        o->val[k] = s->val[at];
#  if LCL_STORAGE != 3
        o->col[k] = s->col[at];
#  endif
    }
}

# endif

// sum_k val_k y[col_k] over the k for which k * stride < left. Values are used
// whether they count or not: what is used under a condition, compilers load
// under that condition, too late.
INLINE double dot_planes(const struct operands *o, uint stride, uint left,
                         local const double *y)
{
    double sum = 0;
# pragma unroll
    for (uint k = 0; k < PLANES; ++k) {
        double y_k = 0;
        if (k * stride < left)
            y_k = y[COLUMN(o->val[k], o->col[k])];
        sum += (k * stride < left ? VALUE(o->val[k], o->col[k]) : 0) * y_k;
    }
    return sum;
}

// On the first lanes the sums of the rows of a sweep.
INLINE double sum_row(struct lcl_sweep w, const struct operands *o,
                      local const double *y, local double *scratch)
{
    const uint lid = get_local_id(0);
# if LCL_LANES > 1
    const uint stride = lanes_of(w);
    const uint left = lid < stride ? w.rows * w.planes - lid : 0;
    return stride_sum(dot_planes(o, stride, left, y), w.rows, w.lanes, scratch);
# else
    return dot_planes(o, 1, lid < w.rows ? w.planes : 0, y);
# endif
}

INLINE void finish_rows(struct lcl_sweep w, const struct operands *o,
                        local double *y, local double *scratch)
{
    const uint lid = get_local_id(0), row = w.first + lid;
    const double sum = sum_row(w, o, y, scratch);
    if (lid < w.rows)
        y[row] = (w.flags & LCL_SWEEP_DIAGONAL ? 0 : y[row]) - sum;
}

// y = b, many loads at once.
# define LOADS 16
static inline void load_vector(local double *y, global const double *b,
                               uint rows)
{
    for (uint first = 0; first < rows; first += LOADS * LCL_GROUP) {
        double part[LOADS];
# pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            part[k] = i < rows ? b[i] : 0;
        }
# pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            if (i < rows)
                y[i] = part[k];
        }
    }
}

// Sweep t, or an empty one after the last.
# if LCL_SWEEPS > 0
#  define SWEEP(t) sweeps[t]
# else
#  define SWEEP(t) ((t) < p.sweeps ? all_sweeps[p.sweep + (t)] : none)
# endif

# if LCL_RING
#  define ADVANCE(end) advance(&stream, end)
# else
#  define ADVANCE(end)
# endif

// Sweep t from `now`; what sweep t + 1 needs goes to `then`.
# define STEP(now, then)                                                       \
  take(&then, &stream, slot, w1);                                              \
  finish_rows(w, &now, y, scratch);                                            \
  slot += w1.rows * w1.planes;                                                 \
  w = w1;                                                                      \
  w1 = w2;                                                                     \
  w2 = SWEEP(t + 3);                                                           \
  ADVANCE(slot + w1.rows * w1.planes);                                         \
  ++t;                                                                         \
  GROUP_BARRIER();

WORK_GROUP
kernel void packed(global const struct lcl_part *restrict parts,
                   global const struct lcl_sweep *restrict all_sweeps,
                   global const ushort *restrict col,
                   global const stored_t *restrict val,
                   global const double *restrict b, global double *restrict x,
                   global const int *stop, int at, global const double *shift,
                   global const int *shift_of)
{
    local double y[LCL_ROWS];
    local double scratch[LCL_LANES > 1 ? LCL_GROUP : 1];
    const struct lcl_sweep none = {0, 0, 0, 0, 1};
    const struct lcl_part p = parts[get_group_id(0)];
    const uint lid = get_local_id(0);
# if LCL_RING
    local uint4 ring_val[2 * ITEM_VALS * LCL_GROUP];
    local uint4 ring_col[2 * ITEM_COLS * LCL_GROUP];
    struct stream stream = {.val = (global const uint4 *)(val + p.slot),
                            .col = (global const uint4 *)(col + p.slot),
                            .slots = p.slots,
                            .loaded = 0,
                            .ring_val = ring_val,
                            .ring_col = ring_col};
# else
    const struct stream stream = {val + p.slot, col + p.slot};
# endif
    if (stop[at])
        return;
# if LCL_RING
    fetch(&stream);
# endif
# if LCL_SWEEPS > 0
    local struct lcl_sweep sweeps[LCL_SWEEPS];
    for (uint t = lid; t < LCL_SWEEPS; t += LCL_GROUP)
        sweeps[t] = t < p.sweeps ? all_sweeps[p.sweep + t] : none;
# endif
    load_vector(y, b + p.row, p.rows);
    ADVANCE(1);
    GROUP_BARRIER();

    struct lcl_sweep w = SWEEP(0), w1 = SWEEP(1), w2 = SWEEP(2);
    struct operands even, odd;
    uint t = 0, slot = w.rows * w.planes;
    take(&even, &stream, 0, w);
    while (t < p.sweeps) {
        STEP(even, odd)
        STEP(odd, even)
    }
# if LCL_MODE == 1
    const double own_shift = shift[shift_of[get_group_id(0)]];
# else
    const double own_shift = 0;
# endif
# pragma unroll 4
    for (uint i = lid; i < p.rows; i += LCL_GROUP)
        x[p.row + i] = y[i] + own_shift;
}
#endif
