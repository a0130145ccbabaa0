// SPDX-License-Identifier: BSD-3-Clause
// Random right-hand sides.
#include "tools/random.h"

void random_fill(double *b, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; ++i) {
        seed = 6364136223846793005u * seed + 1442695040888963407u;
        b[i] = (double)(int64_t)seed / 9223372036854775808.0;
    }
}
