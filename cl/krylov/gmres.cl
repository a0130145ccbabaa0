// SPDX-License-Identifier: BSD-3-Clause
// The passes of GMRES and FGMRES over their tall and narrow basis V: classical
// Gram-Schmidt with reorthogonalisation (CGS2) against `count` columns:
//
//     gmres_dots:           h1 = V^T w
//     gmres_orthogonalise:  w = w - V h1;  h2 = V^T w,  <w, w>
//     gmres_extend:         v = (w - V h2) / nu, stored as column `count`
//     gmres_sum:            y = y + a V c, or y = a V c
//
// CLBlast's gemv takes 2.2 times (lap3d:100 on two CPU cores) to 1000 times
// (lap3d:128 on an H200) as long for the same work.
//
// A step reads V three times: the second pass finds the values loaded by the
// update in registers or in the L1 cache. Values moved per row by a step of
// `count` columns: 3 count of V, 4 of w, 1 of v and 1 of the new column.
// gmres_dots_keep is gmres_dots and also stores z as column `column` of Z,
// which moves 2 more.
//
// At width 1 a group works on tiles of rows, all columns of a tile before the
// next tile. At larger widths each lane has one row and keeps CHUNK columns of
// it in registers; for more columns the host launches one chunk of columns
// after the other. For gmres_orthogonalise the order is: gmres_sum on all
// chunks but the last, gmres_orthogonalise on the last, gmres_dots on the
// others.
//
// `first` is the first column of the chunk and `from` the word of h with its
// coefficient. Partial sums: row k of `sums` holds one entry per group for
// column k; the row after the last column is <w, w>. The order of summation is
// fixed.
#include "gmres.cl.h"

#ifndef CHUNK
# define CHUNK 8 // maximum columns of a chunk, multiple of 4
#endif

#if LCL_WIDTH == 1

// ------------------------------------------------------------------- tiles

# define TILE 64

static inline long tiles_end(long n, long groups)
{
    const long tiles = (n + TILE - 1) / TILE;
    return min(n, tiles * groups / (long)get_num_groups(0) * TILE);
}

// for (TILES(at, n)): loops over the tiles of the group; a tile is rows at ..
// at + length_of(at, n) - 1.
# define TILES(at, n)                                                          \
  long at = tiles_end(n, get_group_id(0)),                                     \
       at##_end = tiles_end(n, get_group_id(0) + 1);                           \
  at < at##_end;                                                               \
  at += TILE

static inline int length_of(long at, long n)
{
    return (int)min((long)TILE, n - at);
}

// Eight partial sums, one per lane of a vector unit.
static inline double tile_dot(global const stored *v, global const double *w,
                              int length)
{
    double part[8] = {0};
    int t = 0;
    for (; t + 8 <= length; t += 8)
        for (int e = 0; e < 8; ++e)
            part[e] += v[t + e] * w[t + e];
    for (; t < length; ++t)
        part[0] += v[t] * w[t];
    return ((part[0] + part[4]) + (part[2] + part[6])) +
           ((part[1] + part[5]) + (part[3] + part[7]));
}

static inline double tile_norm(global const double *w, int length)
{
    double sum = 0;
    for (int t = 0; t < length; ++t)
        sum += w[t] * w[t];
    return sum;
}

// w = w + a v
static inline void tile_add(global double *w, double a, global const stored *v,
                            int length)
{
    for (int t = 0; t < length; ++t)
        w[t] += a * v[t];
}

static inline void leave_sums(const double *own, int first, int rows,
                              global double *sums)
{
    for (int k = 0; k < rows; ++k)
        sums[(first + k) * (long)get_num_groups(0) + get_group_id(0)] = own[k];
}

WORK_GROUP
kernel void gmres_dots(long n, long ld, int first, int count,
                       global const stored *V, global const double *w,
                       global double *sums, global const int *stop, int at)
{
    double own[LIMIT];
    if (stop[at])
        return;
    for (int k = 0; k < count; ++k)
        own[k] = 0;
    for (TILES(i, n))
        for (int k = 0; k < count; ++k)
            own[k] +=
                tile_dot(V + (first + k) * ld + i, w + i, length_of(i, n));
    leave_sums(own, first, count, sums);
}

WORK_GROUP
kernel void gmres_dots_keep(long n, long ld, int first, int count,
                            global const stored *V, global const double *w,
                            global double *sums, global const int *stop, int at,
                            int column, global const double *z,
                            global stored *Z)
{
    double own[LIMIT];
    if (stop[at])
        return;
    for (int k = 0; k < count; ++k)
        own[k] = 0;
    for (TILES(i, n)) {
        const int length = length_of(i, n);
        for (int t = 0; t < length; ++t)
            Z[column * ld + i + t] = STORED(z[i + t]);
        for (int k = 0; k < count; ++k)
            own[k] += tile_dot(V + (first + k) * ld + i, w + i, length);
    }
    leave_sums(own, first, count, sums);
}

