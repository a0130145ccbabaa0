// SPDX-License-Identifier: BSD-3-Clause
// Reference of the prefix sums of vector.cl.
#pragma once

#include <stdint.h>

// out[i] = sum of the numbers before number i, for i <= n. `kind`:
// LCL_SUM_NUMBERS, ...
void lcl_ref_prefix_sum(int64_t n, const uint32_t *in, int kind, uint32_t *out);
