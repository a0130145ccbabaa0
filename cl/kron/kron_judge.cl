// SPDX-License-Identifier: BSD-3-Clause
// judge.cl for a Kronecker system, S stages: for each block row i, or for
// i = row[at] of listed ones,
//     P_j = sum over k of M_ik x_kj,   Q_j the same with L,   j < S
//     r_ij = b_ij - sum over l of a_jl P_l + tau b_jl Q_l
// away from zero by the bound on its error, and |r_ij| over the sum of the
// absolute values of all terms. In listed rows block column k >= n is ghost
// k - n.
//
// Layout: as in kron_halo.cl; b and r as x. Entry e of the blocks of M is
//         m[stride e] and of L l[stride e], each with its row pointers and
//         columns.
// Launch: any number of groups; a work-item has a row of a block.
// Determinism: fixed order; rows are never split.
#include "index.cl.h"
#include "judge.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef STAGES
# define STAGES 1
#endif
#ifndef LISTED
# define LISTED 0 // 1: listed block rows, with ghosts
#endif

struct term {
    global const index_t *row_ptr;
    global const int *col;
    global const double *val;
    long stride;
};

// Elements (i, j) of a vector of blocks: v[i by_row + j by_stage].
struct layout {
    global const double *v;
    long by_row, by_stage;
};

// Row q of block row `at` of a matrix times stage j, with opposite sign.
INLINE struct long_sum row_times(struct term t, long at, uint q, uint j, long n,
                                 struct layout own, struct layout far)
{
    struct long_sum sum = long_sum_zero();
    for (ulong k = t.row_ptr[at]; k < t.row_ptr[at + 1]; ++k) {
        const long c = t.col[k];
        const bool is_far = LISTED && c >= n;
        const struct layout in = is_far ? far : own;
        const long i = (is_far ? c - n : c) * LCL_BLOCK;
        for (uint e = 0; e < LCL_BLOCK; ++e) {
            const ulong entry = (k * LCL_BLOCK + q) * LCL_BLOCK + e;
            long_sum_product(&sum, -t.val[entry * t.stride],
                             in.v[(i + e) * in.by_row + j * in.by_stage]);
        }
    }
    return sum;
}

// Adds the terms of stage l of x to row q of all stages.
INLINE void add_stage(struct long_sum *sum, struct long_sum of_m,
                      struct long_sum of_l, uint l, global const double *coef)
{
    for (uint j = 0; j < STAGES; ++j) {
        long_sum_times(&sum[j], coef[l * STAGES + j], of_m);
        long_sum_times(&sum[j], coef[(STAGES + l) * STAGES + j], of_l);
    }
}

WORK_GROUP
kernel void kron_judge(
    long rows, global const int *restrict row,
    global const index_t *restrict m_ptr, global const int *restrict m_col,
    global const double *restrict m, global const index_t *restrict l_ptr,
    global const int *restrict l_col, global const double *restrict l,
    long l_first, long stride, global const double *restrict coef, long n,
    long by_row, long by_stage, global const double *restrict x,
    long ghost_by_row, long ghost_by_stage, global const double *restrict ghost,
    global const double *restrict b, global double *restrict r,
    global double *restrict backward)
{
    const struct term of_m = {m_ptr, m_col, m, stride};
    const struct term of_l = {l_ptr, l_col, l + l_first, stride};
    const struct layout own = {x, by_row, by_stage};
    const struct layout far = {ghost, ghost_by_row, ghost_by_stage};
    for (RANGE(t, rows * LCL_BLOCK)) {
        const long at = t / LCL_BLOCK;
        const uint q = (uint)(t - at * LCL_BLOCK);
        const long i = (LISTED ? row[at] : at) * LCL_BLOCK + q;
        const double entries =
            (double)(m_ptr[at + 1] - m_ptr[at] + l_ptr[at + 1] - l_ptr[at]);
        struct long_sum sum[STAGES];
        for (uint j = 0; j < STAGES; ++j)
            sum[j] = long_sum_zero();
        for (uint s = 0; s < STAGES; ++s)
            add_stage(sum, row_times(of_m, at, q, s, n, own, far),
                      row_times(of_l, at, q, s, n, own, far), s, coef);
        for (uint j = 0; j < STAGES; ++j) {
            const long place = i * by_row + j * by_stage;
            judge_store(sum[j], b[place], entries * LCL_BLOCK + 4 * STAGES,
                        place, r, backward);
        }
    }
}
