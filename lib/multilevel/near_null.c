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

static enum lcl_status find_largest(double largest[LCL_BLOCK_MAX],
                                    const struct lcl_dense *X,
                                    struct lcl_comm *comm)
{
    const size_t cols = (size_t)X->cols;
    const void *all;
    for (size_t c = 0; c < cols; ++c) {
        largest[c] = 0;
        for (int64_t i = 0; i < X->rows; ++i)
            largest[c] =
                fmax(largest[c], fabs(X->val[(int64_t)c * X->rows + i]));
    }
    const enum lcl_status st =
        comm ? lcl_comm_all(comm, largest, cols * sizeof *largest, &all)
             : LCL_OK;
    for (int r = 0; comm && r < comm->size && st == LCL_OK; ++r)
        for (size_t c = 0; c < cols; ++c)
            largest[c] =
                fmax(largest[c], ((const double *)all)[(size_t)r * cols + c]);
    return st;
}

static void put_column(double *rows, const struct lcl_dense *X, int64_t c,
                       double largest)
{
    const double *column = X->val + c * X->rows;
    for (int64_t i = 0; i < X->rows; ++i)
        rows[i * X->cols + c] = largest > 0 ? column[i] / largest : 0;
}

enum lcl_status lcl_near_null_upload(struct lcl_near_null *B, lcl_context *ctx,
                                     const struct lcl_dense *X, int block,
                                     struct lcl_comm *comm)
{
    const int64_t values = X->rows * X->cols;
    double *rows = lcl_malloc((size_t)values, sizeof *rows);
    double largest[LCL_BLOCK_MAX];
    *B = (struct lcl_near_null){.block = block, .count = (int)X->cols};
    if (!rows)
        return lcl_fail_memory(lcl_context_log(ctx), "near-null vectors");
    enum lcl_status st = find_largest(largest, X, comm);
    for (int64_t c = 0; c < X->cols && st == LCL_OK; ++c)
        put_column(rows, X, c, largest[c]);
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&B->vectors, ctx, rows, values,
                                    sizeof *rows, "near-null vectors");
    lcl_free(rows);
    return st;
}

void lcl_near_null_finish(struct lcl_near_null *B)
{
    lcl_buffer_destroy(&B->vectors);
}
