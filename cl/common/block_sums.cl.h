// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of blocks with vectors, by one lane. Products with different
// entries of a block are added up apart, four at a time, and joined at the end.
//
// A block is row-major, in the format LCL_STORAGE; one of bf16 begins with half
// a word that is not its own.
#pragma once

#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 2 // rows and columns of a block, at least 2
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // 1: fp64, 2: fp32, 3: bf16
#endif

// Entry e of a block of bf16, which is in word (e + 1) / 2.
#define BF16_ENTRY(word, e)                                                    \
 as_float((e) % 2 == 0 ? (word)&0xffff0000 : (word) << 16)

// BLOCK_ENTRY(a, e): entry e of the block at `a`; BLOCK_QUAD(a, e): the four
// from there on, as a double4.
#if LCL_STORAGE == 1
typedef global const double *block_ptr;
typedef double4 stored_quad_t __attribute__((aligned(8)));
# define BLOCK_ENTRY(a, e) ((a)[e])
# define BLOCK_QUAD(a, e)  (*(global const stored_quad_t *)((a) + (e)))
#elif LCL_STORAGE == 2
typedef global const float *block_ptr;
typedef float4 stored_quad_t __attribute__((aligned(4)));
# define BLOCK_ENTRY(a, e) ((double)(a)[e])
# define BLOCK_QUAD(a, e)                                                      \
  convert_double4(*(global const stored_quad_t *)((a) + (e)))
#else
typedef global const uint *block_ptr;
# define BLOCK_ENTRY(a, e) ((double)BF16_ENTRY((a)[((e) + 1) / 2], e))
# define BLOCK_QUAD(a, e)                                                      \
  ((double4)(BLOCK_ENTRY(a, e), BLOCK_ENTRY(a, (e) + 1),                       \
             BLOCK_ENTRY(a, (e) + 2), BLOCK_ENTRY(a, (e) + 3)))
#endif

#define SUM_QUADS (LCL_BLOCK * LCL_BLOCK / 4)

struct block_sums {
    double4 quad[SUM_QUADS];
    double last; // of the last entry, if LCL_BLOCK is odd
};

INLINE void block_sums_clear(struct block_sums *s)
{
#pragma unroll
    for (uint i = 0; i < SUM_QUADS; ++i)
        s->quad[i] = 0;
    s->last = 0;
}

INLINE double4 block_sums_factors(global const double *v, uint e)
{
    return (double4)(v[e % LCL_BLOCK], v[(e + 1) % LCL_BLOCK],
                     v[(e + 2) % LCL_BLOCK], v[(e + 3) % LCL_BLOCK]);
}

// Adds the block at `a` times the LCL_BLOCK elements of v.
INLINE void block_sums_add(struct block_sums *s, block_ptr a,
                           global const double *v)
{
#pragma unroll
    for (uint i = 0; i < SUM_QUADS; ++i)
        s->quad[i] += BLOCK_QUAD(a, 4 * i) * block_sums_factors(v, 4 * i);
#if LCL_BLOCK % 2 == 1
    s->last += BLOCK_ENTRY(a, 4 * SUM_QUADS) * v[LCL_BLOCK - 1];
#endif
}

// The sum of row r.
INLINE double block_sums_row(const struct block_sums *s, uint r)
{
    const double *entry = (const double *)s->quad;
    double sum = 0;
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        const uint e = r * LCL_BLOCK + c;
        sum += e < 4 * SUM_QUADS ? entry[e] : s->last;
    }
    return sum;
}
