// SPDX-License-Identifier: BSD-3-Clause
// Reference of the prefix sums of vector.cl.
#include "lib/ref/prefix_sum.h"

#include "cl/common/prefix_sum.cl.h"

// A vertex without a mate has the number -1 for one.
static uint32_t number_at(int64_t i, uint32_t in, int kind)
{
    const int32_t mate = (int32_t)in;
    return kind == LCL_SUM_LEADERS ? mate < 0 || i < mate
           : kind == LCL_SUM_USED  ? in != 0
                                   : in;
}

void lcl_ref_prefix_sum(int64_t n, const uint32_t *in, int kind, uint32_t *out)
{
    out[0] = 0;
    for (int64_t i = 0; i < n; ++i)
        out[i + 1] = out[i] + number_at(i, in[i], kind);
}
