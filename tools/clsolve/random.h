// SPDX-License-Identifier: BSD-3-Clause
// Random right-hand sides.
#pragma once

#include <stdint.h>

// Fills b with n numbers, uniform in [-1, 1), that depend on the seed alone, by
// a linear congruential generator (Knuth, TAOCP 2, section 3.3.4).
void random_fill(double *b, int64_t n, uint64_t seed);

// The seed that goes on after n numbers.
uint64_t random_skip(uint64_t seed, int64_t n);
