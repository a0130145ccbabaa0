// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in square blocks (BSR) with n block rows; the four products as
// in spmv.cl.h.
//
// Layout: block k is B x B values, row-major, from val[k B^2] on; B =
// LCL_BLOCK. Launch: G groups; LANES_PER_ROW lanes share a block row:
//     B^2: each lane has one entry of every block, so that together they read a
//          block contiguously; then B lanes add up the shares of one row each.
//          As many block rows as fit a wave; remaining lanes idle.
//     B:   each lane has one row; no exchange between lanes.
//     1:   one lane has the whole block row, as on a CPU.
// Determinism: fixed order for a given G.
#include "block_sums.cl.h"
#include "spmv.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // B^2 up to the wave width, B, or 1
#endif

#define ENTRIES   (LCL_BLOCK * LCL_BLOCK)
#define BY_ENTRY  (LANES_PER_ROW == ENTRIES)
#define BY_MATRIX (LANES_PER_ROW == 1)
#define ROWS      (BY_MATRIX ? LCL_BLOCK : 1) // rows of a block per lane
#define COLS      (BY_ENTRY ? 1 : LCL_BLOCK)  // columns of a block per lane
#define SUMS      (ROWS * VECTORS)
// blocks whose loads are in flight at once
#define AHEAD (BY_MATRIX ? 1 : BY_ENTRY ? 4 : 2)

// sum[q ROWS + r] = the lane's share of its row r of one block row, vector q
#if LCL_WIDTH == 1
INLINE void add_blocks(index_t from, index_t to, uint lane,
                       global const int *col, global const double *val,
                       global const double *x, long ldx, double *sum)
{
    struct block_sums s[VECTORS];
# pragma unroll
    for (uint q = 0; q < VECTORS; ++q)
        block_sums_clear(&s[q]);
    for (index_t k = from; k < to; ++k)
# pragma unroll
        for (uint q = 0; q < VECTORS; ++q)
            block_sums_add(&s[q], val + (ulong)k * ENTRIES,
                           x + (long)col[k] * LCL_BLOCK + q * ldx);
# pragma unroll
    for (uint q = 0; q < VECTORS; ++q)
# pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            sum[q * LCL_BLOCK + r] = block_sums_row(&s[q], r);
}
#else
static inline void add_blocks(index_t from, index_t to, uint lane,
                              global const int *col, global const double *val,
                              global const double *x, long ldx, double *sum)
{
    const uint first = lane * COLS, column = BY_ENTRY ? lane % LCL_BLOCK : 0;
    for (ASCENDING(r, SUMS))
        sum[r] = 0;
    for (index_t k = from; k < to; k += AHEAD) {
        double share[AHEAD * SUMS];
        for (ASCENDING(u, AHEAD)) {
            const index_t at = k + u < to ? k + u : k;
            global const double *a = val + (ulong)at * ENTRIES + first;
            global const double *v = x + (long)col[at] * LCL_BLOCK + column;
            for (ASCENDING(q, VECTORS))
                for (ASCENDING(r, ROWS)) {
                    double dot = 0;
                    for (ASCENDING(c, COLS))
                        dot += a[r * LCL_BLOCK + c] * v[q * ldx + c];
                    share[u * SUMS + q * ROWS + r] = dot;
                }
        }
        for (ASCENDING(u, AHEAD))
            for (ASCENDING(r, SUMS))
                if (k + u < to)
                    sum[r] += share[u * SUMS + r];
    }
}
#endif

#if LCL_WIDTH > 1
// The lanes of a block row never cross the end of a span.
# define SPAN      (BY_ENTRY ? LCL_WIDTH : LCL_GROUP)
# define SPAN_ROWS (SPAN / LANES_PER_ROW)

// Position of a lane.
struct place {
    uint lane, row; // lane within its block row, block row within the group
    uint run;       // BY_ENTRY: first lane of the wave that has its row
    bool works;
};

static inline struct place place_of(uint lid)
{
    const uint span = BY_ENTRY ? lid / SPAN : 0, in_span = lid - span * SPAN;
    // in_span / LANES_PER_ROW, exact below 1024
    const uint slot = in_span * (65535 / LANES_PER_ROW + 1) >> 16;
    struct place p;
    p.lane = in_span - slot * LANES_PER_ROW;
    p.row = span * SPAN_ROWS + slot;
    p.works = slot < SPAN_ROWS;
    p.run = p.works ? in_span - p.lane + p.lane % LCL_BLOCK * LCL_BLOCK : 0;
    return p;
}

