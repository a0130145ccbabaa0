// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x in one pass over M and L (or over one of them),
// n block rows, S stages:
//
//     P_j = sum over k of M_ik x_kj,   Q_j the same with L,   j < S
//     y_ij = sum over l of a_jl P_l + tau b_jl Q_l
//
// Layout: B = LCL_BLOCK, S = STAGES. All stages of an unknown are contiguous:
//         stage j of element c of block row k is x[(k B + c) S + j].
//         val[2 ((k B + r) B + c)] and the next value are entry (r, c) of block
//         k of M and of L. With ONE_TERM, val holds only the matrix `term` (0:
//         M, 1: L); the product with L is added to y. coef[l S + j] = a_jl,
//         coef[(S + l) S + j] = tau b_jl.
// Launch: one group per GROUP_ROWS block rows; at width 1 any number of groups.
//         LANES_PER_ROW lanes share a block row: a lane has one column of each
//         block, every ROW_LANES-th row and STAGES_PER_LANE stages. Besides
//         memory, L1 traffic limits the speed: each stage lane reads a block's
//         values, and each row lane reads x.
// Bytes: 16 (8) per entry, 4 per block, 4 per block row, 16 per element of a
//         vector.
// Determinism: fixed order.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef STAGES
# define STAGES 1
#endif
#ifndef ONE_TERM
# define ONE_TERM 0 // 1: one of the matrices
#endif
#ifndef STAGES_PER_LANE
# define STAGES_PER_LANE STAGES // divides STAGES
#endif
#ifndef LANES_PER_ROW
# define LANES_PER_ROW (LCL_BLOCK * STAGES / STAGES_PER_LANE)
#endif

#define ENTRIES (LCL_BLOCK * LCL_BLOCK)
#define TERMS   (ONE_TERM ? 1 : 2)
#define SUMS    (TERMS * STAGES)

#if ONE_TERM
typedef double entry_t;
#else
typedef double2 entry_t; // an entry of M and one of L
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
#if ONE_TERM
        sum[j] += a * v[j];
#else
        sum[j] += a.x * v[j];
        sum[stages + j] += a.y * v[j];
#endif
    }
}

#if LCL_WIDTH == 1
# define ROW_VALUES (TERMS * LCL_BLOCK) // values per row of a block
# if STAGES <= 4
// sum[r SUMS + k] = sum k of row r. Vectorises along the rows of blocks, since
// there are too few stages.
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x,
                             double *sum)
{
    double part[LCL_BLOCK * STAGES * ROW_VALUES];
    for (uint k = 0; k < LCL_BLOCK * STAGES * ROW_VALUES; ++k)
        part[k] = 0;
    for (index_t k = from; k < to; ++k) {
        global const double *a = val + (ulong)k * (LCL_BLOCK * ROW_VALUES);
        global const double *of_col = x + (long)col[k] * (LCL_BLOCK * STAGES);
        double v[STAGES * ROW_VALUES];
#  pragma unroll
        for (uint j = 0; j < STAGES; ++j)
#  pragma unroll
            for (uint e = 0; e < ROW_VALUES; ++e)
                v[j * ROW_VALUES + e] = of_col[e / TERMS * STAGES + j];
#  pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
#  pragma unroll
            for (uint j = 0; j < STAGES; ++j)
#  pragma unroll
                for (uint e = 0; e < ROW_VALUES; ++e)
                    part[(r * STAGES + j) * ROW_VALUES + e] +=
                        a[r * ROW_VALUES + e] * v[j * ROW_VALUES + e];
    }
    for (uint k = 0; k < LCL_BLOCK * SUMS; ++k)
        sum[k] = 0;
    for (uint r = 0; r < LCL_BLOCK; ++r)
        for (uint j = 0; j < STAGES; ++j)
            for (uint c = 0; c < LCL_BLOCK; ++c)
                for (uint t = 0; t < TERMS; ++t)
                    sum[r * SUMS + t * STAGES + j] +=
                        part[(r * STAGES + j) * ROW_VALUES + c * TERMS + t];
}
# else
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x,
                             double *sum)
{
    double v[STAGES];
    for (uint k = 0; k < LCL_BLOCK * SUMS; ++k)
        sum[k] = 0;
    for (index_t k = from; k < to; ++k)
        for (uint c = 0; c < LCL_BLOCK; ++c) {
            load_stages(x + ((long)col[k] * LCL_BLOCK + c) * STAGES, STAGES, v);
            for (uint r = 0; r < LCL_BLOCK; ++r) {
                global const double *a =
                    val + (((ulong)k * LCL_BLOCK + r) * LCL_BLOCK + c) * TERMS;
                add_entry(*(global const entry_t *)a, STAGES, v,
                          sum + r * SUMS);
            }
        }
}
# endif
#else
# define STAGE_LANES (STAGES / STAGES_PER_LANE)
# define ROW_LANES   (LANES_PER_ROW / (LCL_BLOCK * STAGE_LANES))
# define ROWS        (LCL_BLOCK / ROW_LANES)     // rows per lane
# define WAVE_ROWS   (LCL_WIDTH / LANES_PER_ROW) // block rows per wave
# define GROUP_ROWS  (LCL_GROUP / LCL_WIDTH * WAVE_ROWS)
# define OUTS        (ROWS * STAGES) // results to which a lane contributes
# define AHEAD       4               // blocks whose loads are in flight at once

