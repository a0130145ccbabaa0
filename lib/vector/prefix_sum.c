// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sums on the device.
#include "lib/vector/prefix_sum.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_prefix_sum_init(struct lcl_prefix_sum *S, lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_kernel_plan all[] = {
        {&S->sum, "sum_chunks"},
        {&S->scan, "scan_chunks"},
    };
    const struct lcl_spec spec = {.source = "vector.cl",
                                  .group = lcl_vector_group(caps)};
    *S = (struct lcl_prefix_sum){.groups = lcl_vector_groups(caps)};
    const enum lcl_status st =
        lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
    return st < 0 ? st
                  : lcl_buffer_create(&S->sums, ctx, S->groups,
                                      sizeof(uint32_t), "sums of chunks");
}

void lcl_prefix_sum_finish(struct lcl_prefix_sum *S)
{
    lcl_buffer_destroy(&S->sums);
}

enum lcl_status lcl_prefix_sum(const struct lcl_prefix_sum *S,
                               const struct lcl_summands *what, lcl_buffer *out)
{
    const struct lcl_arg n = lcl_arg_long(what->n);
    const struct lcl_arg of = lcl_arg_int(what->counts ? what->n_of : -1);
    const struct lcl_arg at = lcl_arg_int(what->counts ? what->total : -1);
    const struct lcl_arg kind = lcl_arg_int(what->kind);
    const struct lcl_arg in = lcl_arg_buffer(what->in);
    const struct lcl_arg counts = lcl_arg_buffer(what->counts);
    const struct lcl_arg sums = lcl_arg_buffer(S->sums);
    const enum lcl_status st =
        LCL_LAUNCH(S->sum, S->groups, n, of, kind, in, counts, sums);
    return st < 0 ? st
                  : LCL_LAUNCH(S->scan, S->groups, n, of, kind, in, counts,
                               sums, lcl_arg_buffer(out), at);
}
