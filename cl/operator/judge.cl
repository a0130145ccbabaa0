// SPDX-License-Identifier: BSD-3-Clause
// The residual of a verdict, in three times the working precision: for each row
// i, or for i = row[at] of listed ones,
//     r_i = b_i - sum_j a_ij x_j, away from zero by the bound on its error
//     backward_i = |r_i| / (sum_j |a_ij x_j| + |b_i|), or 0 for 0 / 0
// x and b have `columns` interleaved columns, of which q is meant. In listed
// rows column j >= n is ghost[j - n].
//
// Launch: any number of groups; LANES_PER_ROW lanes share a row.
// Layout: that of csr.cl and, for LCL_BLOCK > 1, of bsr.cl.
// Determinism: fixed order; rows are never split.
#include "index.cl.h"
#include "judge.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif
#ifndef LISTED
# define LISTED 0 // 1: listed rows without blocks, with ghosts
#endif

struct operand {
    global const double *x, *ghost;
    long n;
    int columns, q;
};

INLINE double element(struct operand v, long j)
{
#if LISTED
    if (j >= v.n)
        return v.ghost[j - v.n];
#endif
    return v.x[j * v.columns + v.q];
}

// The lane's share of the entries of row s of the blocks from .. to-1, with
// opposite sign.
INLINE struct long_sum row_share(ulong from, ulong to, uint s, uint lane,
                                 global const int *col,
                                 global const double *val, struct operand v)
{
    struct long_sum sum = long_sum_zero();
    for (ulong t = from * LCL_BLOCK + lane; t < to * LCL_BLOCK;
         t += LANES_PER_ROW) {
        const ulong k = t / LCL_BLOCK;
        const uint c = (uint)(t - k * LCL_BLOCK);
        const double a = val[(k * LCL_BLOCK + s) * LCL_BLOCK + c];
        long_sum_product(&sum, -a, element(v, (long)col[k] * LCL_BLOCK + c));
    }
    return sum;
}

WORK_GROUP
kernel void judge(long rows, global const int *restrict row,
                  global const index_t *restrict row_ptr,
                  global const int *restrict col,
                  global const double *restrict val, long n,
                  global const double *restrict x,
                  global const double *restrict ghost, int columns, int q,
                  global const double *restrict b, global double *restrict r,
                  global double *restrict backward)
{
    local struct long_sum room[LCL_GROUP];
    const struct operand v = {x, ghost, n, columns, q};
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint team = get_local_id(0) / LANES_PER_ROW;
    for (GROUP_RANGE(first, rows, LCL_GROUP / LANES_PER_ROW)) {
        const long at = first + team;
        const ulong from = at < rows ? row_ptr[at] : 0;
        const ulong to = at < rows ? row_ptr[at + 1] : 0;
        for (DOWNWARDS(s, LCL_BLOCK)) {
            const struct long_sum sum = long_sum_total(
                row_share(from, to, s, lane, col, val, v), LANES_PER_ROW, room);
            if (lane != 0 || at >= rows)
                continue;
            const long i = LISTED ? row[at] : at * LCL_BLOCK + s;
            const ulong terms = (to - from) * LCL_BLOCK + LANES_PER_ROW;
            judge_store(sum, b[i * columns + q], (double)terms, i, r, backward);
        }
    }
}
