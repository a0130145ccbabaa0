// SPDX-License-Identifier: BSD-3-Clause
// Products with a dense matrix on the device.
#include "lib/dense/gemv.h"

#include "host/blas.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

enum { STORED_SINGLE = 2 }; // LCL_STORAGE of dense.cl

enum { WAVES = 8 };

static enum lcl_status get_kernels(struct lcl_gemv *G)
{
    const struct lcl_caps *caps = lcl_context_caps(G->ctx);
    const bool single = G->method == LCL_GEMV_SINGLE;
    struct lcl_spec spec = {.source = "dense.cl",
                            .kernel =
                                G->list ? "dense_gemv_rows" : "dense_gemv",
                            .group = lcl_wave_group(caps, WAVES),
                            .storage = single ? STORED_SINGLE : 0};
    G->vector_groups = lcl_vector_groups(caps);
    G->groups = caps->width == 1
                    ? G->vector_groups
                    : (G->rows * caps->width + spec.group - 1) / spec.group;
    const enum lcl_status st = lcl_kernel_get(&G->kernel, G->ctx, &spec);
    if (st < 0 || !single)
        return st;
    spec.kernel = "dense_narrow";
    return lcl_kernel_get(&G->narrow, G->ctx, &spec);
}

enum lcl_status lcl_gemv_init(struct lcl_gemv *G, lcl_context *ctx,
                              enum lcl_gemv_method method,
                              const lcl_buffer *matrix, int64_t n,
                              int64_t stride)
{
    *G = (struct lcl_gemv){.ctx = ctx,
                           .method = method,
                           .n = n,
                           .stride = stride,
                           .matrix = matrix,
                           .rows = n};
    if (method == LCL_GEMV_CLBLAST)
        return lcl_blas_there()
                   ? LCL_OK
                   : lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                              "this build does not include CLBlast");
    enum lcl_status st = get_kernels(G);
    if (st == LCL_OK && method == LCL_GEMV_SINGLE)
        st = lcl_buffer_create(&G->single, ctx, stride * stride, sizeof(float),
                               "coarse inverse");
    return st;
}

enum lcl_status lcl_gemv_init_rows(struct lcl_gemv *G, lcl_context *ctx,
                                   const lcl_buffer *matrix, int64_t n,
                                   int64_t stride, const lcl_buffer *list,
                                   int64_t rows)
{
    *G = (struct lcl_gemv){.ctx = ctx,
                           .method = LCL_GEMV_DOUBLE,
                           .n = n,
                           .stride = stride,
                           .matrix = matrix,
                           .list = list,
                           .rows = rows};
    return get_kernels(G);
}

void lcl_gemv_finish(struct lcl_gemv *G)
{
    lcl_buffer_destroy(&G->single);
}

enum lcl_status lcl_gemv_update(struct lcl_gemv *G)
{
    if (G->method != LCL_GEMV_SINGLE)
        return LCL_OK;
    return LCL_LAUNCH(G->narrow, G->vector_groups,
                      lcl_arg_long(G->stride * G->stride),
                      lcl_arg_buffer(G->matrix), lcl_arg_buffer(G->single));
}

static enum lcl_status apply_rows(const struct lcl_gemv *G,
                                  const struct lcl_operands *v)
{
    return LCL_LAUNCH(G->kernel, G->groups, lcl_arg_long(G->rows),
                      lcl_arg_buffer(G->list), lcl_arg_long(G->n),
                      lcl_arg_long(G->stride), lcl_arg_buffer(G->matrix),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

enum lcl_status lcl_gemv_apply(const struct lcl_gemv *G,
                               const struct lcl_operands *v)
{
    if (G->list)
        return apply_rows(G, v);
    if (G->method == LCL_GEMV_CLBLAST)
        return lcl_blas_gemv(G->ctx, G->n, G->stride, G->matrix, v->x, v->y);
    return LCL_LAUNCH(
        G->kernel, G->groups, lcl_arg_long(G->n), lcl_arg_long(G->stride),
        lcl_arg_buffer(G->single ? G->single : G->matrix), lcl_arg_buffer(v->x),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
