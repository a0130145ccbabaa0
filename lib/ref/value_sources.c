// SPDX-License-Identifier: BSD-3-Clause
// Reference of values that come from a caller's.
#include "lib/ref/value_sources.h"

static double signed_value(const double *x, uint32_t s, bool is_signed)
{
    if (!is_signed)
        return x[s];
    const double v = x[s & INT32_MAX];
    return s > INT32_MAX ? -v : v;
}

void lcl_ref_sources(double *val, int64_t n, int64_t entries,
                     const uint32_t *of, const uint32_t *start,
                     const uint32_t *list, const double *x, bool is_signed)
{
    for (int64_t v = 0; v < n; ++v) {
        const int64_t s = is_signed ? of[v] & INT32_MAX : of[v];
        val[v] = 0;
        if (of[v] == UINT32_MAX)
            continue;
        if (s < entries) {
            val[v] = signed_value(x, of[v], is_signed);
            continue;
        }
        val[v] = signed_value(x, list[start[s - entries]], is_signed);
        for (uint32_t k = start[s - entries] + 1; k < start[s - entries + 1];
             ++k)
            val[v] += signed_value(x, list[k], is_signed);
    }
}
