// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix of up to a few thousand rows, a program of two parts: products
// (gemv.cl.h), and the inverse.
//
//     dense_scale:   scale[j] = max_i |a_ij|
//     dense_tile, dense_panels, dense_update: replace A by A^-1 by Gauss-Jordan
//                    elimination with tiles as pivots. First P = A_00^-1, then
//                    two launches per k:
//                        C_i = A_ik,  A_kj = P A_kj,  A_ik = -C_i P,  A_kk = P
//                        A_ij = A_ij - C_i A_kj            (i, j other than k),
//                        P = A_k+1,k+1^-1                  (look-ahead)
//
// Data:   n rows and columns, row-major, in an array padded to an even number
//         of tiles; padding entries are zero initially and treated as those of
//         the identity. Each C_i is stored transposed.
// Pivots: row exchanges stay inside a tile. A column of a tile whose candidates
//         are all at most tol * scale has no pivot: its unknown is pinned, and
//         so is one equation of the tile: row and column of the inverse are 0.
// Launch: dense_tile one group; dense_panels two groups per row of tiles;
//         dense_update one group per region; dense_scale any number of groups.
// Determinism: bitwise, for any number of groups.
#include "gemv.cl.h"
#include "wave.cl.h"

#ifndef TILE
# define TILE 32 // rows of a tile, at most 32
#endif
#define AREA (TILE * TILE)

// The diagonal entry is the pivot if it is at least this fraction of the
// largest entry: diagonal pivots keep symmetric matrices symmetric.
#define PREFER_DIAGONAL 0.01

#define NONE -1

// Columns of a group, which its items read in strips of rows.
#define STRIP (LCL_GROUP < 8 ? LCL_GROUP : 8)

WORK_GROUP
kernel void dense_scale(long n, long stride, global const double *A,
                        global double *scale)
{
    local double largest[LCL_GROUP];
    const uint lid = get_local_id(0);
    for (long first = (long)get_group_id(0) * STRIP; first < stride;
         first += (long)get_num_groups(0) * STRIP) {
        const long j = min(first + lid % STRIP, stride - 1);
        double own = 0;
        for (long i = lid / STRIP; i < n; i += LCL_GROUP / STRIP)
            own = fmax(own, fabs(A[i * stride + j]));
        largest[lid] = own;
        GROUP_BARRIER();
        if (lid < STRIP && first + lid < stride) {
            for (uint t = lid; t < LCL_GROUP; t += STRIP)
                own = fmax(own, largest[t]);
            scale[j] = j < n ? own : 1.0;
        }
        GROUP_BARRIER();
    }
}

// ---------------------------------------------------------------- inverse

static inline double entry(global const double *A, long n, long stride, long i,
                           long j)
{
    return i < n && j < n ? A[i * stride + j] : i == j ? 1.0 : 0.0;
}

// Orders entries by magnitude, up to a factor 1 + 2^-14, then by row.
static inline uint key_of(double entry, uint row)
{
    return ((uint)(as_ulong(fabs(entry)) >> 32) & ~63u) | (TILE - row);
}

// The pivot row of column c, one of the unused rows; NONE: no pivot.
INLINE int pivot_row(local const double *column, uint c, uint used,
                     double limit, local double *scratch)
{
    uint key = 0;
    for (uint i = get_local_id(0) % LCL_WIDTH; i < TILE; i += LCL_WIDTH)
        key = max(key, used >> i & 1 ? 0 : key_of(column[i], i));
    key = wave_largest(key, LCL_WIDTH, scratch);
    if (key == 0)
        return NONE;
    const uint row = TILE - key % 64;
    const double largest = fabs(column[row]);
    const double diagonal = fabs(column[c]);
    if (!(used >> c & 1) && diagonal > limit &&
        diagonal >= PREFER_DIAGONAL * largest)
        return c;
    return largest > limit ? (int)row : NONE;
}

// Rounds of a group over `count` elements: a constant, so that compilers can
// unroll.
#define ROUNDS(count) (((count) + LCL_GROUP - 1) / LCL_GROUP)

