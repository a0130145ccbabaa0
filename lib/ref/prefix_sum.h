// SPDX-License-Identifier: BSD-3-Clause
// Reference of prefix_sum.cl.
#pragma once

#include <stdint.h>

// out[i] = in[0] + ... + in[i - 1] for i <= n
void lcl_ref_prefix_sum(int64_t n, const uint32_t *in, uint64_t *out);
