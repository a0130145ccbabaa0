// SPDX-License-Identifier: BSD-3-Clause
// Reference of prefix_sum.cl.
#include "lib/ref/prefix_sum.h"

void lcl_ref_prefix_sum(int64_t n, const uint32_t *in, uint64_t *out)
{
    out[0] = 0;
    for (int64_t i = 0; i < n; ++i)
        out[i + 1] = out[i] + in[i];
}