// Lane ((row STAGE_LANES + q) ROW_LANES + r) B + c of a wave has column c, rows
// r, r + ROW_LANES, ... and the STAGES_PER_LANE stages from q STAGES_PER_LANE
// on of block row `row`.
struct place {
    uint row, q, r, c;
};

static inline struct place place_of(uint lane)
{
    const uint column = lane / LCL_BLOCK, set = column / ROW_LANES;
    struct place p;
    p.row = lane / LANES_PER_ROW;
    p.q = set - p.row * STAGE_LANES;
    p.r = column - set * ROW_LANES;
    p.c = lane - column * LCL_BLOCK;
    return p;
}

// sum[(TERMS i + t) STAGES_PER_LANE + j] = the lane's share of a block row, for
// its row i, matrix t and its stage j
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const entry_t *val, global const double *x,
                             double *sum)
{
    for (uint k = 0; k < ROWS * TERMS * STAGES_PER_LANE; ++k)
        sum[k] = 0;
    int column[AHEAD];
    for (uint h = 0; h < AHEAD; ++h)
        column[h] = from < to ? col[min(from + h, to - 1)] : 0;
    for (index_t k = from; k < to; k += AHEAD) {
        double v[AHEAD * STAGES_PER_LANE];
        entry_t a[AHEAD * ROWS];
# pragma unroll
        for (uint h = 0; h < AHEAD; ++h) {
            const index_t block = min(k + h, to - 1);
            load_stages(x + (long)column[h] * (LCL_BLOCK * STAGES),
                        STAGES_PER_LANE, v + h * STAGES_PER_LANE);
            column[h] = col[min(k + AHEAD + h, to - 1)];
# pragma unroll
            for (uint i = 0; i < ROWS; ++i)
                a[h * ROWS + i] =
                    val[(ulong)block * ENTRIES + i * ROW_LANES * LCL_BLOCK];
        }
# pragma unroll
        for (uint h = 0; h < AHEAD; ++h)
            if (k + h < to)
# pragma unroll
                for (uint i = 0; i < ROWS; ++i)
                    add_entry(a[h * ROWS + i], STAGES_PER_LANE,
                              v + h * STAGES_PER_LANE,
                              sum + i * TERMS * STAGES_PER_LANE);
    }
}

// out[i S + j] = contribution of the lane's sums to stage j of its row i
static inline void combine(global const double *coef, const double *sum,
                           double *out)
{
# pragma unroll
    for (uint i = 0; i < ROWS; ++i)
# pragma unroll
        for (uint j = 0; j < STAGES; ++j) {
            double result = 0;
# pragma unroll
            for (uint t = 0; t < TERMS; ++t)
# pragma unroll
                for (uint l = 0; l < STAGES_PER_LANE; ++l)
                    result += coef[(t * STAGES + l) * STAGES + j] *
                              sum[(i * TERMS + t) * STAGES_PER_LANE + l];
            out[i * STAGES + j] = result;
        }
}

static inline void put(global double *y, uint k, double v, int keep)
{
    const uint i = k / STAGES, o = i * (ROW_LANES * STAGES) + k - i * STAGES;
    y[o] = keep ? y[o] + v : v;
}

// bits of the lane number that select the rows of a block row
# define ROW_BITS ((LCL_BLOCK * ROW_LANES - 1) & ~(LCL_BLOCK - 1))

// Adds up over the lanes that share a row, and stores.
INLINE void store(double *out, struct place p, uint lane, bool mine,
                  global double *y, int keep, local double *scratch)
{
# if defined(WAVE_SPREADS) && LCL_WIDTH % LANES_PER_ROW == 0
    const struct wave_share s =
        wave_spread(out, OUTS, (LANES_PER_ROW - 1) & ~ROW_BITS);
    if (mine && s.mine)
        for (uint k = 0; k < s.count; ++k)
            put(y, s.first + k, out[k], keep);
# else
    const uint run = p.row < WAVE_ROWS ? lane - p.c : 0;
    for (uint k = 0; k < OUTS; ++k) {
        const double v = run_sum(out[k], run, LCL_BLOCK, scratch);
        if (mine && p.c == k - k / LCL_BLOCK * LCL_BLOCK)
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
    if (ONE_TERM)
        coef += term * STAGES * STAGES;
#if LCL_WIDTH == 1
    double sum[LCL_BLOCK * SUMS];
    for (RANGE(i, n)) {
        block_row(row_ptr[i], row_ptr[i + 1], col, val, x, sum);
        for (uint r = 0; r < LCL_BLOCK; ++r)
            for (uint j = 0; j < STAGES; ++j) {
                const long o = (i * LCL_BLOCK + r) * STAGES + j;
                double result = term ? y[o] : 0;
                for (uint k = 0; k < SUMS; ++k)
                    result += coef[k * STAGES + j] * sum[r * SUMS + k];
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
    double sum[ROWS * TERMS * STAGES_PER_LANE], out[OUTS];
    const index_t from = row_ptr[i], to = row_ptr[i + 1];
    block_row(from, mine ? to : from, col,
              (global const entry_t *)val + p.r * LCL_BLOCK + p.c,
              x + p.c * STAGES + p.q * STAGES_PER_LANE, sum);
    combine(coef + p.q * STAGES_PER_LANE * STAGES, sum, out);
    store(out, p, lane, mine, y + (i * LCL_BLOCK + p.r) * STAGES, term,
          scratch);
#endif
}
