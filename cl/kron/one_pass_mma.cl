// SPDX-License-Identifier: BSD-3-Clause
// one_pass.cl for blocks of up to 4 rows with the fp64 matrix instruction of
// NVIDIA (compute capability 8.0 or higher), C += A B with A of 8 x 4, B of
// 4 x 8: rows 0 to 3 of A are a block of M, rows 4 to 7 the same block of L,
// and the columns of B are stages. One lane reads each value and each x once;
// the rows of C are the sums P and Q of a block row, without lane exchange.
//
// Layout, bytes: as in one_pass.cl without ONE_TERM; `term` is 0.
// Launch: any number of groups; one block row per wave at a time.
// Determinism: fixed order.
#ifndef LCL_WIDTH
# define LCL_WIDTH 32
# define LCL_EXCHANGE_NV_PTX
#endif
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 4 // rows and columns of a block, at most 4
#endif
#ifndef STAGES
# define STAGES 1
#endif

#define ENTRIES (LCL_BLOCK * LCL_BLOCK)
#define TILES   ((STAGES + 7) / 8) // tiles of 8 stages
#define AHEAD   2 // blocks multiplied per step, while as many more are loaded
#define WAVES   (LCL_GROUP / LCL_WIDTH)

// sums of a row: 8 TILES of P, then of Q; + 2: rows start in different banks
#define ROOM_ROW  (16 * TILES + 2)
#define RESULTS   (LCL_BLOCK * STAGES)
#define OWN       ((RESULTS + LCL_WIDTH - 1) / LCL_WIDTH) // results per lane
#define ONE_STAGE (LCL_WIDTH % STAGES == 0 || OWN == 1)   // one stage per lane

// c[0], c[1] = entries (lane / 4, 2 (lane % 4)) and the next one of C; a is
// entry (lane / 4, lane % 4) of A, b entry (lane % 4, lane / 4) of B.
static inline void multiply_add(double *c, double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                 "{%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

// Position of a lane: entry (r, k) of matrix t in A, unknown k of stage j in B.
struct place {
    uint t, r, k, j;
};

static inline struct place place_of(uint lane)
{
    struct place p;
    p.j = lane / 4;
    p.k = lane % 4;
    p.t = p.j / 4;
    p.r = p.j % 4;
    return p;
}

// Loads the operands of AHEAD blocks from block k on; `blocks` <= LCL_WIDTH
// blocks exist, one column per lane. Operands beyond them are 0.
static inline void load_operands(uint k, uint blocks, uint column,
                                 struct place p, global const double *val,
                                 global const double *x, double *a, double *b)
{
    const bool in_a = p.r < LCL_BLOCK && p.k < LCL_BLOCK;
#pragma unroll
    for (uint h = 0; h < AHEAD; ++h) {
        const bool has = k + h < blocks;
        const long of_col = (long)wave_from_uint(column, (k + h) % LCL_WIDTH) *
                            (LCL_BLOCK * STAGES);
        a[h] = has && in_a ? val[(ulong)(k + h) * (2 * ENTRIES)] : 0;
#pragma unroll
        for (uint q = 0; q < TILES; ++q)
            b[h * TILES + q] = has && p.k < LCL_BLOCK && 8 * q + p.j < STAGES
                                   ? x[of_col + 8 * q]
                                   : 0;
    }
}

// c[2 q], c[2 q + 1] += tile q of the sums over those blocks
static inline void add_blocks(uint blocks, uint column, struct place p,
                              global const double *val, global const double *x,
                              double *c)
{
    double a[AHEAD], b[AHEAD * TILES];
    load_operands(0, blocks, column, p, val, x, a, b);
    for (uint k = 0; k < blocks; k += AHEAD) {
        double next_a[AHEAD], next_b[AHEAD * TILES];
        load_operands(k + AHEAD, blocks, column, p, val, x, next_a, next_b);
#pragma unroll
        for (uint h = 0; h < AHEAD; ++h)
#pragma unroll
            for (uint q = 0; q < TILES; ++q)
                multiply_add(c + 2 * q, a[h], b[h * TILES + q]);
#pragma unroll
        for (uint h = 0; h < AHEAD; ++h)
            a[h] = next_a[h];
#pragma unroll
        for (uint h = 0; h < AHEAD * TILES; ++h)
            b[h] = next_b[h];
    }
}

// Loads the columns of the first blocks of a row, one per lane.
static inline uint load_columns(index_t from, index_t to, uint lane,
                                global const int *col)
{
    return from + lane < to ? (uint)col[from + lane] : 0;
}

// Coefficient k for stage j, numbered like the sums of a row; 0 for padding
// stages.
static inline double coefficient(global const double *coef, uint k, uint j)
{
    const uint t = k / (8 * TILES), l = k - t * (8 * TILES);
    return l < STAGES ? coef[(t * STAGES + l) * STAGES + j] : 0;
}

WORK_GROUP
kernel void one_pass_mma(long n, global const index_t *restrict row_ptr,
                         global const int *restrict col,
                         global const double *restrict val,
                         global const double *restrict coef,
                         global const double *restrict x,
                         global double *restrict y, int term,
                         global const int *stop, int at)
{
    local double rooms[WAVES * 4 * ROOM_ROW];
    const uint lid = get_local_id(0), wave = lid / LCL_WIDTH;
    const uint lane = lid - wave * LCL_WIDTH;
    const struct place p = place_of(lane);
    local double *room = rooms + wave * (4 * ROOM_ROW);
    local double *mine = room + p.r * ROOM_ROW + p.t * (8 * TILES) + 2 * p.k;
    double c[2 * TILES], own[16 * TILES];
    if (stop[at])
        return;
#pragma unroll
    for (uint k = 0; k < 16 * TILES; ++k)
        own[k] = coefficient(coef, k, lane - lane / STAGES * STAGES);
    val += (p.r * LCL_BLOCK + p.k) * 2 + p.t;
    x += p.k * STAGES + p.j;
    long i = (long)get_group_id(0) * WAVES + wave;
    index_t from = i < n ? row_ptr[i] : 0, to = i < n ? row_ptr[i + 1] : 0;
    uint column = load_columns(from, to, lane, col);
    while (i < n) {
        const long next = i + (long)get_num_groups(0) * WAVES;
        const index_t next_from = next < n ? row_ptr[next] : 0;
        const index_t next_to = next < n ? row_ptr[next + 1] : 0;
        for (uint q = 0; q < 2 * TILES; ++q)
            c[q] = 0;
        while (from < to) {
            const uint blocks = min((uint)(to - from), (uint)LCL_WIDTH);
            add_blocks(blocks, column, p, val + (ulong)from * (2 * ENTRIES), x,
                       c);
            from += blocks;
            if (from < to)
                column = load_columns(from, to, lane, col);
        }
        from = next_from;
        to = next_to;
        column = load_columns(from, to, lane, col);
        WAVE_BARRIER();
#pragma unroll
        for (uint q = 0; q < TILES; ++q) {
            mine[8 * q] = c[2 * q];
            mine[8 * q + 1] = c[2 * q + 1];
        }
        WAVE_BARRIER();
        for (uint o = lane; o < RESULTS; o += LCL_WIDTH) {
            const uint row = o / STAGES, j = o - row * STAGES;
            double result = 0;
#pragma unroll
            for (uint k = 0; k < 16 * TILES; ++k)
                result += (ONE_STAGE ? own[k] : coefficient(coef, k, j)) *
                          room[row * ROOM_ROW + k];
            y[i * RESULTS + o] = result;
        }
        i = next;
    }
}
