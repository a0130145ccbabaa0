// SPDX-License-Identifier: BSD-3-Clause
// Derives the other modes from y = Op x.
#include "lib/operator/modes.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_modes_kernel(lcl_kernel **out, lcl_context *ctx)
{
    const struct lcl_spec spec = {
        .source = "product_sums.cl",
        .kernel = "product_sums",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernel_get(out, ctx, &spec);
}

enum lcl_status lcl_modes_complete(lcl_kernel *kernel,
                                   const struct lcl_space *range,
                                   enum lcl_mode mode,
                                   const struct lcl_operands *v)
{
    if (mode == LCL_APPLY)
        return LCL_OK;
    return LCL_LAUNCH(kernel, range->groups, lcl_arg_int(mode),
                      lcl_arg_long(range->n), lcl_arg_buffer(v->w),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
