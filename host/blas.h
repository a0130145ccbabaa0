// SPDX-License-Identifier: BSD-3-Clause
// Calls to CLBlast, if the build includes it.
#pragma once

#include "host/buffer.h"

#include <stdbool.h>

// Whether the build includes CLBlast.
bool lcl_blas_there(void);

// Enqueues clearing all of y, then y = A x for n rows and columns of doubles,
// with rows `stride` apart; n is not 0. The first call compiles for seconds.
// Returns LCL_OK, LCL_EDEVICE or LCL_EUNSUPPORTED (a build without CLBlast).
enum lcl_status lcl_blas_gemv(lcl_context *ctx, int64_t n, int64_t stride,
                              const lcl_buffer *A, const lcl_buffer *x,
                              lcl_buffer *y);

// A dense matrix of n rows and k columns of doubles, columns `ld` apart.
struct lcl_blas_columns {
    int64_t n, k, ld;
    const lcl_buffer *values;
};

// Enqueue y = y - A x, and y = A^T x for a y that is finite. Statuses as above.
enum lcl_status lcl_blas_subtract(lcl_context *ctx,
                                  const struct lcl_blas_columns *A,
                                  const lcl_buffer *x, lcl_buffer *y);
enum lcl_status lcl_blas_transposed(lcl_context *ctx,
                                    const struct lcl_blas_columns *A,
                                    const lcl_buffer *x, lcl_buffer *y);

// Clears the program cache of CLBlast, which holds references to a context that
// used it. Other contexts recompile their programs.
void lcl_blas_forget(const lcl_context *ctx);
