// SPDX-License-Identifier: BSD-3-Clause
// The slots of a subdomain (factor.cl.h), in the order of its stages, on their
// way from global memory through registers to a ring in local memory: wide
// loads, a chunk at a time. A chunk holds at least two stages, so that the
// older of two can be replaced while stages of the other are in use. Slots are
// readable up to a chunk past the last.
#pragma once

#include "slot.cl.h"
#include "wave.cl.h"

#ifndef STAGE_ENTRIES
# define STAGE_ENTRIES 4 // maximum entries per lane in a stage
#endif
#ifndef STAGE_LANES
# define STAGE_LANES LCL_GROUP // maximum lanes of a stage
#endif
#ifndef LANE_SLOTS
# define LANE_SLOTS                                                            \
  (STAGE_ENTRIES <= 3 ? 8 : 16) // of a chunk, for each of them
#endif

#define CHUNK_SLOTS (LANE_SLOTS * STAGE_LANES)
#define RING_SLOTS  (2 * CHUNK_SLOTS)

// In words of 16 bytes, and those of a work-item.
#define CHUNK_VALS  (CHUNK_SLOTS * (int)sizeof(stored_t) / 16)
#define CHUNK_COLS  (CHUNK_SLOTS / 8)
#define WORDS_OF(n) (((n) + LCL_GROUP - 1) / LCL_GROUP)

struct ring {
    global const uint4 *from_val, *from_col; // the subdomain's first slots
    uint slots;                              // of the subdomain
    uint loaded;                             // slots stored in the ring so far
    uint4 next_val[WORDS_OF(CHUNK_VALS)], next_col[WORDS_OF(CHUNK_COLS)];
    local uint4 *val, *col;
};

// next[j] = word j * LCL_GROUP + lid of a chunk of n words.
INLINE void ring_load(uint4 *next, global const uint4 *chunk, uint n)
{
#pragma unroll
    for (uint j = 0; j < WORDS_OF(n); ++j) {
        const uint k = j * LCL_GROUP + get_local_id(0);
        if (n % LCL_GROUP == 0 || k < n)
            next[j] = chunk[k];
    }
}

INLINE void ring_store(const uint4 *next, local uint4 *chunk, uint n)
{
#pragma unroll
    for (uint j = 0; j < WORDS_OF(n); ++j) {
        const uint k = j * LCL_GROUP + get_local_id(0);
        if (n % LCL_GROUP == 0 || k < n)
            chunk[k] = next[j];
    }
}

// Issues the loads of the next chunk after those in the ring.
INLINE void ring_fetch(struct ring *s)
{
    const uint chunk = s->loaded / CHUNK_SLOTS;
    ring_load(s->next_val, s->from_val + chunk * CHUNK_VALS, CHUNK_VALS);
#if LCL_STORAGE != LCL_STORED_BF16
    ring_load(s->next_col, s->from_col + chunk * CHUNK_COLS, CHUNK_COLS);
#endif
}

// Stores the slots below `end` in the ring. At most one chunk may be missing,
// and the older of the two chunks must no longer be in use. The slots are
// visible after a barrier.
INLINE void ring_advance(struct ring *s, uint end)
{
    const uint side = s->loaded / CHUNK_SLOTS % 2;
    if (end <= s->loaded)
        return;
    ring_store(s->next_val, s->val + side * CHUNK_VALS, CHUNK_VALS);
#if LCL_STORAGE != LCL_STORED_BF16
    ring_store(s->next_col, s->col + side * CHUNK_COLS, CHUNK_COLS);
#endif
    s->loaded += CHUNK_SLOTS;
    if (s->loaded < s->slots)
        ring_fetch(s);
}

// Slot `at` of the subdomain, which is in the ring.
INLINE stored_t ring_value(const struct ring *s, uint at)
{
    return ((local const stored_t *)s->val)[at % RING_SLOTS];
}

INLINE ushort ring_column(const struct ring *s, uint at)
{
#if LCL_STORAGE == LCL_STORED_BF16
    return 0; // in the slot
#else
    return ((local const ushort *)s->col)[at % RING_SLOTS];
#endif
}
