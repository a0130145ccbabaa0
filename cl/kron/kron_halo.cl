// SPDX-License-Identifier: BSD-3-Clause
// The block rows of y = (A (x) M + tau B (x) L) x that have entries in columns
// of other ranks, after the product with the columns of the own rank; S stages.
// For listed block row r, with i = row[r], and the blocks k from ptr[r] to
// ptr[r+1]-1 of the list:
//     P_j = sum over k of M_k x_kj,   Q_j the same with L,   j < S
//     y_ij = sum over l of a_jl P_l + tau b_jl Q_l
// where x_k is block col[k] < n of x, or block col[k] - n of the ghosts.
//
// Layout: B = LCL_BLOCK, S = STAGES. Stage j of element c of block i is
//         x[(i B + c) by_row + j by_stage], in y too, and
//         ghost[(g B + c) ghost_by_row + j ghost_by_stage] of ghost g. Values
//         and coefficients as in one_pass.cl with both terms.
// Launch: any number of groups; LANES_PER_ROW lanes share a row of a block.
// Determinism: fixed order; rows are never split.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef STAGES
# define STAGES 1
#endif
#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

// Elements (i, j) of a vector of blocks: v[i by_row + j by_stage].
struct layout {
    global const double *v;
    long by_row, by_stage;
};

// sum[j], sum[S + j] = the lane's shares of P_j and Q_j for row q of the blocks
// from `from` on; `columns` of them.
static inline void row_share(uint from, uint columns, uint q, uint lane, long n,
                             global const int *col, global const double2 *val,
                             struct layout own, struct layout ghost,
                             double *sum)
{
    for (DOWNWARDS(j, 2 * STAGES))
        sum[j] = 0;
    uint e = lane;
    uint left = columns > lane ? (columns - lane - 1) / LANES_PER_ROW + 1 : 0;
    for (; left > 0; --left, e += LANES_PER_ROW) {
        const uint block = e / LCL_BLOCK, c = e - block * LCL_BLOCK;
        const long k = (long)from + block, j = col[k];
        const struct layout in = j < n ? own : ghost;
        const long i = (j < n ? j : j - n) * LCL_BLOCK + c;
        const double2 a = val[(k * LCL_BLOCK + q) * LCL_BLOCK + c];
        for (DOWNWARDS(l, STAGES)) {
            const double x = in.v[i * in.by_row + l * in.by_stage];
            sum[l] += a.x * x;
            sum[STAGES + l] += a.y * x;
        }
    }
}

// The contribution of the lane's sums to stage j.
static inline double combine(global const double *coef, uint j,
                             const double *sum)
{
    double result = 0;
    for (DOWNWARDS(k, 2 * STAGES))
        result += coef[k * STAGES + j] * sum[k];
    return result;
}

WORK_GROUP
kernel void kron_halo(long rows, global const int *restrict row,
                      global const uint *restrict ptr,
                      global const int *restrict col,
                      global const double2 *restrict val,
                      global const double *restrict coef, long n, long by_row,
                      long by_stage, global const double *restrict x,
                      long ghost_by_row, long ghost_by_stage,
                      global const double *restrict ghost,
                      global double *restrict y, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const long teams = LCL_GROUP / LANES_PER_ROW, all = rows * LCL_BLOCK;
    const struct layout own = {x, by_row, by_stage};
    const struct layout far = {ghost, ghost_by_row, ghost_by_stage};
    if (stop[at])
        return;
    for (long first = get_group_id(0) * teams; first < all;
         first += get_num_groups(0) * teams) {
        const long mine = first + get_local_id(0) / LANES_PER_ROW;
        const long t = min(mine, all - 1), r = t / LCL_BLOCK;
        const uint q = (uint)(t - r * LCL_BLOCK);
        const uint from = ptr[r], blocks = ptr[r + 1] - from;
        double sum[2 * STAGES];
        row_share(from, blocks * LCL_BLOCK, q, lane, n, col, val, own, far,
                  sum);
        global double *y_i = y + ((long)row[r] * LCL_BLOCK + q) * by_row;
        for (DOWNWARDS(j, STAGES)) {
            const double result =
                wave_sum(combine(coef, j, sum), LANES_PER_ROW, scratch);
            if (mine < all && lane == 0)
                y_i[j * by_stage] = result;
        }
    }
}
