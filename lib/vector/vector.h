// SPDX-License-Identifier: BSD-3-Clause
// Moves vectors and maps between numberings.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

// The kernel `name` of `source`, which has no parameters and groups of
// lcl_vector_group() work-items. Statuses as lcl_kernel_get().
enum lcl_status lcl_vector_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *source, const char *name);

struct lcl_vector_ops {
    lcl_kernel *gather, *scatter, *invert, *places;
    int groups;
};

// For blocks of `block` consecutive elements each.
enum lcl_status lcl_vector_ops_init(struct lcl_vector_ops *ops,
                                    lcl_context *ctx, int block);

// y[i] = x[map[i]] and y[map[i]] = x[i] for n blocks; map holds uint32. The
// vector that `map` numbers may be a selected part of a buffer.
enum lcl_status lcl_gather(const struct lcl_vector_ops *ops, int64_t n,
                           const lcl_buffer *map, const lcl_buffer *x,
                           lcl_buffer *y);
enum lcl_status lcl_scatter(const struct lcl_vector_ops *ops, int64_t n,
                            const lcl_buffer *map, const lcl_buffer *x,
                            lcl_buffer *y);

// inverse[map[i]] = i for i < n; uint32.
enum lcl_status lcl_map_invert(const struct lcl_vector_ops *ops, int64_t n,
                               const lcl_buffer *map, lcl_buffer *inverse);

// Renumbers n places (uint32): element e of block i becomes element e of block
// map[i].
enum lcl_status lcl_map_places(const struct lcl_vector_ops *ops, int64_t n,
                               const lcl_buffer *map, lcl_buffer *places);
