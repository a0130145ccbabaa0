// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x in one pass over M and L (or over one of them),
// n block rows, S stages:
//
//     P_j = sum over k of M_ik x_kj,   Q_j the same with L,   j < S
//     y_ij = sum over l of a_jl P_l + tau b_jl Q_l
//
// Layout: all stages of an unknown are contiguous: stage j of element c of
//         block row k is x[(k B + c) S + j]. LCL_MODE 0: val[2 ((k B + r) B +
//         c)] and the next value are entry (r, c) of block k of M and of L.
//         LCL_MODE 1: val holds only the matrix `term` (0: M, 1: L); the
//         product with L is added to y. coef[l S + j] = a_jl,
//         coef[(S + l) S + j] = tau b_jl.
// Launch: one group per GROUP_ROWS block rows; at width 1 any number of groups.
//         LCL_LANES lanes share a block row: a lane has one column of each
//         block, every ROW_LANES-th row and LCL_SLOTS stages. Besides memory,
//         L1 traffic limits the speed: each stage lane reads a block's values,
//         and each row lane reads x.
// Bytes: 16 (8) per entry, 4 per block, 4 per block row, 16 per element of a
//         vector.
// Determinism: fixed order.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef LCL_MODE
# define LCL_MODE 0
#endif
#ifndef LCL_SLOTS
# define LCL_SLOTS LCL_VECTORS // stages per lane; divides LCL_VECTORS
#endif
#ifndef LCL_LANES
# define LCL_LANES (LCL_BLOCK * LCL_VECTORS / LCL_SLOTS)
#endif

#define B     LCL_BLOCK
#define S     LCL_VECTORS
#define PAIRS (LCL_MODE == 0)
#define TERMS (PAIRS ? 2 : 1)
#define SUMS  (TERMS * S)

#if PAIRS
typedef double2 entry_t; // an entry of M and one of L
#else
typedef double entry_t;
#endif

// Loads `stages` stages of one unknown; an even number of them is aligned
static inline void load_stages(global const double *x, uint stages, double *v)
{
    if (stages % 2 == 0) {
        for (uint j = 0; j < stages; j += 2) {
            const double2 both = *(global const double2 *)(x + j);
            v[j] = both.x;
            v[j + 1] = both.y;
        }
    } else {
        for (uint j = 0; j < stages; ++j)
            v[j] = x[j];
    }
}

// sum += entry (of both matrices) times v
static inline void add_entry(entry_t a, uint stages, const double *v,
                             double *sum)
{
    for (uint j = 0; j < stages; ++j) {
#if PAIRS
        sum[j] += a.x * v[j];
        sum[stages + j] += a.y * v[j];
#else
        sum[j] += a * v[j];
#endif
    }
}

#if LCL_WIDTH == 1
# define ROW_VALUES (TERMS * B) // values per row of a block
# if S <= 4
// sum[r SUMS + k] = sum k of row r. Vectorises along the rows of blocks, since
// there are too few stages.
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x,
                             double *sum)
{
    double part[B * S * ROW_VALUES];
    for (uint k = 0; k < B * S * ROW_VALUES; ++k)
        part[k] = 0;
    for (index_t k = from; k < to; ++k) {
        global const double *a = val + (ulong)k * (B * ROW_VALUES);
        global const double *of_col = x + (long)col[k] * (B * S);
        double v[S * ROW_VALUES];
#  pragma unroll
        for (uint j = 0; j < S; ++j)
#  pragma unroll
            for (uint e = 0; e < ROW_VALUES; ++e)
                v[j * ROW_VALUES + e] = of_col[e / TERMS * S + j];
#  pragma unroll
        for (uint r = 0; r < B; ++r)
#  pragma unroll
            for (uint j = 0; j < S; ++j)
#  pragma unroll
                for (uint e = 0; e < ROW_VALUES; ++e)
                    part[(r * S + j) * ROW_VALUES + e] +=
                        a[r * ROW_VALUES + e] * v[j * ROW_VALUES + e];
    }
    for (uint k = 0; k < B * SUMS; ++k)
        sum[k] = 0;
    for (uint r = 0; r < B; ++r)
        for (uint j = 0; j < S; ++j)
            for (uint c = 0; c < B; ++c)
                for (uint t = 0; t < TERMS; ++t)
                    sum[r * SUMS + t * S + j] +=
                        part[(r * S + j) * ROW_VALUES + c * TERMS + t];
}
# else
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x,
                             double *sum)
{
    double v[S];
    for (uint k = 0; k < B * SUMS; ++k)
        sum[k] = 0;
    for (index_t k = from; k < to; ++k)
        for (uint c = 0; c < B; ++c) {
            load_stages(x + ((long)col[k] * B + c) * S, S, v);
            for (uint r = 0; r < B; ++r)
                add_entry(
                    *(global const entry_t *)(val +
                                              (((ulong)k * B + r) * B + c) *
                                                  TERMS),
                    S, v, sum + r * SUMS);
        }
}
# endif
#else
# define STAGE_LANES (S / LCL_SLOTS)
# define ROW_LANES   (LCL_LANES / (B * STAGE_LANES))
# define ROWS        (B / ROW_LANES)         // rows per lane
# define WAVE_ROWS   (LCL_WIDTH / LCL_LANES) // block rows per wave
# define GROUP_ROWS  (LCL_GROUP / LCL_WIDTH * WAVE_ROWS)
# define OUTS        (ROWS * S) // results to which a lane contributes
# define AHEAD       4          // blocks whose loads are in flight at once

