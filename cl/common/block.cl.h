// SPDX-License-Identifier: BSD-3-Clause
// Vectors of blocks of LCL_BLOCK consecutive elements.
#pragma once

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

// The place in block `to` of element k, which is in block i. (Without
// k % LCL_BLOCK: quotient and remainder together compile to an instruction that
// oclgrind does not know.)
static inline long in_block(long k, long i, uint to)
{
    return k + ((long)to - i) * LCL_BLOCK;
}

// The same in block map[i].
static inline long moved(long k, global const uint *map)
{
    const long i = k / LCL_BLOCK;
    return in_block(k, i, map[i]);
}
