// SPDX-License-Identifier: BSD-3-Clause
// The diagonal blocks D_i = A (x) M_ii + tau B (x) L_ii of a Kronecker system
// with S = STAGES stages and blocks of B = LCL_BLOCK rows:
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
#ifndef STAGES
# define STAGES 1
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of blocks: 1 double, 2 float
#endif

#define D_ROWS (LCL_BLOCK * STAGES)

#if LCL_STORAGE == 2
typedef float stored;
#else
typedef double stored;
#endif

WORK_GROUP
kernel void form_blocks(long n, global const double2 *restrict pairs,
                        global const double *restrict coef,
                        global stored *restrict blocks)
{
    for (RANGE(k, n * (D_ROWS * D_ROWS))) {
        const long i = k / (D_ROWS * D_ROWS);
        const uint e = (uint)(k - i * (D_ROWS * D_ROWS));
        const uint p = e / D_ROWS, q = e - p * D_ROWS;
        const uint c = p / STAGES, l = p - c * STAGES;
        const uint r = q / STAGES, j = q - r * STAGES;
        const double2 of = pairs[(i * LCL_BLOCK + r) * LCL_BLOCK + c];
        blocks[k] = (stored)(coef[l * STAGES + j] * of.x +
                             coef[(STAGES + l) * STAGES + j] * of.y);
    }
}

WORK_GROUP
kernel void apply_blocks(long n, global const stored *restrict inverse,
                         long by_row, long by_stage,
                         global const double *restrict x,
                         global double *restrict y, global const int *stop,
                         int at)
{
    if (stop[at])
        return;
#if LCL_WIDTH == 1
    double sum[D_ROWS];
    for (RANGE(i, n)) {
        global const stored *column = inverse + i * (D_ROWS * D_ROWS);
        for (uint q = 0; q < D_ROWS; ++q)
            sum[q] = 0;
        for (uint c = 0; c < LCL_BLOCK; ++c)
            for (uint l = 0; l < STAGES; ++l, column += D_ROWS) {
                const double v = x[(i * LCL_BLOCK + c) * by_row + l * by_stage];
                for (uint q = 0; q < D_ROWS; ++q)
                    sum[q] += column[q] * v;
            }
        for (uint r = 0; r < LCL_BLOCK; ++r)
            for (uint j = 0; j < STAGES; ++j)
                y[(i * LCL_BLOCK + r) * by_row + j * by_stage] =
                    sum[r * STAGES + j];
    }
#else
    for (RANGE(k, n * D_ROWS)) {
        const long i = k / D_ROWS;
        const uint q = (uint)(k - i * D_ROWS);
        const uint r = q / STAGES, j = q - r * STAGES;
        global const stored *row = inverse + i * (D_ROWS * D_ROWS) + q;
        double sum = 0;
# pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c) {
            global const double *from = x + (i * LCL_BLOCK + c) * by_row;
# pragma unroll
            for (uint l = 0; l < STAGES; ++l)
                sum += row[(c * STAGES + l) * D_ROWS] * from[l * by_stage];
        }
        y[(i * LCL_BLOCK + r) * by_row + j * by_stage] = sum;
    }
#endif
}
