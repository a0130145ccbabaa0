// SPDX-License-Identifier: BSD-3-Clause
// The diagonal blocks D_i = A (x) M_ii + tau B (x) L_ii of a Kronecker system
// with S stages and blocks of B rows:
//     form_blocks:  D_i transposed
//     apply_blocks: y_i = D_i^-1 x_i
//
// Data:   entry (r, c) of M_ii and of L_ii are pairs[(i B + r) B + c]. a_jl
//         is coef[l S + j], tau b_jl coef[(S + l) S + j]. Row r S + j of D_i is
//         row r of block row i in stage j, element (i B + r) by_row + j
//         by_stage of a vector. D_i has m = B S rows: entry (q, p) of D_i and
//         of its inverse is number (i m + p) m + q, so that neighbouring lanes
//         read neighbouring rows.
// Launch: any number of groups. form_blocks: one item per entry; apply_blocks:
//         one item per row, at width 1 one item per block.
// Bytes:  8 (4) per entry of D^-1, 16 per element of a vector.
// Determinism: fixed order.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows of M_ii
#endif
#ifndef LCL_VECTORS
# define LCL_VECTORS 1 // stages
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of blocks: 1 double, 2 float
#endif

#define B LCL_BLOCK
#define S LCL_VECTORS
#define M (B * S)

#if LCL_STORAGE == 2
typedef float real;
#else
typedef double real;
#endif

WORK_GROUP
kernel void form_blocks(long n, global const double2 *restrict pairs,
                        global const double *restrict coef,
                        global real *restrict blocks)
{
    for (RANGE(k, n * (M * M))) {
        const long i = k / (M * M);
        const uint e = (uint)(k - i * (M * M)), p = e / M, q = e - p * M;
        const uint c = p / S, l = p - c * S, r = q / S, j = q - r * S;
        const double2 of = pairs[(i * B + r) * B + c];
        blocks[k] =
            (real)(coef[l * S + j] * of.x + coef[(S + l) * S + j] * of.y);
    }
}

WORK_GROUP
kernel void apply_blocks(long n, global const real *restrict inverse,
                         long by_row, long by_stage,
                         global const double *restrict x,
                         global double *restrict y, global const int *stop,
                         int at)
{
    if (stop[at])
        return;
#if LCL_WIDTH == 1
    double sum[M];
    for (RANGE(i, n)) {
        global const real *column = inverse + i * (M * M);
        for (uint q = 0; q < M; ++q)
            sum[q] = 0;
        for (uint c = 0; c < B; ++c)
            for (uint l = 0; l < S; ++l, column += M) {
                const double v = x[(i * B + c) * by_row + l * by_stage];
                for (uint q = 0; q < M; ++q)
                    sum[q] += column[q] * v;
            }
        for (uint r = 0; r < B; ++r)
            for (uint j = 0; j < S; ++j)
                y[(i * B + r) * by_row + j * by_stage] = sum[r * S + j];
    }
#else
    for (RANGE(k, n * M)) {
        const long i = k / M;
        const uint q = (uint)(k - i * M), r = q / S, j = q - r * S;
        global const real *row = inverse + i * (M * M) + q;
        double sum = 0;
# pragma unroll
        for (uint c = 0; c < B; ++c) {
            global const double *from = x + (i * B + c) * by_row;
# pragma unroll
            for (uint l = 0; l < S; ++l)
                sum += row[(c * S + l) * M] * from[l * by_stage];
        }
        y[(i * B + r) * by_row + j * by_stage] = sum;
    }
#endif
}
