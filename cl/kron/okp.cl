// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x as published (Ma, Zhao, Le, Yuan, "A multi-GPU
// enabled solver in Kronecker product form for multiphysics problems"), with S
// consecutive stages of N rows; `term` 0 is A and M, 1 is tau B and L:
//
//     okp_combine:   t^(i) = sum over j of c_ij x^(j)        (Algorithm 2)
//     okp_multiply:  y^(i) = M t^(i), or y^(i) += with `keep` (Algorithm 3);
//                    M has n block rows and `columns` block columns
//     cu_axpy:       t^(i) += c_ij x^(j)                     (Algorithm 4)
//
// Layout: S = STAGES; x[i N + k], and t of okp_multiply with M's columns for N;
//         blocks are row-major; c_ij is coef[(term S + j) S + i].
// Launch: okp_combine, cu_axpy: any number of groups. okp_multiply: one wave
//         per block row, one lane per entry of as many blocks as fit, or of as
//         many columns as fit if a block has more entries than the wave lanes.
// Determinism: fixed order.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#ifndef STAGES
# define STAGES 1 // of okp_multiply and okp_combine
#endif

#define ENTRIES (LCL_BLOCK * LCL_BLOCK)
// columns that a wave processes at once
#define COLUMNS                                                                \
 (LCL_WIDTH >= ENTRIES ? LCL_WIDTH / ENTRIES * LCL_BLOCK                       \
                       : LCL_WIDTH / LCL_BLOCK)
// the largest power of two below COLUMNS (1 if there is none)
#define HALF                                                                   \
 (COLUMNS > 32   ? 32                                                          \
  : COLUMNS > 16 ? 16                                                          \
  : COLUMNS > 8  ? 8                                                           \
  : COLUMNS > 4  ? 4                                                           \
  : COLUMNS > 2  ? 2                                                           \
                 : 1)

WORK_GROUP
kernel void okp_combine(long rows, global const double *restrict coef, int term,
                        global const double *restrict x,
                        global double *restrict t, global const int *stop,
                        int at)
{
    if (stop[at])
        return;
    for (RANGE(k, rows)) {
        double sum[STAGES];
        for (uint i = 0; i < STAGES; ++i)
            sum[i] = 0;
        for (uint j = 0; j < STAGES; ++j) {
            const double x_j = x[j * rows + k];
            for (uint i = 0; i < STAGES; ++i)
                sum[i] += x_j * coef[(term * STAGES + j) * STAGES + i];
        }
        for (uint i = 0; i < STAGES; ++i)
            t[i * rows + k] = sum[i];
    }
}

// t^(i) += c_ij x^(j), for `stages` stages.
WORK_GROUP
kernel void cu_axpy(long rows, int stages, global const double *restrict coef,
                    int term, int i, int j, global const double *restrict x,
                    global double *restrict t, global const int *stop, int at)
{
    if (stop[at])
        return;
    const double c = coef[(term * stages + j) * stages + i];
    x += j * rows;
    t += i * rows;
    for (RANGE(k, rows))
        t[k] += c * x[k];
}

#if LCL_WIDTH > 1
# define WAVES (LCL_GROUP / LCL_WIDTH)

// sums[i LCL_GROUP] += the lane's share of its row of block row g, stage i of t
// with `rows` rows each
static inline void add_row(index_t from, index_t to, uint lane, long rows,
                           global const int *col, global const double *val,
                           global const double *t, local double *sums)
{
    const uint column = lane / LCL_BLOCK, r = lane - column * LCL_BLOCK;
    const ulong end = (ulong)(to - from) * LCL_BLOCK;
    for (ulong g = column; g < end && column < COLUMNS; g += COLUMNS) {
        const ulong block = g / LCL_BLOCK;
        const uint c = (uint)(g - block * LCL_BLOCK);
        const index_t k = from + (index_t)block;
        const double a = val[(ulong)k * ENTRIES + r * LCL_BLOCK + c];
        for (uint i = 0; i < STAGES; ++i)
            sums[i * LCL_GROUP] +=
                a * t[i * rows + (long)col[k] * LCL_BLOCK + c];
    }
}

// Tree reduction: lanes below B get the sums over all lanes of their row.
INLINE void add_lanes(uint lane, local double *sums)
{
# pragma unroll
    for (uint half_count = HALF; half_count > 0; half_count /= 2) {
        const uint from = lane + half_count * LCL_BLOCK;
        WAVE_BARRIER();
        if (lane < half_count * LCL_BLOCK && from < COLUMNS * LCL_BLOCK)
            for (uint i = 0; i < STAGES; ++i)
                sums[i * LCL_GROUP] +=
                    sums[i * LCL_GROUP + half_count * LCL_BLOCK];
    }
}
#endif

WORK_GROUP
kernel void okp_multiply(long n, global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global const double *restrict val, long columns,
                         int first, global const double *restrict t,
                         global double *restrict y, int keep,
                         global const int *stop, int at)
{
#if LCL_WIDTH == 1
    double sum[STAGES * LCL_BLOCK];
#else
    local double room[STAGES * LCL_GROUP];
    const uint lid = get_local_id(0), wave = lid / LCL_WIDTH;
    const uint lane = lid - wave * LCL_WIDTH;
    local double *sums = room + lid;
#endif
    if (stop[at])
        return;
    t += first * columns * LCL_BLOCK;
    y += first * n * LCL_BLOCK;
#if LCL_WIDTH == 1
    for (RANGE(g, n)) {
        for (uint q = 0; q < STAGES * LCL_BLOCK; ++q)
            sum[q] = 0;
        for (index_t k = row_ptr[g]; k < row_ptr[g + 1]; ++k)
            for (uint e = 0; e < ENTRIES; ++e) {
                const uint r = e / LCL_BLOCK, c = e - r * LCL_BLOCK;
                const double a = val[(ulong)k * ENTRIES + e];
                for (uint i = 0; i < STAGES; ++i)
                    sum[i * LCL_BLOCK + r] +=
                        a * t[(i * columns + col[k]) * LCL_BLOCK + c];
            }
        for (uint i = 0; i < STAGES; ++i)
            for (uint r = 0; r < LCL_BLOCK; ++r) {
                const long o = (i * n + g) * LCL_BLOCK + r;
                y[o] = (keep ? y[o] : 0) + sum[i * LCL_BLOCK + r];
            }
    }
#else
    for (long at_row = (long)get_group_id(0) * WAVES; at_row < n;
         at_row += (long)get_num_groups(0) * WAVES) {
        const long g = at_row + wave;
        WAVE_BARRIER();
        for (uint i = 0; i < STAGES; ++i)
            sums[i * LCL_GROUP] = 0;
        if (g < n)
            add_row(row_ptr[g], row_ptr[g + 1], lane, columns * LCL_BLOCK, col,
                    val, t, sums);
        add_lanes(lane, sums);
        if (g < n && lane < LCL_BLOCK)
            for (uint i = 0; i < STAGES; ++i) {
                const long o = (i * n + g) * LCL_BLOCK + lane;
                y[o] = (keep ? y[o] : 0) + sums[i * LCL_GROUP];
            }
    }
#endif
}
