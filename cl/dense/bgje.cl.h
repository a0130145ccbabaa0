// SPDX-License-Identifier: BSD-3-Clause
// Batched Gauss-Jordan elimination (BGJE): inverts a dense block in the
// registers of L = LANES_PER_BLOCK lanes with implicit pivoting: Anzt,
// Dongarra, Flegar, Quintana-Orti, Parallel Computing 81 (2019), Figure 2. For
// k = 0, 1, ...
//
//     r = the unused row with the largest |d_rk|, p(r) = k
//     d_ij = d_ij - (d_ik / d_rk) d_rj,  d_ik = -d_ik / d_rk,  d_rk = 1
//                                                   (i other than r, j than k)
//
// Rows are not swapped; they are divided by their pivots at the end only.
//
// Data:   one sub-wave of L lanes per block. Row s L + l is in slot s of lane
//         l: bgje_real a[BGJE_SLOTS][LCL_BLOCK]. For a block of m rows
//         a lane has BGJE_ROWS(m) slots of BGJE_COLUMNS(m) entries, padded with
//         the identity, see bgje_load(). At width 1 one work-item has all rows.
//         Loading columns instead of rows yields the columns of the inverse.
// Pivots: compared by their leading bits: the chosen one is at least 0.9998
//         times the largest; ties go to the first row. The block fails at a
//         pivot that is not finite or has no finite inverse.
// Determinism: bitwise.
//
//     struct bgje_places to;
//     local double scratch[BGJE_SCRATCH];
//     bgje_start(&to);
//     failed = bgje_invert(a, m, &to, scratch);
//     X[to.row[s]][bgje_column(&to, j, scratch)] = a[s][j]
//
// for each slot and entry whose row and column are below the block's own m.
#pragma once

#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 4 // rows of the largest block, at most 127
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // of entries: 1 double, 2 float
#endif
#ifndef LANES_PER_BLOCK
# define LANES_PER_BLOCK LCL_WIDTH // power of two, at most LCL_WIDTH
#endif

#if LCL_STORAGE == 2
typedef float bgje_real;
# define BGJE_BITS(v)  as_uint(v)
# define bgje_from     wave_from_float
# define BGJE_LEAST    0x1.000008p-128f
# define BGJE_INFINITE 0x7f800000u // BGJE_BITS() of infinity
#else
typedef double bgje_real;
# define BGJE_BITS(v)  as_uint2(v).y
# define bgje_from     wave_from
# define BGJE_LEAST    0x1.0000000000004p-1024
# define BGJE_INFINITE 0x7ff00000u
#endif

// rows of a lane
#define BGJE_SLOTS ((LCL_BLOCK + LANES_PER_BLOCK - 1) / LANES_PER_BLOCK)
#if LCL_WIDTH == 1
# define BGJE_ROWS(m)    (m)
# define BGJE_COLUMNS(m) (m)
#else
# define BGJE_ROWS(m)    BGJE_SLOTS
# define BGJE_COLUMNS(m) LCL_BLOCK
#endif
#if defined(LCL_EXCHANGE_LOCAL) && LCL_WIDTH > 1
// doubles
# define BGJE_SCRATCH (LCL_GROUP + LCL_GROUP / LANES_PER_BLOCK * LCL_BLOCK)
#else
# define BGJE_SCRATCH 1
#endif

// A key is the magnitude of an entry with its last bits replaced by BGJE_LAST -
// row; 0: the row is used.
#define BGJE_LAST      127u
#define BGJE_MAGNITUDE (0x7fffffffu - BGJE_LAST)

// Where the entries of the inverse are.
struct bgje_places {
    uint row[BGJE_SLOTS];    // row of the inverse in a slot
    uint column[BGJE_SLOTS]; // column of entry s L + l - shift
    uint shift;
};

static inline uint bgje_row(uint slot)
{
    return slot * LANES_PER_BLOCK + get_local_id(0) % LANES_PER_BLOCK;
}

