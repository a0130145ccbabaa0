// SPDX-License-Identifier: BSD-3-Clause
// Products with a dense matrix on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/vector/operands.h"

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
    const lcl_buffer *matrix; // n rows and columns, row stride `stride`
    const lcl_buffer *list;   // `rows` rows of it, int32; NULL: all
    int64_t rows;
    lcl_buffer *single; // the fp32 copy
    lcl_kernel *kernel, *narrow;
    int64_t groups;
    int vector_groups;
};

// Initialises products with `matrix`, which must outlive G. Returns
// LCL_EUNSUPPORTED for CLBlast if the build lacks it; otherwise statuses as
// lcl_precond_create().
enum lcl_status lcl_gemv_init(struct lcl_gemv *G, lcl_context *ctx,
                              enum lcl_gemv_method method,
                              const lcl_buffer *matrix, int64_t n,
                              int64_t stride);
// Products with the `rows` listed rows alone, in double precision: element i of
// y belongs to row list[i].
enum lcl_status lcl_gemv_init_rows(struct lcl_gemv *G, lcl_context *ctx,
                                   const lcl_buffer *matrix, int64_t n,
                                   int64_t stride, const lcl_buffer *list,
                                   int64_t rows);
void lcl_gemv_finish(struct lcl_gemv *G);

// Takes new values of the matrix; enqueued.
enum lcl_status lcl_gemv_update(struct lcl_gemv *G);

// Enqueues y = A x; CLBlast ignores the stopping flag.
enum lcl_status lcl_gemv_apply(const struct lcl_gemv *G,
                               const struct lcl_operands *v);
