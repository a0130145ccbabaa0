// SPDX-License-Identifier: BSD-3-Clause
// Sums over the rows of a matrix.
#include "lib/operator/row_sums.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  struct lcl_spec spec, int64_t shared)
{
    spec.group = lcl_vector_group(lcl_context_caps(ctx));
    spec.block = A->block > 1 ? A->block : 0;
    spec.wide = A->wide;
    lcl_spec_set(&spec, "LANES_PER_ROW", 1 << lcl_row_shift(ctx, shared));
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status add_up(double *sum, int count, const lcl_buffer *sums,
                              double *host, int groups)
{
    const enum lcl_status st = lcl_buffer_read(
        sums, host, (size_t)count * (size_t)groups * sizeof *host);
    for (int k = 0; k < count * groups && st == LCL_OK; ++k)
        sum[k / groups] += host[k];
    return st;
}

enum lcl_status lcl_row_sums(double *sum, int count, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             struct lcl_spec spec, int64_t shared)
{
    const size_t partial = (size_t)count * (size_t)A->groups;
    lcl_kernel *kernel;
    lcl_buffer *sums = NULL;
    double *host = lcl_malloc(partial, sizeof *host);
    enum lcl_status st;
    for (int q = 0; q < count; ++q)
        sum[q] = 0;
    if (!host)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    if ((st = get_kernel(&kernel, ctx, A, spec, shared)) == LCL_OK &&
        (st = lcl_buffer_create(&sums, ctx, (int64_t)partial, sizeof *host,
                                "partial sums")) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(A->val), lcl_arg_buffer(sums))) ==
            LCL_OK)
        st = add_up(sum, count, sums, host, A->groups);
    lcl_buffer_destroy(&sums);
    lcl_free(host);
    return st;
}
