// SPDX-License-Identifier: BSD-3-Clause
// Moves vectors and maps between numberings.
#include "lib/vector/vector.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_vector_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *source, const char *name)
{
    const struct lcl_spec spec = {
        .source = source,
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernel_get(out, ctx, &spec);
}

enum lcl_status lcl_vector_ops_init(struct lcl_vector_ops *ops,
                                    lcl_context *ctx, int block)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_kernel_plan all[] = {
        {&ops->gather, "gather"},
        {&ops->scatter, "scatter"},
        {&ops->invert, "invert_map"},
        {&ops->places, "move_places"},
    };
    const struct lcl_spec spec = {.source = "vector.cl",
                                  .group = lcl_vector_group(caps),
                                  .block = block > 1 ? block : 0};
    ops->groups = lcl_vector_groups(caps);
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

enum lcl_status lcl_gather(const struct lcl_vector_ops *ops, int64_t n,
                           const lcl_buffer *map, const lcl_buffer *x,
                           lcl_buffer *y)
{
    return LCL_LAUNCH(ops->gather, ops->groups, lcl_arg_long(n),
                      lcl_arg_buffer(map), lcl_arg_long(lcl_buffer_first(x)),
                      lcl_arg_buffer(x), lcl_arg_buffer(y));
}

enum lcl_status lcl_scatter(const struct lcl_vector_ops *ops, int64_t n,
                            const lcl_buffer *map, const lcl_buffer *x,
                            lcl_buffer *y)
{
    return LCL_LAUNCH(ops->scatter, ops->groups, lcl_arg_long(n),
                      lcl_arg_buffer(map), lcl_arg_long(lcl_buffer_first(y)),
                      lcl_arg_buffer(x), lcl_arg_buffer(y));
}

enum lcl_status lcl_map_invert(const struct lcl_vector_ops *ops, int64_t n,
                               const lcl_buffer *map, lcl_buffer *inverse)
{
    return LCL_LAUNCH(ops->invert, ops->groups, lcl_arg_long(n),
                      lcl_arg_buffer(map), lcl_arg_buffer(inverse));
}

enum lcl_status lcl_map_places(const struct lcl_vector_ops *ops, int64_t n,
                               const lcl_buffer *map, lcl_buffer *places)
{
    return LCL_LAUNCH(ops->places, ops->groups, lcl_arg_long(n),
                      lcl_arg_buffer(map), lcl_arg_buffer(places));
}
