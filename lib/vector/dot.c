// SPDX-License-Identifier: BSD-3-Clause
// Dot products that stay on the device.
#include "lib/vector/dot.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_dot_init(struct lcl_dot *D, lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .kernel = "dot_sums",
        .group = lcl_vector_group(caps),
    };
    D->groups = lcl_vector_groups(caps);
    return lcl_kernel_get(&D->kernel, ctx, &spec);
}

enum lcl_status lcl_dot_run(const struct lcl_dot *D, int64_t n,
                            const lcl_buffer *a, const lcl_buffer *b,
                            lcl_buffer *sums, const lcl_buffer *stop, int at)
{
    return LCL_LAUNCH(D->kernel, D->groups, lcl_arg_long(n), lcl_arg_buffer(a),
                      lcl_arg_buffer(b), lcl_arg_buffer(sums),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}
