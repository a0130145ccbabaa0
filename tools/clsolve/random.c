// SPDX-License-Identifier: BSD-3-Clause
// Random right-hand sides.
#include "tools/clsolve/random.h"

static const uint64_t factor = 6364136223846793005u;
static const uint64_t summand = 1442695040888963407u;

void random_fill(double *b, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; ++i) {
        seed = factor * seed + summand;
        b[i] = (double)(int64_t)seed / 9223372036854775808.0;
    }
}

// Squares the step seed -> a seed + c.
uint64_t random_skip(uint64_t seed, int64_t n)
{
    uint64_t a = factor, c = summand;
    for (; n > 0; n /= 2) {
        if (n % 2)
            seed = a * seed + c;
        c *= a + 1;
        a *= a;
    }
    return seed;
}
