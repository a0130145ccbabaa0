// SPDX-License-Identifier: BSD-3-Clause
// Inner products, by their operands.
#pragma once

#include "host/buffer.h"

// <a_j, b> for j < count, where a_j starts at a[j * ld].
struct lcl_dots {
    const lcl_buffer *a, *b;
    int count;
    int64_t ld;
};

// <a, b>
static inline struct lcl_dots lcl_dot(const lcl_buffer *a, const lcl_buffer *b)
{
    return (struct lcl_dots){.a = a, .b = b, .count = 1};
}
