// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in CSR; the four products as in spmv.cl.h.
//
// Launch: G groups; LANES_PER_ROW lanes share a row and read its entries side
//         by side.
// Determinism: fixed order for a given G.
#include "spmv.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

// dot[q] = the lane's share of a row times vector q
INLINE void row_dot(index_t from, index_t to, uint lane, global const int *col,
                    global const double *val, global const double *x, long ldx,
                    double *dot)
{
    for (uint q = 0; q < VECTORS; ++q)
        dot[q] = 0;
    for (index_t k = from + lane; k < to; k += LANES_PER_ROW)
#pragma unroll
        for (uint q = 0; q < VECTORS; ++q)
            dot[q] += val[k] * x[q * ldx + col[k]];
}

#if !MANY
INLINE void multiply(int mode, long n, global const index_t *row_ptr,
                     global const int *col, global const double *val,
                     global const double *x, global const double *w,
                     global double *y, global double *sums,
                     local double *scratch)
{
    struct spmv_sums s = {0, 0};
    double dot;
# if LCL_WIDTH == 1
    for (RANGE(i, n)) {
        const double w_i = spmv_operand(mode, w, i);
        row_dot(row_ptr[i], row_ptr[i + 1], 0, col, val, x, 0, &dot);
        spmv_row(mode, i, dot, w_i, y, &s);
    }
# else
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint row = get_local_id(0) / LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * rows; first < n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + row;
        const double w_i = i < n ? spmv_operand(mode, w, i) : 0;
        dot = 0;
        if (i < n)
            row_dot(row_ptr[i], row_ptr[i + 1], lane, col, val, x, 0, &dot);
        dot = wave_sum(dot, LANES_PER_ROW, scratch);
        if (i < n && lane == 0)
            spmv_row(mode, i, dot, w_i, y, &s);
    }
# endif
    spmv_finish(mode, s, sums, scratch);
}

SPMV_ROWS_KERNEL(csr_plain, MODE_APPLY)
SPMV_ROWS_KERNEL(csr_dot, MODE_APPLY_DOT)
SPMV_ROWS_KERNEL(csr_dot_norm, MODE_APPLY_DOT_NORM)
SPMV_ROWS_KERNEL(csr_residual, MODE_RESIDUAL)
#else
WORK_GROUP
kernel void csr_many(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val,
                     global const double *restrict x, long ldx,
                     global double *restrict y, long ldy, long first)
{
    double dot[VECTORS];
    x += first * ldx;
    y += first * ldy;
# if LCL_WIDTH == 1
    for (RANGE(i, n)) {
        row_dot(row_ptr[i], row_ptr[i + 1], 0, col, val, x, ldx, dot);
        for (uint q = 0; q < VECTORS; ++q)
            y[q * ldy + i] = dot[q];
    }
# else
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (long at = (long)get_group_id(0) * rows; at < n;
         at += (long)get_num_groups(0) * rows) {
        const long i = at + get_local_id(0) / LANES_PER_ROW;
        row_dot(i < n ? row_ptr[i] : 0, i < n ? row_ptr[i + 1] : 0, lane, col,
                val, x, ldx, dot);
#  pragma unroll
        for (uint q = 0; q < VECTORS; ++q) {
            const double sum = wave_sum(dot[q], LANES_PER_ROW, scratch);
            if (i < n && lane == 0)
                y[q * ldy + i] = sum;
        }
    }
# endif
}
#endif