WORK_GROUP
kernel void gmres_orthogonalise(long n, long ld, int first, int count,
                                global const stored *V, global const double *h,
                                int from, global double *w, global double *sums,
                                global const int *stop, int at)
{
    double own[LIMIT + 1];
    if (stop[at])
        return;
    for (int k = 0; k <= count; ++k)
        own[k] = 0;
    for (TILES(i, n)) {
        const int length = length_of(i, n);
        global const stored *v = V + first * ld + i;
        for (int k = 0; k < count; ++k)
            tile_add(w + i, -h[from + k], v + k * ld, length);
        for (int k = 0; k < count; ++k)
            own[k] += tile_dot(v + k * ld, w + i, length);
        own[count] += tile_norm(w + i, length);
    }
    leave_sums(own, first, count + 1, sums);
}

WORK_GROUP
kernel void gmres_sum(long n, long ld, int first, int count, double a, int keep,
                      global const stored *V, global const double *h, int from,
                      global double *y, global const int *stop, int at)
{
    if (stop[at])
        return;
    for (TILES(i, n)) {
        const int length = length_of(i, n);
        for (int t = 0; t < length && !keep; ++t)
            y[i + t] = 0;
        for (int k = 0; k < count; ++k)
            tile_add(y + i, a * h[from + k], V + (first + k) * ld + i, length);
    }
}

WORK_GROUP
kernel void gmres_extend(long n, long ld, int first, int count,
                         global stored *V, global const double *h, int from,
                         global const double *w, global double *v,
                         global const double *state, global const int *stop,
                         int at)
{
    if (stop[at])
        return;
    const double scale = state[GMRES_INV_NU];
    for (TILES(i, n)) {
        const int length = length_of(i, n);
        for (int t = 0; t < length; ++t)
            v[i + t] = w[i + t];
        for (int k = 0; k < count; ++k)
            tile_add(v + i, -h[from + k], V + (first + k) * ld + i, length);
        for (int t = 0; t < length; ++t) {
            const stored next = STORED(scale * v[i + t]);
            V[(first + count) * ld + i + t] = next;
            v[i + t] = next;
        }
    }
}

#else

// ------------------------------------------------------------------- chunks

// UNROLL: empty where each iteration contains barriers, to avoid copies of
// them.
# ifdef LCL_EXCHANGE_LOCAL
#  define UNROLL
# else
#  define UNROLL _Pragma("unroll")
# endif

// Loads row i of a chunk. Up to the next multiple of 4 it repeats the last
// column; further columns are 0 and not loaded.
INLINE void load_row(stored *v, global const stored *V, long ld, int count,
                     long i)
{
    UNROLL
    for (int q = 0; q < CHUNK; q += 4) {
        if (q < count) {
            UNROLL
            for (int k = q; k < q + 4; ++k)
                v[k] = V[min(k, count - 1) * ld + i];
        } else {
            UNROLL
            for (int k = q; k < q + 4; ++k)
                v[k] = 0;
        }
    }
}

// Loads the coefficients of a chunk, 0 beyond its end.
INLINE void load_coefficients(local double *c, global const double *h, int from,
                              int count)
{
    for (EACH(k, at, CHUNK)) {
        const double h_k = h[from + min(k, count - 1)];
        if (k < CHUNK)
            c[k] = k < count ? h_k : 0;
    }
    GROUP_BARRIER();
}

// volatile: keeps the coefficients out of registers, which would be too many
INLINE double less_row(double w, const stored *v,
                       local const volatile double *c)
{
    double even = w, odd = 0;
    UNROLL
    for (int k = 0; k < CHUNK; k += 2) {
        even -= c[k] * v[k];
        odd -= c[k + 1] * v[k + 1];
    }
    return even + odd;
}

// parts[k WAVES + w] = the sum of own[k] over wave w, k < CHUNK
# ifdef WAVE_SPREADS
INLINE void leave_parts(double *own, local double *parts, local double *scratch)
{
    const uint wave = get_local_id(0) / LCL_WIDTH;
    const struct wave_share s = wave_spread(own, CHUNK, LCL_WIDTH - 1);
    for (uint k = 0; k < s.count && s.mine; ++k)
        parts[(s.first + k) * WAVES + wave] = own[k];
}
# else
INLINE void leave_parts(double *own, local double *parts, local double *scratch)
{
    const uint lid = get_local_id(0);
    for (uint k = 0; k < CHUNK; ++k) {
        const double v = wave_sum(own[k], LCL_WIDTH, scratch);
        if (lid % LCL_WIDTH == 0)
            parts[k * WAVES + lid / LCL_WIDTH] = v;
    }
}
# endif