// Lane ((row STAGE_LANES + q) ROW_LANES + r) B + c of a wave has column c, rows
// r, r + ROW_LANES, ... and the LCL_SLOTS stages from q LCL_SLOTS on of block
// row `row`.
struct place {
    uint row, q, r, c;
};

static inline struct place place_of(uint lane)
{
    const uint column = lane / B, set = column / ROW_LANES;
    struct place p;
    p.row = lane / LCL_LANES;
    p.q = set - p.row * STAGE_LANES;
    p.r = column - set * ROW_LANES;
    p.c = lane - column * B;
    return p;
}

// sum[(TERMS i + t) LCL_SLOTS + j] = the lane's share of a block row, for its
// row i, matrix t and its stage j
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const entry_t *val, global const double *x,
                             double *sum)
{
    for (uint k = 0; k < ROWS * TERMS * LCL_SLOTS; ++k)
        sum[k] = 0;
    int column[AHEAD];
    for (uint h = 0; h < AHEAD; ++h)
        column[h] = from < to ? col[min(from + h, to - 1)] : 0;
    for (index_t k = from; k < to; k += AHEAD) {
        double v[AHEAD * LCL_SLOTS];
        entry_t a[AHEAD * ROWS];
# pragma unroll
        for (uint h = 0; h < AHEAD; ++h) {
            const index_t block = min(k + h, to - 1);
            load_stages(x + (long)column[h] * (B * S), LCL_SLOTS,
                        v + h * LCL_SLOTS);
            column[h] = col[min(k + AHEAD + h, to - 1)];
# pragma unroll
            for (uint i = 0; i < ROWS; ++i)
                a[h * ROWS + i] =
                    val[(ulong)block * (B * B) + i * ROW_LANES * B];
        }
# pragma unroll
        for (uint h = 0; h < AHEAD; ++h)
            if (k + h < to)
# pragma unroll
                for (uint i = 0; i < ROWS; ++i)
                    add_entry(a[h * ROWS + i], LCL_SLOTS, v + h * LCL_SLOTS,
                              sum + i * TERMS * LCL_SLOTS);
    }
}

// out[i S + j] = contribution of the lane's sums to stage j of its row i
static inline void combine(global const double *coef, const double *sum,
                           double *out)
{
# pragma unroll
    for (uint i = 0; i < ROWS; ++i)
# pragma unroll
        for (uint j = 0; j < S; ++j) {
            double result = 0;
# pragma unroll
            for (uint t = 0; t < TERMS; ++t)
# pragma unroll
                for (uint l = 0; l < LCL_SLOTS; ++l)
                    result += coef[(t * S + l) * S + j] *
                              sum[(i * TERMS + t) * LCL_SLOTS + l];
            out[i * S + j] = result;
        }
}

static inline void put(global double *y, uint k, double v, int keep)
{
    const uint i = k / S, o = i * (ROW_LANES * S) + k - i * S;
    y[o] = keep ? y[o] + v : v;
}

// bits of the lane number that select the rows of a block row
# define ROW_BITS ((B * ROW_LANES - 1) & ~(B - 1))

// Adds up over the lanes that share a row, and stores.
INLINE void store(double *out, struct place p, uint lane, bool mine,
                  global double *y, int keep, local double *scratch)
{
# if defined(WAVE_SPREADS) && LCL_WIDTH % LCL_LANES == 0
    const struct wave_share s =
        wave_spread(out, OUTS, (LCL_LANES - 1) & ~ROW_BITS);
    if (mine && s.mine)
        for (uint k = 0; k < s.count; ++k)
            put(y, s.first + k, out[k], keep);
# else
    const uint run = p.row < WAVE_ROWS ? lane - p.c : 0;
    for (uint k = 0; k < OUTS; ++k) {
        const double v = run_sum(out[k], run, B, scratch);
        if (mine && p.c == k - k / B * B)
            put(y, k, v, keep);
    }
# endif
}
#endif

WORK_GROUP
kernel void one_pass(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val,
                     global const double *restrict coef,
                     global const double *restrict x, global double *restrict y,
                     int term, global const int *stop, int at)
{
#if LCL_WIDTH > 1
    local double scratch[LCL_GROUP];
#endif
    if (stop[at])
        return;
    if (!PAIRS)
        coef += term * S * S;
#if LCL_WIDTH == 1
    double sum[B * SUMS];
    for (RANGE(i, n)) {
        block_row(row_ptr[i], row_ptr[i + 1], col, val, x, sum);
        for (uint r = 0; r < B; ++r)
            for (uint j = 0; j < S; ++j) {
                const long o = (i * B + r) * S + j;
                double result = term ? y[o] : 0;
                for (uint k = 0; k < SUMS; ++k)
                    result += coef[k * S + j] * sum[r * SUMS + k];
                y[o] = result;
            }
    }
#else
    const uint lid = get_local_id(0), wave = lid / LCL_WIDTH;
    const uint lane = lid - wave * LCL_WIDTH;
    const struct place p = place_of(lane);
    const long at_row =
        (long)get_group_id(0) * GROUP_ROWS + wave * WAVE_ROWS + p.row;
    const bool mine = at_row < n && p.row < WAVE_ROWS;
    const long i = min(at_row, n - 1);
    double sum[ROWS * TERMS * LCL_SLOTS], out[OUTS];
    const index_t from = row_ptr[i], to = row_ptr[i + 1];
    block_row(from, mine ? to : from, col,
              (global const entry_t *)val + p.r * B + p.c,
              x + p.c * S + p.q * LCL_SLOTS, sum);
    combine(coef + p.q * LCL_SLOTS * S, sum, out);
    store(out, p, lane, mine, y + (i * B + p.r) * S, term, scratch);
#endif
}