// Sets each row and column to its own place.
INLINE void bgje_start(struct bgje_places *to)
{
    to->shift = 0;
#if LCL_WIDTH > 1
# pragma unroll
#endif
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        to->row[s] = to->column[s] = bgje_row(s);
}

// Entry j of a row of the m x m block at `block`, whose entries are `step` and
// whose rows are `stride` apart; an entry of the identity outside the block.
static inline bgje_real bgje_load(global const bgje_real *block, uint m,
                                  uint row, uint j, uint stride, uint step)
{
    return row < m && j < m ? block[row * stride + j * step] : row == j;
}

// 1 / a, or infinity if |a| < BGJE_LEAST, the smallest magnitude whose
// reciprocal is finite. It never divides by such an a, since the host may trap
// floating-point exceptions.
static inline bgje_real bgje_reciprocal(bgje_real a)
{
    const bgje_real size = fabs(a);
    return 1 / copysign(fmax(size, BGJE_LEAST), a) +
           (size >= BGJE_LEAST ? 0 : (bgje_real)INFINITY);
}

static inline bool bgje_sound(bgje_real inverse)
{
    return fabs(inverse) > 0 && fabs(inverse) < INFINITY;
}

// Divides a row by its pivot. Returns the leading bits of the largest magnitude
// in the row.
INLINE uint bgje_scale(bgje_real *row, uint m, bgje_real scale)
{
    uint largest = 0;
#if LCL_WIDTH > 1
# pragma unroll
#endif
    for (uint j = 0; j < BGJE_COLUMNS(m); ++j) {
        row[j] *= scale;
        largest = max(largest, BGJE_BITS(row[j]) & 0x7fffffffu);
    }
    return largest;
}

// The sum of the magnitudes of a row.
INLINE bgje_real bgje_sum(const bgje_real *row, uint m)
{
    bgje_real sum = 0;
#if LCL_WIDTH > 1
# pragma unroll
#endif
    for (uint j = 0; j < BGJE_COLUMNS(m); ++j)
        sum += fabs(row[j]);
    return sum;
}

#if LCL_WIDTH == 1

// The unused row with the largest entry in column k.
INLINE uint bgje_pivot(bgje_real (*a)[LCL_BLOCK], uint m, uint k,
                       const uint *magnitude)
{
    uint row = 0, largest = 0;
    for (uint i = 0; i < m; ++i) {
        const uint key =
            (BGJE_BITS(a[i][k]) & magnitude[i]) | (magnitude[i] & 1);
        row = key > largest ? i : row;
        largest = max(largest, key);
    }
    return row;
}

// Eliminates column k with row r.
INLINE void bgje_step(bgje_real (*a)[LCL_BLOCK], uint m, uint k, uint r,
                      bgje_real inverse)
{
    bgje_real p[LCL_BLOCK];
    for (uint j = 0; j < m; ++j)
        p[j] = a[r][j];
    for (uint i = 0; i < m; ++i) {
        const bgje_real factor = i == r ? 0 : a[i][k] * inverse;
        for (uint j = 0; j < m; ++j)
            a[i][j] -= factor * p[j];
        a[i][k] = i == r ? 1 : -factor;
    }
}

INLINE uint bgje_invert(bgje_real (*a)[LCL_BLOCK], uint m,
                        struct bgje_places *to, local double *scratch)
{
    bgje_real scale[LCL_BLOCK];
    uint magnitude[LCL_BLOCK], failed = 0;
    for (uint i = 0; i < m; ++i)
        magnitude[i] = BGJE_MAGNITUDE | 1;
    for (uint k = 0; k < m; ++k) {
        const uint r = bgje_pivot(a, m, k, magnitude);
        scale[r] = bgje_reciprocal(a[r][k]);
        if (!bgje_sound(scale[r])) {
            failed = k + 1;
            break;
        }
        bgje_step(a, m, k, r, scale[r]);
        magnitude[r] = 0;
        to->row[r] = k;
        to->column[k] = r;
    }
    for (uint i = 0; i < m && !failed; ++i)
        if (bgje_scale(a[i], m, scale[i]) >= BGJE_INFINITE)
            failed = m;
    if (failed)
        bgje_start(to);
    return failed;
}

