// SPDX-License-Identifier: BSD-3-Clause
// What a square matrix on the device looks like.
#include "lib/operator/look.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include "cl/operator/look.cl.h"

#include <math.h>

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A)
{
    const int lanes = 1 << lcl_row_shift(ctx, lcl_row_values(A));
    const struct lcl_spec spec = {
        .source = "look.cl",
        .kernel = "look",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = A->block > 1 ? A->block : 0,
        .defines = {{"LANES_PER_ROW", lanes}},
        .wide = A->wide,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status read_sums(struct lcl_look *look, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const lcl_buffer *sums, double *host)
{
    double sum[LOOK_SUMS] = {0};
    const int groups = A->groups;
    const enum lcl_status st =
        lcl_buffer_read(sums, host, LOOK_SUMS * (size_t)groups * sizeof *host);
    if (st < 0)
        return st;
    for (int q = 0; q < LOOK_SUMS; ++q)
        for (int g = 0; g < groups; ++g)
            sum[q] += host[q * groups + g];
    for (int q = 0; q < 3; ++q)
        if (!(sum[q] >= 0 && sum[q] <= (double)A->n))
            return lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                            "%s computes wrong results: %g of %lld rows",
                            lcl_context_caps(ctx)->name, sum[q],
                            (long long)A->n);
    look->positive = (int64_t)sum[0];
    look->negative = (int64_t)sum[1];
    look->close = (int64_t)sum[2];
    look->opposite = sum[4] > 0 && isfinite(sum[4]) ? sum[3] / sum[4] : 0;
    return LCL_OK;
}

enum lcl_status lcl_look_measure(struct lcl_look *look, lcl_context *ctx,
                                 const struct lcl_device_matrix *A)
{
    const size_t count = LOOK_SUMS * (size_t)A->groups;
    lcl_kernel *kernel;
    lcl_buffer *sums = NULL;
    double *host = lcl_malloc(count, sizeof *host);
    enum lcl_status st;
    *look = (struct lcl_look){.positive = 0};
    if (!host)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    if ((st = get_kernel(&kernel, ctx, A)) == LCL_OK &&
        (st = lcl_buffer_create(&sums, ctx, (int64_t)count, sizeof *host,
                                "partial sums")) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(A->val), lcl_arg_buffer(sums))) ==
            LCL_OK)
        st = read_sums(look, ctx, A, sums, host);
    lcl_buffer_destroy(&sums);
    lcl_free(host);
    return st;
}