// Stores the group's sums of the chunk, one row of partial sums per column.
INLINE void leave_sums(double *own, int first, int count, global double *sums,
                       local double *parts, local double *scratch)
{
    leave_parts(own, parts, scratch);
    GROUP_BARRIER();
    for (EACH(k, at, CHUNK)) {
        double v = 0;
        for (int w = 0; w < WAVES; ++w)
            v += parts[min(k, CHUNK - 1) * WAVES + w];
        if (k < count)
            sums[(long)(first + k) * get_num_groups(0) + get_group_id(0)] = v;
    }
}

INLINE void add_dots(double *own, global const stored *V, long ld, int count,
                     long i, double w)
{
    stored v[CHUNK];
    load_row(v, V, ld, count, i);
    UNROLL
    for (int k = 0; k < CHUNK; ++k)
        own[k] += v[k] * w;
}

WORK_GROUP
kernel void gmres_dots(long n, long ld, int first, int count,
                       global const stored *V, global const double *w,
                       global double *sums, global const int *stop, int at)
{
    local double scratch[LCL_GROUP], parts[WAVES * CHUNK];
    if (stop[at])
        return;
    double own[CHUNK] = {0};
    for (RANGE(i, n))
        add_dots(own, V + first * ld, ld, count, i, w[i]);
    leave_sums(own, first, count, sums, parts, scratch);
}

WORK_GROUP
kernel void gmres_dots_keep(long n, long ld, int first, int count,
                            global const stored *V, global const double *w,
                            global double *sums, global const int *stop, int at,
                            int column, global const double *z,
                            global stored *Z)
{
    local double scratch[LCL_GROUP], parts[WAVES * CHUNK];
    if (stop[at])
        return;
    double own[CHUNK] = {0};
    for (RANGE(i, n)) {
        Z[column * ld + i] = STORED(z[i]);
        add_dots(own, V + first * ld, ld, count, i, w[i]);
    }
    leave_sums(own, first, count, sums, parts, scratch);
}

WORK_GROUP
kernel void gmres_orthogonalise(long n, long ld, int first, int count,
                                global const stored *V, global const double *h,
                                int from, global double *w, global double *sums,
                                global const int *stop, int at)
{
    local double scratch[LCL_GROUP], parts[WAVES * CHUNK], c[CHUNK];
    if (stop[at])
        return;
    load_coefficients(c, h, from, count);
    double own[CHUNK] = {0}, ww = 0;
    for (RANGE(i, n)) {
        stored v[CHUNK];
        load_row(v, V + first * ld, ld, count, i);
        const double w_i = less_row(w[i], v, c);
        w[i] = w_i;
        UNROLL
        for (int k = 0; k < CHUNK; ++k)
            own[k] += v[k] * w_i;
        ww += w_i * w_i;
    }
    leave_sums(own, first, count, sums, parts, scratch);
    ww = group_sum(ww, scratch);
    if (get_local_id(0) == 0)
        sums[(long)(first + count) * get_num_groups(0) + get_group_id(0)] = ww;
}

WORK_GROUP
kernel void gmres_sum(long n, long ld, int first, int count, double a, int keep,
                      global const stored *V, global const double *h, int from,
                      global double *y, global const int *stop, int at)
{
    local double c[CHUNK];
    if (stop[at])
        return;
    load_coefficients(c, h, from, count);
    for (RANGE(i, n)) {
        stored v[CHUNK];
        load_row(v, V + first * ld, ld, count, i);
        const double y_i = y[i]; // unconditional load, see EACH
        y[i] = (keep ? y_i : 0) - a * less_row(0, v, c);
    }
}

WORK_GROUP
kernel void gmres_extend(long n, long ld, int first, int count,
                         global stored *V, global const double *h, int from,
                         global const double *w, global double *v,
                         global const double *state, global const int *stop,
                         int at)
{
    local double c[CHUNK];
    if (stop[at])
        return;
    load_coefficients(c, h, from, count);
    const double scale = state[GMRES_INV_NU];
    for (RANGE(i, n)) {
        stored row[CHUNK];
        load_row(row, V + first * ld, ld, count, i);
        const stored next = STORED(scale * less_row(w[i], row, c));
        V[(first + count) * ld + i] = next;
        v[i] = next;
    }
}

#endif
