// SPDX-License-Identifier: BSD-3-Clause
// Stubs of the functions of blas.c for a build without CLBlast.
#include "host/blas.h"

bool lcl_blas_there(void)
{
    return false;
}

enum lcl_status lcl_blas_gemv(lcl_context *ctx, int64_t n, int64_t stride,
                              const lcl_buffer *A, const lcl_buffer *x,
                              lcl_buffer *y)
{
    (void)ctx, (void)n, (void)stride, (void)A, (void)x, (void)y;
    return LCL_EUNSUPPORTED;
}

enum lcl_status lcl_blas_subtract(lcl_context *ctx,
                                  const struct lcl_blas_columns *A,
                                  const lcl_buffer *x, lcl_buffer *y)
{
    (void)ctx, (void)A, (void)x, (void)y;
    return LCL_EUNSUPPORTED;
}

enum lcl_status lcl_blas_transposed(lcl_context *ctx,
                                    const struct lcl_blas_columns *A,
                                    const lcl_buffer *x, lcl_buffer *y)
{
    (void)ctx, (void)A, (void)x, (void)y;
    return LCL_EUNSUPPORTED;
}

void lcl_blas_forget(const lcl_context *ctx)
{
    (void)ctx;
}