INLINE uint bgje_column(const struct bgje_places *to, uint j,
                        local double *scratch)
{
    return to->column[j];
}

#else

struct bgje_rows {
    uint magnitude[BGJE_SLOTS], last[BGJE_SLOTS]; // masks of keys; 0: used
    bgje_real scale[BGJE_SLOTS];
};

// Entry j of a slot whose number is known at run time only.
INLINE bgje_real bgje_entry(bgje_real (*a)[LCL_BLOCK], uint slot, uint j)
{
    bgje_real v = a[0][j];
# pragma unroll
    for (uint s = 1; s < BGJE_SLOTS; ++s) {
        const bgje_real other = a[s][j]; // a[slot] would need memory
        v = slot == s ? other : v;
    }
    return v;
}

// Offset in scratch of the sub-wave's buffer for one row.
static inline uint bgje_box(void)
{
    return LCL_GROUP + (uint)get_local_id(0) / LANES_PER_BLOCK * LCL_BLOCK;
}

static inline uint bgje_first_lane(void)
{
    return get_local_id(0) % LCL_WIDTH - get_local_id(0) % LANES_PER_BLOCK;
}

// The unused row with the largest first entry.
INLINE uint bgje_pivot(bgje_real (*a)[LCL_BLOCK], const struct bgje_rows *rows,
                       local double *scratch)
{
    uint key = 0;
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        key =
            max(key, (BGJE_BITS(a[s][0]) & rows->magnitude[s]) | rows->last[s]);
    return BGJE_LAST -
           (wave_largest(key, LANES_PER_BLOCK, scratch) & BGJE_LAST);
}

INLINE void bgje_use(uint r, uint k, bgje_real inverse, struct bgje_rows *rows,
                     struct bgje_places *to)
{
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s) {
        const bool is_pivot = bgje_row(s) == r;
        to->row[s] = is_pivot ? k : to->row[s];
        to->column[s] = bgje_row(s) == k ? r : to->column[s];
        rows->scale[s] = is_pivot ? inverse : rows->scale[s];
        rows->magnitude[s] = is_pivot ? 0 : rows->magnitude[s];
        rows->last[s] = is_pivot ? 0 : rows->last[s];
    }
}

// Eliminates column k, which is the first entry of each row and becomes the
// last, so that each step uses the same registers. Returns false if the pivot
// is not sound.
INLINE bool bgje_step(bgje_real (*a)[LCL_BLOCK], uint k, struct bgje_rows *rows,
                      struct bgje_places *to, local double *scratch)
{
    const uint r = bgje_pivot(a, rows, scratch), slot = r / LANES_PER_BLOCK;
    const uint owner = bgje_first_lane() + r % LANES_PER_BLOCK;
    local double *box = scratch + bgje_box();
    bgje_real factor[BGJE_SLOTS];
# pragma unroll
    for (uint j = 0; j < LCL_BLOCK; ++j)
        WAVE_POST(bgje_row(0) == r % LANES_PER_BLOCK, bgje_entry(a, slot, j),
                  box + j);
    WAVE_POSTED();
    const bgje_real inverse =
        1 / (bgje_real)WAVE_TAKE(bgje_from, bgje_entry(a, slot, 0), owner, box);
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        factor[s] = bgje_row(s) == r ? 0 : a[s][0] * inverse;
# pragma unroll
    for (uint j = 1; j < LCL_BLOCK; ++j) {
        const bgje_real p =
            WAVE_TAKE(bgje_from, bgje_entry(a, slot, j), owner, box + j);
# pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s)
            a[s][j - 1] = fma(-factor[s], p, a[s][j]);
    }
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        a[s][LCL_BLOCK - 1] = bgje_row(s) == r ? 1 : -factor[s];
    bgje_use(r, k, inverse, rows, to);
    return bgje_sound(inverse);
}

