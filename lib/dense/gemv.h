// SPDX-License-Identifier: BSD-3-Clause
// Products with a dense matrix on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

enum lcl_gemv_method {
    LCL_GEMV_DOUBLE, // dense.cl
    LCL_GEMV_SINGLE, // dense.cl, on a copy in single precision
    LCL_GEMV_CLBLAST,
    LCL_GEMV_COUNT,
};

struct lcl_gemv {
    lcl_context *ctx;
    enum lcl_gemv_method method;
    int64_t n, stride;
    const lcl_buffer *matrix; // n rows and columns, rows `stride` apart
    lcl_buffer *single;       // the copy
    lcl_kernel *kernel, *narrow;
    int64_t groups;
    int vector_groups;
};

// Products with `matrix`, which outlives the struct. Returns LCL_EUNSUPPORTED
// where the method is CLBlast and the build has none; else statuses as
// lcl_precond_create().
enum lcl_status lcl_gemv_init(struct lcl_gemv *G, lcl_context *ctx,
                              enum lcl_gemv_method method,
                              const lcl_buffer *matrix, int64_t n,
                              int64_t stride);
void lcl_gemv_finish(struct lcl_gemv *G);

// Takes new values of the matrix; enqueued.
enum lcl_status lcl_gemv_update(struct lcl_gemv *G);

// Enqueues y = A x. Nothing happens where element `at` of `stop` (int32) is not
// 0, but that CLBlast does not know of it.
enum lcl_status lcl_gemv_apply(const struct lcl_gemv *G, const lcl_buffer *x,
                               lcl_buffer *y, const lcl_buffer *stop, int at);

// Seconds of one product of n rows by a method, the mean of `launches` after
// one that is not counted.
enum lcl_status lcl_gemv_time(lcl_context *ctx, enum lcl_gemv_method method,
                              int64_t n, int launches, double *seconds);
