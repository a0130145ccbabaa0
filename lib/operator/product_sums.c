// SPDX-License-Identifier: BSD-3-Clause
// Derives the other products from y = A x.
#include "lib/operator/product_sums.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_product_sums_kernel(lcl_kernel **out, lcl_context *ctx)
{
    const struct lcl_spec spec = {
        .source = "product_sums.cl",
        .kernel = "product_sums",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernel_get(out, ctx, &spec);
}

enum lcl_status lcl_product_sums(lcl_kernel *kernel, const struct lcl_spmv *S,
                                 enum lcl_product product,
                                 const struct lcl_operands *v)
{
    if (product == LCL_PRODUCT_PLAIN)
        return LCL_OK;
    return LCL_LAUNCH(kernel, S->groups, lcl_arg_int(product),
                      lcl_arg_long(S->A->n), lcl_arg_buffer(v->w),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