// Posts the columns for bgje_column().
INLINE void bgje_post_columns(const struct bgje_places *to,
                              local double *scratch)
{
    WAVE_POSTED();
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        WAVE_POST(bgje_row(s) < LCL_BLOCK, to->column[s],
                  scratch + bgje_box() + bgje_row(s));
    WAVE_POSTED();
}

// Replaces the block by its inverse, with rows and columns at the places `to`.
// All lanes of the wave (of the group where lanes exchange through local
// memory) call it with the same m, the largest row count of their blocks.
// Returns 0 on success; otherwise the step without a pivot, counted from 1, or
// m if an entry of the inverse overflows. On failure `a` is unusable and `to`
// is as after bgje_start().
INLINE uint bgje_invert(bgje_real (*a)[LCL_BLOCK], uint m,
                        struct bgje_places *to, local double *scratch)
{
    struct bgje_rows rows;
    uint failed = 0;
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s) {
        const uint row = bgje_row(s);
        rows.magnitude[s] = row < LCL_BLOCK ? BGJE_MAGNITUDE : 0;
        rows.last[s] = row < LCL_BLOCK ? BGJE_LAST - row : 0;
        rows.scale[s] = 1;
    }
    for (DOWNWARDS(left, m)) {
        const uint k = m - 1 - left;
        const bool sound = bgje_step(a, k, &rows, to, scratch);
        failed = sound || failed ? failed : k + 1;
    }
    uint largest = 0;
# pragma unroll
    for (uint s = 0; s < BGJE_SLOTS; ++s)
        largest = max(largest, bgje_scale(a[s], m, rows.scale[s]));
    if (wave_largest(largest, LANES_PER_BLOCK, scratch) >= BGJE_INFINITE &&
        !failed)
        failed = m;
    to->shift = m == LCL_BLOCK ? 0 : m;
    if (failed)
        bgje_start(to);
    bgje_post_columns(to, scratch);
    return failed;
}

// The column of entry j of each slot.
INLINE uint bgje_column(const struct bgje_places *to, uint j,
                        local double *scratch)
{
    const uint shifted = j + to->shift;
    const uint c = shifted < LCL_BLOCK ? shifted : shifted - LCL_BLOCK;
    uint column = to->column[0];
# pragma unroll
    for (uint s = 1; s < BGJE_SLOTS; ++s)
        column = c / LANES_PER_BLOCK == s ? to->column[s] : column;
    return (uint)WAVE_TAKE(wave_from_uint, column,
                           bgje_first_lane() + c % LANES_PER_BLOCK,
                           scratch + bgje_box() + c);
}

#endif

// The maximum over the sub-wave of nonnegative numbers.
INLINE bgje_real bgje_largest(bgje_real v, local double *scratch)
{
#if LCL_STORAGE == 2
    return as_float(wave_largest(as_uint(v), LANES_PER_BLOCK, scratch));
#else
    const ulong bits = as_ulong(v);
    const uint upper = (uint)(bits >> 32);
    const uint high = wave_largest(upper, LANES_PER_BLOCK, scratch);
    const uint low = upper == high ? (uint)bits : 0;
    return as_double((ulong)high << 32 |
                     wave_largest(low, LANES_PER_BLOCK, scratch));
#endif
}

// The infinity norm of a block of m rows after bgje_start(), of its inverse
// after bgje_invert(); the 1-norm where lanes have columns. The same lanes call
// it as for bgje_invert(), but m is the row count of the lane's own block.
INLINE bgje_real bgje_norm(bgje_real (*a)[LCL_BLOCK], uint m,
                           const struct bgje_places *to, local double *scratch)
{
    bgje_real largest = 0;
#if LCL_WIDTH > 1
# pragma unroll
#endif
    for (uint s = 0; s < BGJE_ROWS(m); ++s)
        largest = to->row[s] < m ? fmax(largest, bgje_sum(a[s], m)) : largest;
    return bgje_largest(largest, scratch);
}
