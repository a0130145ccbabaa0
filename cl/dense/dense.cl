// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix of up to a few thousand rows: its inverse, and products.
//
//     dense_scale:   scale[j] = max_i |a_ij|
//     dense_tile, dense_panels, dense_update: replace A by A^-1 by Gauss-Jordan
//                    elimination with tiles as pivots, three launches per k:
//                        P = A_kk^-1,  C_i = A_ik
//                        A_kj = P A_kj,  A_ik = -C_i P,  A_kk = P
//                        A_ij = A_ij - C_i A_kj            (i, j other than k)
//     dense_narrow:  converts the matrix to single precision
//     dense_gemv:    y = A x
//
// Data:   n rows and columns, row-major, in an array padded to whole tiles;
//         padding entries are zero initially and treated as those of the
//         identity.
// Pivots: row exchanges stay inside a tile. A column of a tile whose candidates
//         are all at most tol * scale has no pivot: its unknown is pinned, and
//         so is one equation of the tile: row and column of the inverse are 0.
// Launch: dense_tile one group; dense_panels two groups per row of tiles;
//         dense_update one group per tile; dense_gemv LANES_PER_ROW lanes per
//         row, at width 1 any number of groups, as for the other two kernels.
// Determinism: bitwise, for any number of groups.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "wave.cl.h"

#ifndef TILE
# define TILE 32 // rows of a tile, even, at most 32
#endif
#define AREA (TILE * TILE)
#ifndef LANES_PER_ROW
# define LANES_PER_ROW LCL_WIDTH // lanes per row of dense_gemv
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of the matrix of dense_gemv: 1 double, 2 float
#endif
#if LCL_STORAGE == 2
typedef float stored;
#else
typedef double stored;
#endif

// The diagonal entry is the pivot if it is at least this fraction of the
// largest entry: diagonal pivots keep symmetric matrices symmetric.
#define PREFER_DIAGONAL 0.01

#define NONE -1

WORK_GROUP
kernel void dense_scale(long n, long stride, global const double *A,
                        global double *scale)
{
    for (RANGE(j, stride)) {
        double largest = j < n ? 0 : 1;
        for (long i = 0; i < n; ++i)
            largest = fmax(largest, fabs(A[i * stride + j]));
        scale[j] = largest;
    }
}

// ---------------------------------------------------------------- inverse

static inline double entry(global const double *A, long n, long stride, long i,
                           long j)
{
    return i < n && j < n ? A[i * stride + j] : i == j ? 1.0 : 0.0;
}

// The pivot row of column c, one of the unused rows; NONE: no pivot.
static inline int pivot_row(local const double *a, uint c, uint used,
                            double limit)
{
    double largest = 0;
    int row = NONE;
    for (uint i = 0; i < TILE; ++i) {
        const double size = fabs(a[i * TILE + c]);
        if (!(used >> i & 1) && size > largest) {
            largest = size;
            row = i;
        }
    }
    const double diagonal = fabs(a[c * TILE + c]);
    if (!(used >> c & 1) && diagonal > limit &&
        diagonal >= PREFER_DIAGONAL * largest)
        return c;
    return largest > limit ? row : NONE;
}

// Entry (i, j) after column c has been eliminated with row r; column c then
// holds the transformed column of the identity.
static inline double eliminated(local const double *a, uint i, uint j, uint r,
                                uint c)
{
    const double inverse = 1.0 / a[r * TILE + c];
    const double pivot = j == c ? inverse : a[r * TILE + j] * inverse;
    if (i == r)
        return pivot;
    return (j == c ? 0.0 : a[i * TILE + j]) - a[i * TILE + c] * pivot;
}

