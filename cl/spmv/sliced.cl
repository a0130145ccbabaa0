// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in slices (sliced.cl.h) with n rows; the four products as in
// spmv.cl.h.
//
// Launch: G groups; one lane per row, at width 1 one item per slice.
// Local:  does not hold a copy of x. lap3d reads 7 x 8 bytes of x per row, but
//         as columns are near, only 8 come from memory and few more from L2; a
//         copy would save none of the 72 bytes of matrix per row from memory.
// Determinism: fixed order, near slots before far ones.
#include "sliced.cl.h"

// An item's part of a run: one lane or, at width 1, the whole run.
#if LCL_WIDTH == 1
// No vload8() and vstore8(): compilers for CPUs with shorter vectors warn about
// the functions behind them.
typedef double8 value_t;
typedef int8 column_t;
typedef value_t stored_value_t __attribute__((aligned(8)));
typedef column_t stored_column_t __attribute__((aligned(4)));
# define LOAD_VALUE(p) (*(global const stored_value_t *)(p))
# define LOAD_NEAR(p)  convert_int8(vload8(0, p))
# define LOAD_FAR(p)   (*(global const stored_column_t *)(p))
# define GATHER(x, c)                                                          \
  (double8)((x)[(c).s0], (x)[(c).s1], (x)[(c).s2], (x)[(c).s3], (x)[(c).s4],   \
            (x)[(c).s5], (x)[(c).s6], (x)[(c).s7])
#else
typedef double value_t;
typedef int column_t;
# define LOAD_VALUE(p) (*(p))
# define LOAD_NEAR(p)  ((int)*(p))
# define LOAD_FAR(p)   (*(p))
# define GATHER(x, c)  ((x)[c])
#endif

// slots whose columns (and values, unless they are blocks) are loaded at once
#ifndef SLOTS_AT_ONCE
# define SLOTS_AT_ONCE 1
#endif

// A slice as seen by one of its lanes.
struct slice {
    uint near, slots; // number of near slots, of all slots
    int base;         // base of near columns
    global const short *near_col;
    global const int *far_col; // indexed by slot, near slots included
    global const double *val;
};

static inline struct slice slice_at(long s, uint lane, int last_col,
                                    global const uint2 *start,
                                    global const short *near_col,
                                    global const int *far_col,
                                    global const double *val)
{
    const uint2 from = start[s], to = start[s + 1];
    struct slice S;
    S.near = to.x - from.x;
    S.slots = S.near + to.y - from.y;
    S.base = base_of(s, last_col);
    S.near_col = near_col + (long)from.x * ROWS + lane;
    S.far_col = far_col + ((long)from.y - (long)S.near) * ROWS + lane;
    S.val = val + ((long)from.x + from.y) * (ROWS * AREA) + lane;
    return S;
}

// The slice without its first SLOTS_AT_ONCE slots.
static inline struct slice rest_of(struct slice S)
{
    S.near = sub_sat(S.near, (uint)SLOTS_AT_ONCE);
    S.slots = sub_sat(S.slots, (uint)SLOTS_AT_ONCE);
    S.near_col += SLOTS_AT_ONCE * ROWS;
    S.far_col += SLOTS_AT_ONCE * ROWS;
    S.val += SLOTS_AT_ONCE * ROWS * AREA;
    return S;
}

// sum += products of the first SLOTS_AT_ONCE slots, whose columns are c
#if LCL_BLOCK == 1
static inline void add_values(struct slice S, const column_t *c,
                              global const double *x, long ldx, value_t *sum)
{
    value_t a[SLOTS_AT_ONCE], v[SLOTS_AT_ONCE * VECTORS];
# pragma unroll
    for (uint u = 0; u < SLOTS_AT_ONCE; ++u)
        if (u < S.slots)
            a[u] = LOAD_VALUE(S.val + u * ROWS);
# pragma unroll
    for (uint u = 0; u < SLOTS_AT_ONCE; ++u)
# pragma unroll
        for (uint q = 0; q < VECTORS; ++q)
            if (u < S.slots)
                v[u * VECTORS + q] = GATHER(x + q * ldx, c[u]);
# pragma unroll
    for (uint u = 0; u < SLOTS_AT_ONCE; ++u)
# pragma unroll
        for (uint q = 0; q < VECTORS; ++q)
            if (u < S.slots)
                sum[q] += a[u] * v[u * VECTORS + q];
}
#else
static inline void add_block(global const double *a, column_t c,
                             global const double *x, long ldx, value_t *sum)
{
    value_t v[LCL_BLOCK * VECTORS];
# pragma unroll
    for (uint q = 0; q < VECTORS; ++q)
# pragma unroll
        for (uint j = 0; j < LCL_BLOCK; ++j)
            v[q * LCL_BLOCK + j] = GATHER(x + q * ldx + j, c * LCL_BLOCK);
# pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r)
# pragma unroll
        for (uint j = 0; j < LCL_BLOCK; ++j) {
            const value_t value = LOAD_VALUE(a + (r * LCL_BLOCK + j) * ROWS);
# pragma unroll
            for (uint q = 0; q < VECTORS; ++q)
                sum[q * LCL_BLOCK + r] += value * v[q * LCL_BLOCK + j];
        }
}

