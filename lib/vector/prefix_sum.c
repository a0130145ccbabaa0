// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sums on the device.
#include "lib/vector/prefix_sum.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_prefix_sum_init(struct lcl_prefix_sum *S, lcl_context *ctx,
                                    bool wide)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_kernel_plan all[] = {
        {&S->sum, "sum_chunks"},
        {&S->scan, "scan_chunks"},
    };
    const struct lcl_spec spec = {.source = "prefix_sum.cl",
                                  .group = lcl_vector_group(caps),
                                  .wide = wide};
    *S = (struct lcl_prefix_sum){.groups = lcl_vector_groups(caps)};
    const enum lcl_status st =
        lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
    return st < 0 ? st
                  : lcl_buffer_create(&S->sums, ctx, S->groups,
                                      wide ? sizeof(int64_t) : sizeof(int32_t),
                                      "sums of chunks");
}

void lcl_prefix_sum_finish(struct lcl_prefix_sum *S)
{
    lcl_buffer_destroy(&S->sums);
}

enum lcl_status lcl_prefix_sum(const struct lcl_prefix_sum *S, int64_t n,
                               const lcl_buffer *in, lcl_buffer *out)
{
    const enum lcl_status st =
        LCL_LAUNCH(S->sum, S->groups, lcl_arg_long(n), lcl_arg_buffer(in),
                   lcl_arg_buffer(S->sums));
    return st < 0 ? st
                  : LCL_LAUNCH(S->scan, S->groups, lcl_arg_long(n),
                               lcl_arg_buffer(in), lcl_arg_buffer(S->sums),
                               lcl_arg_buffer(out));
}