// P = A_kk^-1; pinned[k] = number of pinned unknowns of the tile.
WORK_GROUP
kernel void dense_tile(long n, long stride, long k, double tol,
                       global const double *A, global const double *scale,
                       global double *P, global int *pinned)
{
    local double tiles[2 * AREA]; // before and after a column
    local int row_of[TILE], col_of[TILE];
    const uint lid = get_local_id(0);
    const long first = k * TILE;
    for (uint t = lid; t < AREA; t += LCL_GROUP)
        tiles[t] = entry(A, n, stride, first + t / TILE, first + t % TILE);
    for (uint t = lid; t < TILE; t += LCL_GROUP)
        col_of[t] = NONE;
    GROUP_BARRIER();
    uint used = 0;
    for (uint c = 0; c < TILE; ++c) {
        local const double *a = tiles + c % 2 * AREA;
        local double *next = tiles + (c + 1) % 2 * AREA;
        const int r = pivot_row(a, c, used, tol * scale[first + c]);
        for (uint t = lid; t < AREA; t += LCL_GROUP)
            next[t] =
                r == NONE ? a[t] : eliminated(a, t / TILE, t % TILE, r, c);
        if (lid == 0)
            row_of[c] = r;
        if (lid == 0 && r != NONE)
            col_of[r] = c;
        if (r != NONE)
            used |= 1u << r;
        GROUP_BARRIER();
    }
    for (uint t = lid; t < AREA; t += LCL_GROUP) {
        const int i = row_of[t / TILE], j = col_of[t % TILE];
        P[t] = i == NONE || j == NONE ? 0.0 : tiles[i * TILE + j];
    }
    if (lid == 0)
        pinned[k] = TILE - popcount(used);
}

static inline double dot_tiles(local const double *left,
                               local const double *right, uint t)
{
    const uint i = t / TILE, j = t % TILE;
    double sum = 0;
    for (uint l = 0; l < TILE; ++l)
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
            C[m * AREA + t] = left[t];
        tile[t / TILE * stride + t % TILE] = m == k   ? P[t]
                                             : is_row ? product
                                                      : -product;
    }
}

// A_ij = A_ij - C_i A_kj
WORK_GROUP
kernel void dense_update(long stride, long k, global double *restrict A,
                         global const double *restrict C)
{
    const long tiles = stride / TILE;
    const long i = (long)get_group_id(0) / tiles;
    const long j = (long)get_group_id(0) - i * tiles;
    global const double *row = A + (k * stride + j) * TILE;
    global double *tile = A + (i * stride + j) * TILE;
    C += i * AREA;
    if (i == k || j == k)
        return;
#if LCL_WIDTH == 1
    for (uint t = 0; t < AREA; ++t)
        for (uint c = 0; c < TILE; ++c)
            tile[t / TILE * stride + c] -= C[t] * row[t % TILE * stride + c];
#else
    local double left[AREA], right[AREA];
    const uint lid = get_local_id(0);
    for (uint t = lid; t < AREA; t += LCL_GROUP) {
        left[t] = C[t];
        right[t] = row[t / TILE * stride + t % TILE];
    }
    GROUP_BARRIER();
    for (uint t = lid; t < AREA; t += LCL_GROUP)
        tile[t / TILE * stride + t % TILE] -= dot_tiles(left, right, t);
#endif
}

// ---------------------------------------------------------------- products

WORK_GROUP
kernel void dense_narrow(long count, global const double *A, global float *B)
{
    for (RANGE(i, count))
        B[i] = (float)A[i];
}

// The share of lane `lane` in a row times x; at width 1 four independent sums.
static inline double dot_row(global const stored *row, long n, uint lane,
                             global const double *x)
{
    double sum = 0;
    long j = lane;
#if LCL_WIDTH == 1
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += row[j] * x[j];
        s1 += row[j + 1] * x[j + 1];
        s2 += row[j + 2] * x[j + 2];
        s3 += row[j + 3] * x[j + 3];
    }
    sum = (s0 + s1) + (s2 + s3);
#endif
    for (; j < n; j += LANES_PER_ROW)
        sum += row[j] * x[j];
    return sum;
}

WORK_GROUP
kernel void dense_gemv(long n, long stride, global const stored *restrict A,
                       global const double *restrict x,
                       global double *restrict y, global const int *stop,
                       int at)
{
    if (stop[at])
        return;
#if LCL_WIDTH == 1
    for (RANGE(i, n))
        y[i] = dot_row(A + i * stride, n, 0, x);
#else
    local double scratch[LCL_GROUP];
    const long i = get_global_id(0) / LANES_PER_ROW;
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    double sum = 0;
    if (i < n)
        sum = dot_row(A + i * stride, n, lane, x);
    sum = wave_sum(sum, LANES_PER_ROW, scratch);
    if (i < n && lane == 0)
        y[i] = sum;
#endif
}
