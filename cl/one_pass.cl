// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x in one pass over M and L (or over one of them),
// n block rows, S stages:
//
//     P_j = sum over k of M_ik x_kj,   Q_j the same with L,   j < S
//     y_ij = sum over l of a_jl P_l + tau b_jl Q_l
//
// Layout: all stages of an unknown are together, element c of block row k at
//         x[(k B + c) S + j]. LCL_MODE 0: entry (r, c) of block k of M and of L
//         are val[2 ((k B + c) B + r)] and the one behind it. LCL_MODE 1: of
//         one matrix, by rows, with `keep` added to y. Row j of `coef` has a_jl
//         and tau b_jl, LCL_MODE 1: its own of the two, for all l.
// Launch: any number of groups; a wave has a block row, of AT_ONCE blocks at a
//         time a row a lane.
// Bytes: 16 (8) an entry, 4 a block, 4 a block row, 16 an element of a vector.
// Determinism: fixed order.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, not more than lanes
#endif
#ifndef LCL_MODE
# define LCL_MODE 0
#endif

#define B       LCL_BLOCK
#define S       LCL_VECTORS
#define PAIRS   (LCL_MODE == 0)
#define TERMS   (PAIRS ? 2 : 1)
#define SUMS    (TERMS * S)
#define RESULTS (B * S) // of a block row
#define AT_ONCE (LCL_WIDTH / B)

// Entry (r, c) of a block.
#define ENTRY(r, c) (PAIRS ? 2 * ((c)*B + (r)) : (r)*B + (c))

// v = the stages of one unknown
static inline void load_stages(global const double *x, double *v)
{
#if S % 2 == 0
    for (uint j = 0; j < S; j += 2) {
        const double2 both = *(global const double2 *)(x + j);
        v[j] = both.x;
        v[j + 1] = both.y;
    }
#else
    for (uint j = 0; j < S; ++j)
        v[j] = x[j];
#endif
}

// sum += the entry, of both matrices, times v
static inline void add_entry(global const double *val, const double *v,
                             double *sum)
{
#if PAIRS
    const double2 both = *(global const double2 *)val;
    for (uint j = 0; j < S; ++j) {
        sum[j] += both.x * v[j];
        sum[S + j] += both.y * v[j];
    }
#else
    for (uint j = 0; j < S; ++j)
        sum[j] += val[0] * v[j];
#endif
}

// Row j of the coefficients times the sums of a row.
static inline double combine(global const double *coef, uint j,
                             local const double *sum)
{
    double result = 0;
    for (uint q = 0; q < SUMS; ++q)
        result += coef[j * (2 * S) + q] * sum[q];
    return result;
}

#if LCL_WIDTH == 1
static inline void block_row(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x,
                             double *sum)
{
    double v[S];
    for (uint q = 0; q < B * SUMS; ++q)
        sum[q] = 0;
    for (index_t k = from; k < to; ++k)
        for (uint c = 0; c < B; ++c) {
            load_stages(x + ((long)col[k] * B + c) * S, v);
            for (uint r = 0; r < B; ++r)
                add_entry(val + (ulong)k * (B * B * TERMS) + ENTRY(r, c), v,
                          sum + r * SUMS);
        }
}

WORK_GROUP
kernel void one_pass(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val,
                     global const double *restrict coef,
                     global const double *restrict x, global double *restrict y,
                     int keep, global const int *stop, int at)
{
    double sum[B * SUMS];
    if (stop[at])
        return;
    for (RANGE(i, n)) {
        block_row(row_ptr[i], row_ptr[i + 1], col, val, x, sum);
        for (uint r = 0; r < B; ++r)
            for (uint j = 0; j < S; ++j) {
                const long o = (i * B + r) * S + j;
                double result = keep ? y[o] : 0;
                for (uint q = 0; q < SUMS; ++q)
                    result += coef[j * (2 * S) + q] * sum[r * SUMS + q];
                y[o] = result;
            }
    }
}
#else
# define WAVES (LCL_GROUP / LCL_WIDTH)

// sum = the lane's share of its row of one block row
static inline void block_row(index_t from, index_t to, uint r,
                             global const int *col, global const double *val,
                             global const double *x, double *sum)
{
    double v[S];
    for (uint q = 0; q < SUMS; ++q)
        sum[q] = 0;
    for (index_t k = from; k < to; k += AT_ONCE) {
        global const double *a = val + (ulong)k * (B * B * TERMS);
        global const double *of_col = x + (long)col[k] * (B * S);
# pragma unroll
        for (uint c = 0; c < B; ++c) {
            load_stages(of_col + c * S, v);
            add_entry(a + ENTRY(r, c), v, sum);
        }
    }
}

// room[r SUMS + q] = the sum of sum[q] over the lanes of row r
INLINE void add_lanes(double *sum, uint lane, local double *room,
                      local double *scratch)
{
# if defined(WAVE_HALVES) && LCL_WIDTH % B == 0
    uint held = SUMS, first = 0;
    bool mine = true;
#  pragma unroll
    for (uint mask = LCL_WIDTH / 2; mask >= B; mask /= 2) {
        const bool upper = (lane & mask) != 0;
        if (held % 2 == 0) {
            wave_halve(sum, held, mask, upper);
            held /= 2;
            first += upper ? held : 0;
        } else {
            for (uint q = 0; q < held; ++q)
                sum[q] += wave_xor(sum[q], mask);
            mine = mine && !upper;
        }
    }
    if (mine)
        for (uint q = 0; q < held; ++q)
            room[lane % B * SUMS + first + q] = sum[q];
# else
    for (uint q = 0; q < SUMS; ++q)
        sum[q] = stride_sum(sum[q], B, AT_ONCE, scratch);
    if (lane < B)
        for (uint q = 0; q < SUMS; ++q)
            room[lane * SUMS + q] = sum[q];
# endif
}

WORK_GROUP
kernel void one_pass(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val,
                     global const double *restrict coef,
                     global const double *restrict x, global double *restrict y,
                     int keep, global const int *stop, int at)
{
    local double scratch[LCL_GROUP], rooms[WAVES * B * SUMS];
    const uint lid = get_local_id(0), wave = lid / LCL_WIDTH;
    const uint lane = lid - wave * LCL_WIDTH, block = lane / B;
    const uint r = lane - block * B;
    local double *room = rooms + wave * (B * SUMS);
    double sum[SUMS];
    if (stop[at])
        return;
    for (long first = (long)get_group_id(0) * WAVES; first < n;
         first += (long)get_num_groups(0) * WAVES) {
        const long i = first + wave;
        const bool mine = i < n && block < AT_ONCE;
        block_row(mine ? row_ptr[i] + block : 0, mine ? row_ptr[i + 1] : 0, r,
                  col, val, x, sum);
        WAVE_BARRIER();
        add_lanes(sum, lane, room, scratch);
        WAVE_BARRIER();
        for (uint o = lane; o < RESULTS && i < n; o += LCL_WIDTH) {
            const uint row = o / S;
            const double result = combine(coef, o - row * S, room + row * SUMS);
            y[i * RESULTS + o] = keep ? y[i * RESULTS + o] + result : result;
        }
    }
}
#endif