static inline void add_values(struct slice S, const column_t *c,
                              global const double *x, long ldx, value_t *sum)
{
# pragma unroll
    for (uint u = 0; u < SLOTS_AT_ONCE; ++u)
        if (u < S.slots)
            add_block(S.val + u * (AREA * ROWS), c[u], x, ldx, sum);
}
#endif

// sum = the item's rows of A x; sum[q * LCL_BLOCK + r] is row r for vector q
static inline void add_slots(struct slice S, global const double *x, long ldx,
                             value_t *sum)
{
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK * VECTORS; ++r)
        sum[r] = 0;
    while (S.slots > 0) {
        column_t c[SLOTS_AT_ONCE];
#pragma unroll
        for (uint u = 0; u < SLOTS_AT_ONCE; ++u)
            if (u < S.near)
                c[u] = LOAD_NEAR(S.near_col + u * ROWS);
            else if (u < S.slots)
                c[u] = LOAD_FAR(S.far_col + u * ROWS);
#pragma unroll
        for (uint u = 0; u < SLOTS_AT_ONCE; ++u) // after issuing all loads
            c[u] += u < S.near ? S.base : 0;
        add_values(S, c, x, ldx, sum);
        S = rest_of(S);
    }
}

// ------------------------------------------------------------------- products

#if !MANY
INLINE void multiply(int mode, long n, int last_col, global const uint2 *start,
                     global const short *near_col, global const int *far_col,
                     global const double *val, global const double *x,
                     global const double *w, global double *y,
                     global double *sums, local double *scratch)
{
    struct spmv_sums s = {0, 0};
    value_t sum[LCL_BLOCK * VECTORS];
# if LCL_WIDTH == 1
    for (RANGE(at, (n + ROWS - 1) / ROWS)) {
        const double *row = (const double *)sum;
        add_slots(slice_at(at, 0, last_col, start, near_col, far_col, val), x,
                  0, sum);
        for (long i = at * ROWS; i < min(n, (at + 1) * ROWS); ++i)
            for (uint r = 0; r < LCL_BLOCK; ++r)
                spmv_row(mode, i * LCL_BLOCK + r, row[r * ROWS + i % ROWS],
                         spmv_operand(mode, w, i * LCL_BLOCK + r), y, &s);
    }
# else
    for (uint i = get_global_id(0); i < (uint)n; i += get_global_size(0)) {
        add_slots(slice_at(i / ROWS, i % ROWS, last_col, start, near_col,
                           far_col, val),
                  x, 0, sum);
        for (uint r = 0; r < LCL_BLOCK; ++r)
            spmv_row(mode, (long)i * LCL_BLOCK + r, sum[r],
                     spmv_operand(mode, w, (long)i * LCL_BLOCK + r), y, &s);
    }
# endif
    spmv_finish(mode, s, sums, scratch);
}

# define KERNEL(name, mode)                                                    \
  WORK_GROUP                                                                   \
  kernel void name(                                                            \
      long n, int last_col, global const uint2 *restrict start,                \
      global const short *restrict near_col,                                   \
      global const int *restrict far_col, global const double *restrict val,   \
      global const double *restrict x, global const double *restrict w,        \
      global double *restrict y, global double *restrict sums,                 \
      global const int *stop, int at)                                          \
  {                                                                            \
   local double scratch[LCL_GROUP];                                            \
   if (stop[at])                                                               \
    return;                                                                    \
   multiply(mode, n, last_col, start, near_col, far_col, val, x, w, y, sums,   \
            scratch);                                                          \
  }

KERNEL(sliced_plain, MODE_APPLY)
KERNEL(sliced_dot, MODE_APPLY_DOT)
KERNEL(sliced_dot_norm, MODE_APPLY_DOT_NORM)
KERNEL(sliced_residual, MODE_RESIDUAL)
#else
WORK_GROUP
kernel void sliced_many(long n, int last_col,
                        global const uint2 *restrict start,
                        global const short *restrict near_col,
                        global const int *restrict far_col,
                        global const double *restrict val,
                        global const double *restrict x, long ldx,
                        global double *restrict y, long ldy, long first)
{
    value_t sum[LCL_BLOCK * VECTORS];
    x += first * ldx;
    y += first * ldy;
# if LCL_WIDTH == 1
    for (RANGE(at, (n + ROWS - 1) / ROWS)) {
        const double *row = (const double *)sum;
        add_slots(slice_at(at, 0, last_col, start, near_col, far_col, val), x,
                  ldx, sum);
        for (long i = at * ROWS; i < min(n, (at + 1) * ROWS); ++i)
            for (uint q = 0; q < VECTORS; ++q)
                for (uint r = 0; r < LCL_BLOCK; ++r)
                    y[q * ldy + i * LCL_BLOCK + r] =
                        row[(q * LCL_BLOCK + r) * ROWS + i % ROWS];
    }
# else
    for (uint i = get_global_id(0); i < (uint)n; i += get_global_size(0)) {
        add_slots(slice_at(i / ROWS, i % ROWS, last_col, start, near_col,
                           far_col, val),
                  x, ldx, sum);
        for (uint q = 0; q < VECTORS; ++q)
            for (uint r = 0; r < LCL_BLOCK; ++r)
                y[q * ldy + (long)i * LCL_BLOCK + r] = sum[q * LCL_BLOCK + r];
    }
# endif
}
#endif