// Loops over the elements of an item: on CPUs they are long, and compilers take
// minutes to unroll them.
#if ROUNDS(AREA) <= 8
# define UNROLL _Pragma("unroll")
#else
# define UNROLL
#endif

// Loops over the rows of a tile: unrolled further, they run out of registers.
#define FEW_AT_ONCE _Pragma("unroll 4")

// The element of a work-item in round s. Items beyond the last repeat it: PoCL
// 6 takes some conditions on lanes for the same on all of them.
#define ELEMENT(s, count)                                                      \
 min((uint)get_local_id(0) + (s)*LCL_GROUP, (uint)(count)-1)

// Eliminates column c with row r: the column then holds the transformed column
// of the identity. Without a pivot, nothing changes. `next` receives column
// c + 1.
INLINE void eliminate(double own[ROUNDS(AREA)], int r, uint c,
                      local const double *row, local const double *column,
                      local double *next)
{
    const double inverse = r == NONE ? 0.0 : 1.0 / column[r];
    UNROLL
    for (DOWNWARDS(s, ROUNDS(AREA))) {
        const uint t = ELEMENT(s, AREA), i = t / TILE, j = t % TILE;
        const double before = j == c ? 0.0 : own[s];
        const double pivot = (j == c ? 1.0 : row[j]) * inverse;
        if (r != NONE)
            own[s] = (int)i == r ? pivot : before - column[i] * pivot;
        if (j == c + 1)
            next[i] = own[s];
    }
}

// P = A_kk^-1; pinned[k] = number of pinned unknowns of the tile. The items
// keep their elements of the tile; `room` has space for a tile and three rows.
INLINE void invert_tile(long n, long stride, long k, double tol,
                        global const double *A, global const double *scale,
                        global double *P, global int *pinned,
                        local double *room, local int *row_of,
                        local int *col_of, local double *scratch)
{
    const uint lid = get_local_id(0);
    const long first = k * TILE;
    local double *row = room + AREA, *columns = row + TILE;
    double own[ROUNDS(AREA)];
    UNROLL
    for (DOWNWARDS(s, ROUNDS(AREA))) {
        const uint t = ELEMENT(s, AREA), i = t / TILE, j = t % TILE;
        own[s] = entry(A, n, stride, first + i, first + j);
        col_of[j] = NONE;
        if (j == 0)
            columns[i] = own[s];
    }
    GROUP_BARRIER();
    uint used = 0;
    for (DOWNWARDS(left, TILE)) {
        const uint c = TILE - 1 - left;
        local const double *column = columns + c % 2 * TILE;
        const int r =
            pivot_row(column, c, used, tol * scale[first + c], scratch);
        UNROLL
        for (DOWNWARDS(s, ROUNDS(AREA))) {
            const uint t = ELEMENT(s, AREA);
            if ((int)(t / TILE) == max(r, 0))
                row[t % TILE] = own[s];
        }
        if (lid == 0)
            row_of[c] = r;
        if (lid == 0 && r != NONE)
            col_of[r] = c;
        if (r != NONE)
            used |= 1u << r;
        GROUP_BARRIER();
        eliminate(own, r, c, row, column, columns + (c + 1) % 2 * TILE);
        GROUP_BARRIER();
    }
    UNROLL
    for (DOWNWARDS(s, ROUNDS(AREA)))
        room[ELEMENT(s, AREA)] = own[s];
    GROUP_BARRIER();
    for (DOWNWARDS(s, ROUNDS(AREA))) {
        const uint t = ELEMENT(s, AREA);
        const int i = row_of[t / TILE], j = col_of[t % TILE];
        const double entry = room[max(i, 0) * TILE + max(j, 0)];
        P[t] = min(i, j) == NONE ? 0.0 : entry;
    }
    if (lid == 0)
        pinned[k] = TILE - popcount(used);
}

