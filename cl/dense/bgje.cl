// SPDX-License-Identifier: BSD-3-Clause
// Inverses of a batch of dense blocks by batched Gauss-Jordan elimination.
//
// Data:   square blocks, row-major (or all column-major, then so is the
//         inverse). Block b has rows block_ptr[b] .. block_ptr[b + 1] - 1 of
//         the whole batch (always LCL_BLOCK rows with EQUAL_BLOCKS) and starts
//         at entry `at[b]`; list[first + i] is the i-th block to invert. With
//         CONSECUTIVE_BLOCKS, all blocks have LCL_BLOCK rows and follow each
//         other; the index arrays are not read. `inverse` may be the same array
//         as `blocks`.
// Launch: LANES_PER_BLOCK lanes per block, one lane per column: a load or a
//         store of a sub-wave is one row. This is BGJE if they are a wave and
//         LCL_BLOCK is 32 for all blocks, BGJE-MPW (multiple problems per warp)
//         if they are fewer. BLOCK_PER_GROUP: one group per block, in local
//         memory, LANES_PER_BLOCK = LCL_WIDTH. Width 1: any number of groups.
// Norms:  with NORMS, norms[2 b] and norms[2 b + 1] become the infinity norms
//         of block and inverse, INFINITY if there is no inverse. Lanes then
//         have rows, which makes loads and stores slower.
// Failure: info[b] = 0, or the step without a pivot, counted from 1; the
//         inverse is then the block itself or, with `identity`, the identity.
// Determinism: bitwise.
#include "bgje.cl.h"
#include "bgje_tile.cl.h"

#ifndef EQUAL_BLOCKS
# define EQUAL_BLOCKS 0 // 1: all blocks have LCL_BLOCK rows
#endif
#ifndef CONSECUTIVE_BLOCKS
# define CONSECUTIVE_BLOCKS 0 // 1: as EQUAL_BLOCKS, one after the other
#endif
#ifndef BLOCK_PER_GROUP
# define BLOCK_PER_GROUP 0 // 1: a group inverts a block in local memory
#endif
#ifndef NORMS
# define NORMS 0 // 1: computes the norms of block and inverse
#endif

struct task {
    long block; // its number
    long at;    // its first entry
    uint m;     // its rows; 0: no block
};

// Task i of those to invert; an empty task from `end` on.
static inline struct task task_of(long i, long end, global const int *list,
                                  global const long *block_ptr,
                                  global const long *at)
{
    struct task t = {0, 0, 0};
    if (i >= end)
        return t;
#if CONSECUTIVE_BLOCKS
    t.block = i;
    t.at = i * (LCL_BLOCK * LCL_BLOCK);
    t.m = LCL_BLOCK;
#else
    t.block = list[i];
    t.at = at[t.block];
    t.m = LCL_BLOCK;
# if !EQUAL_BLOCKS
    t.m = (uint)(block_ptr[t.block + 1] - block_ptr[t.block]);
# endif
#endif
    return t;
}

// Replacement for entry `at` of the inverse of a singular block.
static inline bgje_real instead(global const bgje_real *block, uint at,
                                bool diagonal, int identity)
{
    return identity ? diagonal : block[at];
}

#if !BLOCK_PER_GROUP

// Distances between the rows of a lane and between the entries of a row.
# if EQUAL_BLOCKS || CONSECUTIVE_BLOCKS
#  define STRIDE(m) LCL_BLOCK
# else
#  define STRIDE(m) (m)
# endif
# if NORMS
#  define ROW_STEP(m)   STRIDE(m)
#  define ENTRY_STEP(m) 1
# else
#  define ROW_STEP(m)   1
#  define ENTRY_STEP(m) STRIDE(m)
# endif

// Where invert() finds a block and stores its inverse.
struct places {
    struct task t;
    global const bgje_real *blocks;
    global bgje_real *inverse;
    global int *info;
    global bgje_real *norms;
    int identity;
};

# if LCL_WIDTH == 1

// Loads rows as rows.
INLINE void read_block(bgje_real (*a)[LCL_BLOCK], const struct places *P)
{
    const uint m = P->t.m;
    for (uint i = 0; i < m; ++i)
        for (uint j = 0; j < m; ++j)
            a[i][j] = P->blocks[P->t.at + i * m + j];
}

INLINE void write_inverse(bgje_real (*a)[LCL_BLOCK], const struct places *P,
                          const struct bgje_places *to, uint failed,
                          local double *scratch)
{
    const uint m = P->t.m;
    global bgje_real *inverse = P->inverse + P->t.at;
    for (uint s = 0; s < m; ++s)
        for (uint e = 0; e < m; ++e) {
            const uint i = to->row[s], j = to->column[e];
            inverse[i * m + j] = failed
                                     ? instead(P->blocks + P->t.at, i * m + j,
                                               i == j, P->identity)
                                     : a[s][e];
        }
}

# else

