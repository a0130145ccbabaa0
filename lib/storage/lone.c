// SPDX-License-Identifier: BSD-3-Clause
// Lone rows on the device.
#include "lib/storage/lone.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/vector/space.h"

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const char *name)
{
    const struct lcl_spec spec = {.source = "lone.cl",
                                  .kernel = name,
                                  .group =
                                      lcl_vector_group(lcl_context_caps(ctx)),
                                  .wide = A->wide};
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status enqueue_sums(lcl_buffer *sums, lcl_buffer *lone,
                                    lcl_context *ctx,
                                    const struct lcl_device_matrix *A)
{
    lcl_kernel *find, *add;
    enum lcl_status st;
    if ((st = get_kernel(&find, ctx, A, "find_lone")) < 0 ||
        (st = get_kernel(&add, ctx, A, "lone_asymmetry")) < 0 ||
        (st = LCL_LAUNCH(find, A->groups, lcl_arg_long(A->n),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(A->val), lcl_arg_buffer(lone))) < 0)
        return st;
    return LCL_LAUNCH(add, A->groups, lcl_arg_long(A->n),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(lone),
                      lcl_arg_buffer(sums));
}

enum lcl_status lcl_lone_asymmetry(double sum[2], lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    lcl_buffer *sums = NULL, *lone = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&lone, ctx, A->n, 1, "lone rows")) == LCL_OK &&
        (st = lcl_buffer_create(&sums, ctx, 2 * (int64_t)A->groups, sizeof *sum,
                                "partial sums")) == LCL_OK &&
        (st = enqueue_sums(sums, lone, ctx, A)) == LCL_OK)
        st = lcl_read_sums(sum, sums, 2, A->groups, lcl_context_log(ctx));
    lcl_buffer_destroy(&lone);
    lcl_buffer_destroy(&sums);
    return st;
}

enum lcl_status lcl_lone_solve(lcl_context *ctx,
                               const struct lcl_device_matrix *A,
                               const lcl_buffer *b, lcl_buffer *x)
{
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, A, "solve_lone");
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->n),
                               lcl_arg_buffer(A->row_ptr),
                               lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                               lcl_arg_buffer(b), lcl_arg_buffer(x));
}
