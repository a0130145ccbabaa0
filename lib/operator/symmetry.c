// SPDX-License-Identifier: BSD-3-Clause
// Symmetry test of a matrix on the device.
#include "lib/operator/symmetry.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <math.h>

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *D)
{
    const int lanes = 1 << lcl_row_shift(ctx, lcl_row_values(D) * D->block);
    const struct lcl_spec spec = {
        .source = "symmetry.cl",
        .kernel = "symmetry",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = D->block > 1 ? D->block : 0,
        .wide = D->wide,
        .defines = {{"LANES_PER_ROW", lanes}},
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status read_sums(double *difference, const lcl_buffer *sums,
                                 double *host, int groups)
{
    const enum lcl_status st =
        lcl_buffer_read(sums, host, 2 * (size_t)groups * sizeof *host);
    double sum = 0, scale = 0;
    for (int g = 0; g < groups && st == LCL_OK; ++g) {
        sum += host[g];
        scale += host[groups + g];
    }
    *difference = scale > 0 ? fabs(sum) / scale : 0;
    return st;
}

enum lcl_status lcl_symmetry_measure(double *difference, lcl_context *ctx,
                                     const struct lcl_device_matrix *D)
{
    const size_t count = 2 * (size_t)D->groups;
    lcl_kernel *kernel;
    lcl_buffer *sums = NULL;
    double *host = lcl_malloc(count, sizeof *host);
    enum lcl_status st;
    *difference = 0;
    if (!host)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    if ((st = get_kernel(&kernel, ctx, D)) == LCL_OK &&
        (st = lcl_buffer_create(&sums, ctx, (int64_t)count, sizeof *host,
                                "partial sums")) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, D->groups, lcl_arg_long(D->block_rows),
                         lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                         lcl_arg_buffer(D->val), lcl_arg_buffer(sums))) ==
            LCL_OK)
        st = read_sums(difference, sums, host, D->groups);
    lcl_buffer_destroy(&sums);
    lcl_free(host);
    return st;
}
