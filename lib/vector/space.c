// SPDX-License-Identifier: BSD-3-Clause
// Where vectors live.
#include "lib/vector/space.h"

#include "host/geometry.h"

struct lcl_space lcl_space_of(lcl_context *ctx, int64_t n)
{
    return (struct lcl_space){ctx, n, lcl_vector_groups(lcl_context_caps(ctx))};
}

enum lcl_status lcl_space_vector(lcl_buffer **out, const struct lcl_space *V)
{
    return lcl_buffer_create(out, V->ctx, V->n, sizeof(double), "vector");
}

enum lcl_status lcl_space_sums(lcl_buffer **out, const struct lcl_space *V)
{
    return lcl_buffer_create(out, V->ctx, 2 * (int64_t)V->groups,
                             sizeof(double), "partial sums");
}
