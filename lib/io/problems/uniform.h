// SPDX-License-Identifier: BSD-3-Clause
// Random numbers for the built-in problems.
#pragma once

#include <stdint.h>

// The next number, uniform in [0, 1); the state must not be 0. Source:
// Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8(14) (2003), shifts 13, 7, 17.
static inline double lcl_uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

// The state after `count` numbers.
uint64_t lcl_uniform_skip(uint64_t state, int64_t count);