// Lane r < B of a block row adds up the sums of its lanes r B .. r B + B - 1.
INLINE void add_lanes(struct place p, double *sum, local double *scratch)
{
# if BY_ENTRY
    for (ASCENDING(q, VECTORS))
        sum[q] = run_sum(sum[q], p.run, LCL_BLOCK, scratch);
# endif
}
#endif

#if !MANY
INLINE void multiply(int mode, long n, global const index_t *row_ptr,
                     global const int *col, global const double *val,
                     global const double *x, global const double *w,
                     global double *y, global double *sums,
                     local double *scratch)
{
    struct spmv_sums s = {0, 0};
    double sum[ROWS];
# if LCL_WIDTH == 1
    for (RANGE(i, n)) {
        add_blocks(row_ptr[i], row_ptr[i + 1], 0, col, val, x, 0, sum);
#  pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            spmv_row(mode, i * LCL_BLOCK + r, sum[r],
                     spmv_operand(mode, w, i * LCL_BLOCK + r), y, &s);
    }
# else
    const struct place p = place_of(get_local_id(0));
    const uint rows = LCL_GROUP / SPAN * SPAN_ROWS;
    for (long first = (long)get_group_id(0) * rows; first < n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + p.row;
        const bool mine = p.works && i < n;
        const bool ends = mine && p.lane < LCL_BLOCK / ROWS; // stores results
        const long own = i * LCL_BLOCK + p.lane * ROWS;
        double w_r[ROWS];
        for (ASCENDING(r, ROWS))
            w_r[r] = ends ? spmv_operand(mode, w, own + r) : 0;
        add_blocks(mine ? row_ptr[i] : 0, mine ? row_ptr[i + 1] : 0, p.lane,
                   col, val, x, 0, sum);
        add_lanes(p, sum, scratch);
        for (ASCENDING(r, ends ? ROWS : 0))
            spmv_row(mode, own + r, sum[r], w_r[r], y, &s);
    }
# endif
    spmv_finish(mode, s, sums, scratch);
}

SPMV_ROWS_KERNEL(bsr_plain, MODE_APPLY)
SPMV_ROWS_KERNEL(bsr_dot, MODE_APPLY_DOT)
SPMV_ROWS_KERNEL(bsr_dot_norm, MODE_APPLY_DOT_NORM)
SPMV_ROWS_KERNEL(bsr_residual, MODE_RESIDUAL)
#else
WORK_GROUP
kernel void bsr_many(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val,
                     global const double *restrict x, long ldx,
                     global double *restrict y, long ldy, long first)
{
    double sum[SUMS];
    x += first * ldx;
    y += first * ldy;
# if LCL_WIDTH == 1
    for (RANGE(i, n)) {
        add_blocks(row_ptr[i], row_ptr[i + 1], 0, col, val, x, ldx, sum);
        for (ASCENDING(q, VECTORS))
            for (ASCENDING(r, LCL_BLOCK))
                y[q * ldy + i * LCL_BLOCK + r] = sum[q * LCL_BLOCK + r];
    }
# else
    local double scratch[LCL_GROUP];
    const struct place p = place_of(get_local_id(0));
    const uint rows = LCL_GROUP / SPAN * SPAN_ROWS;
    for (long at = (long)get_group_id(0) * rows; at < n;
         at += (long)get_num_groups(0) * rows) {
        const long i = at + p.row;
        const bool mine = p.works && i < n;
        add_blocks(mine ? row_ptr[i] : 0, mine ? row_ptr[i + 1] : 0, p.lane,
                   col, val, x, ldx, sum);
        add_lanes(p, sum, scratch);
        if (mine && p.lane < LCL_BLOCK / ROWS)
            for (ASCENDING(q, VECTORS))
                for (ASCENDING(r, ROWS))
                    y[q * ldy + i * LCL_BLOCK + p.lane * ROWS + r] =
                        sum[q * ROWS + r];
    }
# endif
}
#endif
