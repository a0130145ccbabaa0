// SPDX-License-Identifier: BSD-3-Clause
// Reference of values that come from a caller's.
#include "lib/ref/value_sources.h"

void lcl_ref_sources(double *val, int64_t n, int64_t entries,
                     const uint32_t *of, const uint32_t *start,
                     const uint32_t *list, const double *x)
{
    for (int64_t v = 0; v < n; ++v) {
        if (of[v] < entries) {
            val[v] = x[of[v]];
            continue;
        }
        val[v] = 0;
        if (of[v] == UINT32_MAX)
            continue;
        const int64_t g = of[v] - entries;
        val[v] = x[list[start[g]]];
        for (uint32_t k = start[g] + 1; k < start[g + 1]; ++k)
            val[v] += x[list[k]];
    }
}
