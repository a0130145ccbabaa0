// SPDX-License-Identifier: BSD-3-Clause
// CLBlast, where the build has it.
#pragma once

#include "host/buffer.h"

#include <stdbool.h>

// Whether the build has CLBlast.
bool lcl_blas_there(void);

// Enqueues y = A x, having cleared all of y, for n rows and columns of doubles,
// rows `stride` apart; n is not 0. The first call compiles for seconds. Returns
// LCL_OK, LCL_EDEVICE or LCL_EUNSUPPORTED (a build without CLBlast).
enum lcl_status lcl_blas_gemv(lcl_context *ctx, int64_t n, int64_t stride,
                              const lcl_buffer *A, const lcl_buffer *x,
                              lcl_buffer *y);

// Enqueues y = beta y + alpha A x or, `transposed`, y = beta y + alpha A^T x
// for n rows and k columns of doubles, which start `ld` apart. y must be finite
// even where beta is 0. Statuses as above.
enum lcl_status lcl_blas_gemv_columns(lcl_context *ctx, bool transposed,
                                      int64_t n, int64_t k, int64_t ld,
                                      double alpha, const lcl_buffer *A,
                                      const lcl_buffer *x, double beta,
                                      lcl_buffer *y);

// Lets go of what CLBlast keeps of a context that called it: its programs hold
// references. Other contexts compile theirs again.
void lcl_blas_forget(const lcl_context *ctx);