// Loads columns as rows, unless norms are needed, so that neighbouring lanes
// access neighbouring entries.
INLINE void read_block(bgje_real (*a)[LCL_BLOCK], const struct places *P)
{
    const uint m = P->t.m;
#  pragma unroll
    for (uint j = 0; j < LCL_BLOCK; ++j)
#  pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s)
            a[s][j] = bgje_load(P->blocks + P->t.at, m, bgje_row(s), j,
                                ROW_STEP(m), ENTRY_STEP(m));
#  ifdef LCL_EXCHANGE_LOCAL
    GROUP_BARRIER_GLOBAL(); // all reads before another lane's writes
#  endif
}

INLINE void write_inverse(bgje_real (*a)[LCL_BLOCK], const struct places *P,
                          const struct bgje_places *to, uint failed,
                          local double *scratch)
{
    const uint m = P->t.m;
#  pragma unroll
    for (uint e = 0; e < LCL_BLOCK; ++e) {
        const uint column = bgje_column(to, e, scratch);
#  pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s) {
            const uint row = to->row[s];
            const uint at = row * ROW_STEP(m) + column * ENTRY_STEP(m);
            if (row < m && column < m)
                P->inverse[P->t.at + at] =
                    failed ? instead(P->blocks + P->t.at, at, row == column,
                                     P->identity)
                           : a[s][e];
        }
    }
}

# endif

// Stores the norm of a block (which = 0) or of its inverse (which = 1).
INLINE void note_norm(bgje_real (*a)[LCL_BLOCK], const struct places *P,
                      const struct bgje_places *to, int which, uint failed,
                      local double *scratch)
{
# if NORMS
    const bgje_real norm = bgje_norm(a, P->t.m, to, scratch);
    if (P->t.m > 0 && bgje_row(0) == 0)
        P->norms[2 * P->t.block + which] = failed ? INFINITY : norm;
# endif
}

INLINE void invert(struct places P, local double *scratch)
{
    bgje_real a[BGJE_SLOTS][LCL_BLOCK];
    struct bgje_places to;
    bgje_start(&to);
    read_block(a, &P);
    note_norm(a, &P, &to, 0, 0, scratch);
# if EQUAL_BLOCKS || CONSECUTIVE_BLOCKS
    const uint steps = LCL_BLOCK;
# else
    const uint steps = wave_steps(P.t.m, LCL_BLOCK, scratch);
# endif
    const uint failed = bgje_invert(a, steps, &to, scratch);
    note_norm(a, &P, &to, 1, failed, scratch);
    write_inverse(a, &P, &to, failed, scratch);
    if (P.t.m > 0 && bgje_row(0) == 0)
        P.info[P.t.block] = min(failed, P.t.m);
}

WORK_GROUP
kernel void bgje(long first, long end, global const int *list,
                 global const long *block_ptr, global const long *at,
                 global const bgje_real *blocks, global bgje_real *inverse,
                 global int *info, global bgje_real *norms, int identity)
{
    local double scratch[BGJE_SCRATCH];
    struct places P = {.blocks = blocks,
                       .inverse = inverse,
                       .info = info,
                       .norms = norms,
                       .identity = identity};
# if LCL_WIDTH == 1
    for (RANGE(i, end - first)) {
        P.t = task_of(first + i, end, list, block_ptr, at);
        invert(P, scratch);
    }
# else
    const long i = first + get_global_id(0) / LANES_PER_BLOCK;
    P.t = task_of(i, end, list, block_ptr, at);
    invert(P, scratch);
# endif
}

#else

WORK_GROUP
kernel void bgje(long first, long end, global const int *list,
                 global const long *block_ptr, global const long *at,
                 global const bgje_real *blocks, global bgje_real *inverse,
                 global int *info, global bgje_real *norms, int identity)
{
    local struct bgje_tile tile;
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    const struct task t =
        task_of(first + get_group_id(0), end, list, block_ptr, at);
    global const bgje_real *block = blocks + t.at;
    for (uint e = lid; e < t.m * t.m; e += LCL_GROUP)
        tile.a[e] = block[e];
    GROUP_BARRIER_GLOBAL(); // all reads before another item's writes
# if NORMS
    const bgje_real norm = bgje_tile_norm(&tile, t.m, scratch);
# endif
    const uint failed = bgje_tile_invert(&tile, t.m, scratch);
# if NORMS
    const bgje_real inverse_norm = bgje_tile_norm(&tile, t.m, scratch);
    if (lid == 0) {
        norms[2 * t.block] = norm;
        norms[2 * t.block + 1] = failed ? INFINITY : inverse_norm;
    }
# endif
    for (BGJE_TILE_ROWS(r, t.m))
        for (BGJE_TILE_COLUMNS(c, t.m)) {
            const uint i = tile.row[r], j = tile.column[c];
            inverse[t.at + i * t.m + j] =
                failed ? instead(block, i * t.m + j, i == j, identity)
                       : tile.a[r * t.m + c];
        }
    if (lid == 0)
        info[t.block] = failed;
}

#endif
