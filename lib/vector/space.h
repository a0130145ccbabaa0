// SPDX-License-Identifier: BSD-3-Clause
// Where vectors live.
#pragma once

#include "host/buffer.h"

// Vectors of n doubles on the device of a context. A reduction leaves one
// partial sum per group.
struct lcl_space {
    lcl_context *ctx;
    int64_t n;
    int groups; // lcl_vector_groups() of the device
};

struct lcl_space lcl_space_of(lcl_context *ctx, int64_t n);

// Creates a vector, uninitialised. Statuses as lcl_buffer_create().
enum lcl_status lcl_space_vector(lcl_buffer **out, const struct lcl_space *V);

// Creates room for two partial sums per group.
enum lcl_status lcl_space_sums(lcl_buffer **out, const struct lcl_space *V);
