// SPDX-License-Identifier: BSD-3-Clause
// Batched Gauss-Jordan elimination of a block too large for the registers of a
// wave: one group holds it in local memory. Arithmetic, pivots and keys are
// those of bgje.cl.h with LANES_PER_BLOCK = LCL_WIDTH.
//
//     local struct bgje_tile t;
//     local double scratch[LCL_GROUP];
//     t.a[i * m + j] = d_ij                                (each i, each j)
//     GROUP_BARRIER();
//     failed = bgje_tile_invert(&t, m, scratch);
//     X[t.row[i]][t.column[j]] = t.a[i * m + j]            (each i, each j)
#pragma once

#include "bgje.cl.h"

#if LCL_WIDTH > 1

struct bgje_tile {
    bgje_real a[LCL_BLOCK * LCL_BLOCK]; // rows are m apart
    bgje_real factor[LCL_BLOCK], scale[LCL_BLOCK];
    uint row[LCL_BLOCK]; // of the inverse; BGJE_NO_ROW: unused
    uint column[LCL_BLOCK];
};

# define BGJE_NO_ROW 0xffffffffu

// for (BGJE_TILE_ROWS(i, m)) for (BGJE_TILE_COLUMNS(j, m)): loops over this
// work-item's entries.
# define BGJE_ITEMS (LCL_GROUP < 64 ? LCL_GROUP : 64) // work-items per row
# define BGJE_TILE_ROWS(i, m)                                                  \
  uint i = get_local_id(0) / BGJE_ITEMS;                                       \
  i < (m);                                                                     \
  i += LCL_GROUP / BGJE_ITEMS
# define BGJE_TILE_COLUMNS(j, m)                                               \
  uint j = get_local_id(0) % BGJE_ITEMS;                                       \
  j < (m);                                                                     \
  j += BGJE_ITEMS

// The pivot row; each wave finds the same one.
INLINE uint bgje_tile_pivot(local const struct bgje_tile *t, uint m, uint k,
                            local double *scratch)
{
    uint key = 0;
    for (uint i = get_local_id(0) % LCL_WIDTH; i < m; i += LCL_WIDTH) {
        const uint own = BGJE_BITS(t->a[i * m + k]) & BGJE_MAGNITUDE;
        key = max(key, t->row[i] == BGJE_NO_ROW ? own | (BGJE_LAST - i) : 0);
    }
    return BGJE_LAST - (wave_largest(key, LCL_WIDTH, scratch) & BGJE_LAST);
}

// Eliminates column k with row r, using the factors in t->factor.
INLINE void bgje_tile_step(local struct bgje_tile *t, uint m, uint k, uint r)
{
    for (BGJE_TILE_COLUMNS(j, m)) {
        const bgje_real p = j == k ? 0 : t->a[r * m + j];
        for (BGJE_TILE_ROWS(i, m))
            if (j == k)
                t->a[i * m + j] = i == r ? 1 : -t->factor[i];
            else if (i != r)
                t->a[i * m + j] = fma(-t->factor[i], p, t->a[i * m + j]);
    }
}

// Divides the rows by their pivots. Returns whether an entry overflows.
INLINE uint bgje_tile_scale(local struct bgje_tile *t, uint m,
                            local double *scratch)
{
    local uint *infinite = (local uint *)scratch;
    GROUP_BARRIER();
    if (get_local_id(0) == 0)
        *infinite = 0;
    GROUP_BARRIER();
    for (BGJE_TILE_ROWS(i, m))
        for (BGJE_TILE_COLUMNS(j, m)) {
            const bgje_real v = t->a[i * m + j] * t->scale[i];
            t->a[i * m + j] = v;
            if ((BGJE_BITS(v) & 0x7fffffffu) >= BGJE_INFINITE)
                atomic_or(infinite, 1u);
        }
    GROUP_BARRIER();
    return *infinite;
}

INLINE void bgje_tile_start(local struct bgje_tile *t, uint m, uint row)
{
    for (uint i = get_local_id(0); i < m; i += LCL_GROUP) {
        t->row[i] = row == BGJE_NO_ROW ? row : i;
        t->column[i] = i;
    }
    GROUP_BARRIER();
}

// Replaces the block of m rows by its inverse, with rows and columns at the
// places t->row and t->column. Returns 0 on success; otherwise the step without
// a pivot, counted from 1, or m if an entry of the inverse overflows. On
// failure t->a is unusable and each row and column is at its own place.
INLINE uint bgje_tile_invert(local struct bgje_tile *t, uint m,
                             local double *scratch)
{
    uint failed = 0;
    bgje_tile_start(t, m, BGJE_NO_ROW);
    for (uint k = 0; k < m; ++k) {
        const uint r = bgje_tile_pivot(t, m, k, scratch);
        const bgje_real inverse = 1 / t->a[r * m + k];
        for (uint i = get_local_id(0); i < m; i += LCL_GROUP)
            t->factor[i] = i == r ? 0 : t->a[i * m + k] * inverse;
        if (!bgje_sound(inverse) && !failed)
            failed = k + 1;
        GROUP_BARRIER();
        if (get_local_id(0) == 0) {
            t->row[r] = k;
            t->column[k] = r;
            t->scale[r] = inverse;
        }
        bgje_tile_step(t, m, k, r);
        GROUP_BARRIER();
    }
    if (bgje_tile_scale(t, m, scratch) && !failed)
        failed = m;
    if (failed)
        bgje_tile_start(t, m, 0);
    return failed;
}

// The infinity norm of a block or, after bgje_tile_invert(), of its inverse.
INLINE bgje_real bgje_tile_norm(local const struct bgje_tile *t, uint m,
                                local double *scratch)
{
    bgje_real largest = 0;
    GROUP_BARRIER();
    for (uint i = get_local_id(0) % LCL_WIDTH; i < m; i += LCL_WIDTH) {
        bgje_real sum = 0;
        for (uint j = 0; j < m; ++j)
            sum += fabs(t->a[i * m + j]);
        largest = fmax(largest, sum);
    }
    return bgje_largest(largest, scratch);
}

#endif
