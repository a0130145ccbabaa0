// SPDX-License-Identifier: BSD-3-Clause
// Statistics of couplings, shared with the host.
#pragma once

#include "types.cl.h"

#define COUPLINGS_EACH 64 // weights that one work-item adds up

// Bins of a histogram of ratios >= 1: eight for each power of 2, of the same
// width. Ratios are at most 1e4, apart from overflow.
#define COUPLINGS_OCTAVE 8
#define COUPLINGS_BINS   (14 * COUPLINGS_OCTAVE)

// Result: two doubles (the weight of the couplings of the sign opposite to the
// diagonal, that of all), then the bins.
#define COUPLINGS_FIRST 4 // the first bin, in words
#define COUPLINGS_WORDS (COUPLINGS_FIRST + COUPLINGS_BINS)

// Smaller entries, relative to the largest coupling of the row, do not count:
// to smoothing they are none.
#define COUPLINGS_NOISE 1e-4

// Bin of a ratio with these bits.
static inline lcl_u32 couplings_bin(lcl_u64 bits)
{
    const lcl_u64 one = (lcl_u64)1023 * COUPLINGS_OCTAVE, bin = bits >> 49;
    if (bin < one)
        return 0;
    return bin - one < COUPLINGS_BINS ? (lcl_u32)(bin - one)
                                      : COUPLINGS_BINS - 1;
}
