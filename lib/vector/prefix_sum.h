// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sums on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include "cl/common/prefix_sum.cl.h"

struct lcl_prefix_sum {
    lcl_kernel *sum, *scan;
    lcl_buffer *sums; // one per group
    int groups;
};

// *S is fit for lcl_prefix_sum_finish() in any case.
enum lcl_status lcl_prefix_sum_init(struct lcl_prefix_sum *S, lcl_context *ctx);
void lcl_prefix_sum_finish(struct lcl_prefix_sum *S);

// Numbers to add up: n of them, or counts[n_of] if `counts` is not NULL and
// n_of not negative; the sum of all goes to counts[total], if not negative.
struct lcl_summands {
    int64_t n;
    const lcl_buffer *in; // uint32
    int kind;             // LCL_SUM_NUMBERS, ...
    lcl_buffer *counts;
    int n_of, total;
};

// out[i] = sum of the numbers before number i, for i <= n, as uint32. Enqueued.
enum lcl_status lcl_prefix_sum(const struct lcl_prefix_sum *S,
                               const struct lcl_summands *what,
                               lcl_buffer *out);