WORK_GROUP
kernel void dense_tile(long n, long stride, long k, double tol,
                       global const double *A, global const double *scale,
                       global double *P, global int *pinned)
{
    local double room[AREA + 3 * TILE];
    local int row_of[TILE], col_of[TILE];
    local double scratch[LCL_GROUP];
    invert_tile(n, stride, k, tol, A, scale, P, pinned, room, row_of, col_of,
                scratch);
}

static inline double dot_tiles(local const double *left,
                               local const double *right, uint t)
{
    const uint i = t / TILE, j = t % TILE;
    double sum = 0;
    for (DOWNWARDS(l, TILE))
        sum += left[i * TILE + l] * right[l * TILE + j];
    return sum;
}

// Updates row k and column k of tiles: the first half of the groups has the
// tiles of the row, the second half those of the column.
WORK_GROUP
kernel void dense_panels(long stride, long k, global const double *P,
                         global double *A, global double *C)
{
    local double left[AREA], right[AREA];
    const uint lid = get_local_id(0);
    const long tiles = stride / TILE, g = get_group_id(0);
    const bool is_row = g < tiles;
    const long m = is_row ? g : g - tiles;
    global double *tile = A + (is_row ? k * stride + m : m * stride + k) * TILE;
    if (!is_row && m == k)
        return;
    for (uint t = lid; t < AREA; t += LCL_GROUP) {
        const double a = tile[t / TILE * stride + t % TILE];
        left[t] = is_row ? P[t] : a;
        right[t] = is_row ? a : P[t];
    }
    GROUP_BARRIER();
    for (uint t = lid; t < AREA; t += LCL_GROUP) {
        const double product = dot_tiles(left, right, t);
        if (!is_row)
            C[m * AREA + t] = left[t % TILE * TILE + t / TILE];
        tile[t / TILE * stride + t % TILE] = m == k   ? P[t]
                                             : is_row ? product
                                                      : -product;
    }
}

// A group updates a region of SIDE x SIDE tiles.
#if LCL_WIDTH == 1
# define SIDE 1
#else
# define SIDE 2
#endif
#define REGION (SIDE * TILE)

// The tile of row or column `at` of a region that starts at `first`.
static inline long tile_of(long first, uint at)
{
    return (first + at) / TILE;
}

#if LCL_WIDTH == 1

INLINE void update_region(long stride, long k, long i, long j, global double *A,
                          global const double *C, local double *unused)
{
    global const double *row = A + k * TILE * stride + j;
    global double *tile = A + i * stride + j;
    if (i == k * TILE || j == k * TILE)
        return;
    C += i * TILE;
    for (uint r = 0; r < TILE; ++r)
        for (uint l = 0; l < TILE; ++l)
            for (uint c = 0; c < TILE; ++c)
                tile[r * stride + c] -= C[l * TILE + r] * row[l * stride + c];
}
#else

// Lane l has rows l / COLUMN_LANES + ROW_LANES r and columns
// l % COLUMN_LANES + COLUMN_LANES c of the region.
# define COLUMN_LANES (LCL_GROUP < 16 ? LCL_GROUP : 16)
# define ROW_LANES    (LCL_GROUP / COLUMN_LANES)
# define LANE_ROWS    ((REGION + ROW_LANES - 1) / ROW_LANES)
# define LANE_COLUMNS ((REGION + COLUMN_LANES - 1) / COLUMN_LANES)
# define PADDED_ROWS  (LANE_ROWS * ROW_LANES)
# define PADDED_COLS  (LANE_COLUMNS * COLUMN_LANES)

