// SPDX-License-Identifier: BSD-3-Clause
// Dot products that stay on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

struct lcl_dot {
    lcl_kernel *kernel;
    int groups;
};

enum lcl_status lcl_dot_init(struct lcl_dot *D, lcl_context *ctx);

// Enqueues sums[g] = group g's partial sum of <a, b>, for lcl_vector_groups()
// groups; does nothing if stop[at] (int32) is not 0.
enum lcl_status lcl_dot_run(const struct lcl_dot *D, int64_t n,
                            const lcl_buffer *a, const lcl_buffer *b,
                            lcl_buffer *sums, const lcl_buffer *stop, int at);
