// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in CSR, the number of lanes per row adapted to its length; the
// four products as in spmv.cl.h.
//
// Launch: G groups, which share the tiles of a table. Tile (kind, first, count,
//     row):
//     kind <= 6:        `count` rows from place `first` on, 2^kind lanes each
//     LCL_TILE_WHOLE:   one row, at place `first`, all lanes of the group
//     LCL_TILE_SUMMED:  row `row`, whose product is the sum of `count` partial
//                       sums from `first` on, computed by a launch of
//                       adaptive_parts
//     Places are positions in the row lists; with MATRIX_ORDER, row numbers.
// Determinism: fixed order for a given G.
#include "adaptive.cl.h"
#include "spmv.cl.h"

#ifndef MATRIX_ORDER
# define MATRIX_ORDER 0 // 0: rows by lists; 1: as stored, except long rows
#endif

// Entries per lane whose loads are in flight at once.
#define AHEAD 4

struct matrix {
    global const index_t *start; // of place k; with MATRIX_ORDER row_ptr
    global const int *length;    // of place k
    global const int *number;    // row of place k
    global const int *col;
    global const double *val, *x;
};

struct row {
    index_t start;
    uint length;
    int number; // -1: skipped
};

// The row at place k. Rows longer than `longest` have their own tiles and are
// skipped with MATRIX_ORDER.
static inline struct row row_at(const struct matrix *A, int k, uint longest)
{
    struct row r;
    r.start = A->start[k];
#if MATRIX_ORDER
    const index_t length = A->start[k + 1] - r.start;
    r.length = length > longest ? 0 : (uint)length;
    r.number = length > longest ? -1 : k;
#else
    r.length = (uint)A->length[k];
    r.number = A->number[k];
#endif
    return r;
}

// The share of one lane in `length` entries from `start` on.
static inline double lane_dot(const struct matrix *A, index_t start,
                              uint length, uint lane, uint lanes)
{
    double sum = 0;
#if LCL_WIDTH == 1
    for (uint k = 0; k < length; ++k)
        sum += A->val[start + k] * A->x[A->col[start + k]];
#else
    for (uint k = lane; k < length; k += AHEAD * lanes) {
        double val[AHEAD], x[AHEAD];
        int col[AHEAD];
        for (uint u = 0; u < AHEAD; ++u) {
            const uint at = k + u * lanes < length ? k + u * lanes : k;
            col[u] = A->col[start + at];
            val[u] = A->val[start + at];
        }
        for (uint u = 0; u < AHEAD; ++u)
            x[u] = A->x[col[u]];
        for (uint u = 0; u < AHEAD; ++u)
            if (k + u * lanes < length)
                sum += val[u] * x[u];
    }
#endif
    return sum;
}

// ------------------------------------------------------------------- long rows

// partial[part.w] = the product of the entries part.y .. part.z - 1 of row
// part.x.
WORK_GROUP
kernel void adaptive_parts(int parts, global const int4 *restrict table,
                           global const index_t *restrict row_ptr,
                           global const int *restrict col,
                           global const double *restrict val,
                           global const double *restrict x,
                           global double *restrict partial,
                           global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const struct matrix A = {row_ptr, 0, 0, col, val, x};
    if (stop[at])
        return;
    for (int p = get_group_id(0); p < parts; p += get_num_groups(0)) {
        const int4 part = table[p];
        const double sum = group_sum(lane_dot(&A, row_ptr[part.x] + part.y,
                                              (uint)(part.z - part.y),
                                              get_local_id(0), LCL_GROUP),
                                     scratch);
        if (get_local_id(0) == 0)
            partial[part.w] = sum;
    }
}

// ------------------------------------------------------------------- rows

// This work-item's share of the partial sums of a row.
static inline double lane_sum(int4 tile, global const double *partial)
{
    double sum = 0;
    for (int k = (int)get_local_id(0); k < tile.z; k += LCL_GROUP)
        sum += partial[tile.y + k];
    return sum;
}

// All rows of a tile, as many at a time as there are lanes for.
INLINE void tile_rows(int mode, int4 tile, const struct matrix *A, uint longest,
                      global const double *partial, global const double *w,
                      global double *y, struct spmv_sums *s,
                      local double *scratch)
{
    const bool is_long = tile.x >= LCL_TILE_WHOLE;
    const uint lanes = is_long ? LCL_GROUP : 1u << tile.x;
    const uint lane = is_long ? get_local_id(0) : get_local_id(0) & (lanes - 1);
    const int slot = is_long ? 0 : (int)(get_local_id(0) >> tile.x);
    const int step = is_long ? tile.z : LCL_GROUP >> tile.x;
    for (int first = 0; first < tile.z; first += step) {
        struct row r = {0, 0, -1};
        if (tile.x == LCL_TILE_SUMMED)
            r.number = tile.w;
        else if (first + slot < tile.z)
            r = row_at(A, tile.y + first + slot, is_long ? UINT_MAX : longest);
        const double w_i =
            lane == 0 && r.number >= 0 ? spmv_operand(mode, w, r.number) : 0;
        double dot = tile.x == LCL_TILE_SUMMED
                         ? lane_sum(tile, partial)
                         : lane_dot(A, r.start, r.length, lane, lanes);
        dot = wave_sum_any(dot, min(lanes, (uint)LCL_WIDTH), scratch);
        if (is_long)
            dot = waves_sum(dot, scratch);
        if (lane == 0 && r.number >= 0)
            spmv_row(mode, r.number, dot, w_i, y, s);
    }
}

// The group's tiles: consecutive ones on a CPU, where each group has its own
// thread; otherwise strided.
#if LCL_WIDTH == 1
# define FIRST_TILE(tiles) ((long)(tiles)*get_group_id(0) / get_num_groups(0))
# define TILE_STEP         1
# define LAST_TILE(tiles)                                                      \
  ((long)(tiles) * (get_group_id(0) + 1) / get_num_groups(0))
#else
# define FIRST_TILE(tiles) get_group_id(0)
# define TILE_STEP         (int)get_num_groups(0)
# define LAST_TILE(tiles)  (tiles)
#endif

// One kernel for all products, which share most of the code. It prefetches the
// next tile while it processes the current one.
WORK_GROUP
kernel void adaptive(
    int mode, int tiles, global const int4 *restrict table, uint longest,
    global const index_t *restrict start, global const int *restrict length,
    global const int *restrict number, global const double *restrict partial,
    global const int *restrict col, global const double *restrict val,
    global const double *restrict x, global const double *restrict w,
    global double *restrict y, global double *restrict sums,
    global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const struct matrix A = {start, length, number, col, val, x};
    const int last = (int)LAST_TILE(tiles);
    struct spmv_sums s = {0, 0};
    int t = (int)FIRST_TILE(tiles);
    int4 next = t < last ? table[t] : (int4)(0);
    if (stop[at])
        return;
    while (t < last) {
        const int4 tile = next;
        t += TILE_STEP;
        next = t < last ? table[t] : (int4)(0);
        tile_rows(mode, tile, &A, longest, partial, w, y, &s, scratch);
    }
    spmv_finish_any(mode, s, sums, scratch);
}