// Loads C_i^T of the rows of the region, of which row k has none, and A_kj of
// its columns.
INLINE void load_panels(long stride, long k, long i, long j,
                        global const double *A, global const double *C,
                        local double *left, local double *right)
{
    const uint lid = get_local_id(0);
    UNROLL
    for (DOWNWARDS(s, ROUNDS(TILE * PADDED_ROWS))) {
        const uint t = lid + s * LCL_GROUP;
        if (t >= TILE * PADDED_ROWS)
            break;
        const uint l = t / PADDED_ROWS, r = t % PADDED_ROWS;
        left[t] = r < REGION && tile_of(i, r) != k
                      ? C[tile_of(i, r) * AREA + l * TILE + r % TILE]
                      : 0.0;
    }
    UNROLL
    for (DOWNWARDS(s, ROUNDS(TILE * PADDED_COLS))) {
        const uint t = lid + s * LCL_GROUP;
        if (t >= TILE * PADDED_COLS)
            break;
        const uint l = t / PADDED_COLS, c = t % PADDED_COLS;
        right[t] = c < REGION ? A[(k * TILE + l) * stride + j + c] : 0.0;
    }
}

// `panels` has space for TILE rows of PADDED_ROWS and of PADDED_COLS entries.
INLINE void update_region(long stride, long k, long i, long j, global double *A,
                          global const double *C, local double *panels)
{
    local double *left = panels, *right = panels + TILE * PADDED_ROWS;
    const uint row = get_local_id(0) / COLUMN_LANES;
    const uint col = get_local_id(0) % COLUMN_LANES;
    double tile[LANE_ROWS][LANE_COLUMNS];
    UNROLL
    for (DOWNWARDS(r, LANE_ROWS)) {
        UNROLL
        for (DOWNWARDS(c, LANE_COLUMNS)) {
            const uint m = row + r * ROW_LANES, q = col + c * COLUMN_LANES;
            tile[r][c] =
                m < REGION && q < REGION ? A[(i + m) * stride + j + q] : 0.0;
        }
    }
    load_panels(stride, k, i, j, A, C, left, right);
    GROUP_BARRIER();
    FEW_AT_ONCE
    for (DOWNWARDS(l, TILE)) {
        double a[LANE_ROWS], b[LANE_COLUMNS];
        UNROLL
        for (DOWNWARDS(r, LANE_ROWS))
            a[r] = left[l * PADDED_ROWS + row + r * ROW_LANES];
        UNROLL
        for (DOWNWARDS(c, LANE_COLUMNS))
            b[c] = right[l * PADDED_COLS + col + c * COLUMN_LANES];
        UNROLL
        for (DOWNWARDS(r, LANE_ROWS)) {
            UNROLL
            for (DOWNWARDS(c, LANE_COLUMNS))
                tile[r][c] -= a[r] * b[c];
        }
    }
    UNROLL
    for (DOWNWARDS(r, LANE_ROWS)) {
        UNROLL
        for (DOWNWARDS(c, LANE_COLUMNS)) {
            const uint m = row + r * ROW_LANES, q = col + c * COLUMN_LANES;
            if (m < REGION && q < REGION && tile_of(i, m) != k &&
                tile_of(j, q) != k)
                A[(i + m) * stride + j + q] = tile[r][c];
        }
    }
}
#endif

// A_ij = A_ij - C_i A_kj; then P = A_k+1,k+1^-1, by the group that has updated
// that tile. It is the first group, since its work takes longest.
WORK_GROUP
kernel void dense_update(long n, long stride, long k, double tol,
                         global double *A, global const double *C,
                         global const double *scale, global double *P,
                         global int *pinned)
{
#if LCL_WIDTH == 1
    local double room[AREA + 3 * TILE];
#else
    local double room[TILE * (PADDED_ROWS + PADDED_COLS)];
#endif
    local int row_of[TILE], col_of[TILE];
    local double scratch[LCL_GROUP];
    const long regions = stride / REGION;
    const long ahead = (k + 1) / SIDE * (regions + 1);
    const bool inverts = (k + 1) * TILE < n;
    long g = get_group_id(0);
    if (inverts)
        g = g == 0 ? ahead : g == ahead ? 0 : g;
    const long i = g / regions, j = g - i * regions;
    update_region(stride, k, i * REGION, j * REGION, A, C, room);
    if (!inverts || g != ahead)
        return;
    GROUP_BARRIER_GLOBAL();
    invert_tile(n, stride, k + 1, tol, A, scale, P, pinned, room, row_of,
                col_of, scratch);
}
