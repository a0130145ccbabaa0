// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sums on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include <stdbool.h>

struct lcl_prefix_sum {
    lcl_kernel *sum, *scan;
    lcl_buffer *sums; // one per group
    int groups;
};

// `wide`: sums have 64 instead of 32 bits. *S is fit for
// lcl_prefix_sum_finish() in any case.
enum lcl_status lcl_prefix_sum_init(struct lcl_prefix_sum *S, lcl_context *ctx,
                                    bool wide);
void lcl_prefix_sum_finish(struct lcl_prefix_sum *S);

// out[i] = in[0] + ... + in[i - 1] for i <= n; `in` has n uint32, `out` n + 1
// uint32, or uint64 if wide. Enqueued.
enum lcl_status lcl_prefix_sum(const struct lcl_prefix_sum *S, int64_t n,
                               const lcl_buffer *in, lcl_buffer *out);
