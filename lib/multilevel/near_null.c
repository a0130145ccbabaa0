// SPDX-License-Identifier: BSD-3-Clause
// Near-null vectors of a level.
#include "lib/multilevel/near_null.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <math.h>

enum lcl_status lcl_near_null_kernel(lcl_kernel **out, lcl_context *ctx,
                                     const struct lcl_near_null *B,
                                     const char *name, int group)
{
    const struct lcl_spec spec = {.source = "tentative.cl",
                                  .kernel = name,
                                  .group = group,
                                  .block = B->block > 1 ? B->block : 0,
                                  .defines = {{"VECTORS", B->count}}};
    return lcl_kernel_get(out, ctx, &spec);
}

enum lcl_status lcl_near_null_start(struct lcl_near_null *B, lcl_context *ctx,
                                    int64_t nodes, int block)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int64_t rows = nodes * block;
    lcl_kernel *kernel;
    enum lcl_status st;
    *B = (struct lcl_near_null){.block = block, .count = block};
    if ((st = lcl_near_null_kernel(&kernel, ctx, B, "start_vectors",
                                   lcl_vector_group(caps))) < 0 ||
        (st = lcl_buffer_create(&B->vectors, ctx, rows * block, sizeof(double),
                                "near-null vectors")) < 0)
        return st;
    st = LCL_LAUNCH(kernel, lcl_vector_groups(caps), lcl_arg_long(rows),
                    lcl_arg_buffer(B->vectors));
    if (st < 0)
        lcl_near_null_finish(B);
    return st;
}

static void put_column(double *rows, const struct lcl_dense *X, int64_t c)
{
    const double *column = X->val + c * X->rows;
    double most = 0;
    for (int64_t i = 0; i < X->rows; ++i)
        most = fmax(most, fabs(column[i]));
    for (int64_t i = 0; i < X->rows; ++i)
        rows[i * X->cols + c] = most > 0 ? column[i] / most : 0;
}

enum lcl_status lcl_near_null_upload(struct lcl_near_null *B, lcl_context *ctx,
                                     const struct lcl_dense *X, int block)
{
    const int64_t values = X->rows * X->cols;
    double *rows = lcl_malloc((size_t)values, sizeof *rows);
    *B = (struct lcl_near_null){.block = block, .count = (int)X->cols};
    if (!rows)
        return lcl_fail_memory(lcl_context_log(ctx), "near-null vectors");
    for (int64_t c = 0; c < X->cols; ++c)
        put_column(rows, X, c);
    const enum lcl_status st = lcl_buffer_create_from(
        &B->vectors, ctx, rows, values, sizeof *rows, "near-null vectors");
    lcl_free(rows);
    return st;
}

void lcl_near_null_finish(struct lcl_near_null *B)
{
    lcl_buffer_destroy(&B->vectors);
}
