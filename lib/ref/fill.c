// SPDX-License-Identifier: BSD-3-Clause
// Reference of the levels of fill: the definition on all positions.
#include "lib/ref/fill.h"

// lev(i, j) = min(lev(i, j), lev(i, m) + lev(m, j) + 1)
void lcl_ref_fill(int32_t *level, int64_t n)
{
    for (int64_t m = 0; m < n; ++m)
        for (int64_t i = m + 1; i < n; ++i)
            for (int64_t j = m + 1; j < n; ++j) {
                const int64_t filled =
                    (int64_t)level[i * n + m] + level[m * n + j] + 1;
                if (filled < level[i * n + j])
                    level[i * n + j] = (int32_t)filled;
            }
}
