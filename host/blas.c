// SPDX-License-Identifier: BSD-3-Clause
// Calls to CLBlast, which calls the loader directly and bypasses the table of
// host/cl.h.
#include "host/blas.h"

#include "host/context.h"
#include "host/interop.h"
#include "host/log.h"

#include <clblast_c.h>
#include <pthread.h>

// CLBlast 1.5 does not lock its program cache correctly (fixed in 1.6.1): one
// call at a time.
static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;

bool lcl_blas_there(void)
{
    return true;
}

static enum lcl_status checked(lcl_context *ctx, CLBlastStatusCode code)
{
    if (code == CLBlastSuccess)
        return LCL_OK;
    return lcl_fail(&ctx->cl.log, LCL_EDEVICE,
                    "CLBlastDgemv failed with code %d", (int)code);
}

enum lcl_status lcl_blas_gemv(lcl_context *ctx, int64_t n, int64_t stride,
                              const lcl_buffer *A, const lcl_buffer *x,
                              lcl_buffer *y)
{
    // with beta = 0 CLBlast still multiplies the old y, and NaN would stay
    const enum lcl_status st = lcl_buffer_fill(y, 0);
    if (st < 0)
        return st;
    ctx->used_blas = true;
    pthread_mutex_lock(&blas_lock);
    const CLBlastStatusCode code = CLBlastDgemv(
        CLBlastLayoutRowMajor, CLBlastTransposeNo, (size_t)n, (size_t)n, 1.0,
        lcl_buffer_mem(A), 0, (size_t)stride, lcl_buffer_mem(x), 0, 1, 0.0,
        lcl_buffer_mem(y), 0, 1, &ctx->queue, NULL);
    pthread_mutex_unlock(&blas_lock);
    return checked(ctx, code);
}

// y = beta y + alpha op(A) x
static enum lcl_status gemv(lcl_context *ctx, CLBlastTranspose op,
                            const double factors[2],
                            const struct lcl_blas_columns *A,
                            const lcl_buffer *x, lcl_buffer *y)
{
    ctx->used_blas = true;
    pthread_mutex_lock(&blas_lock);
    const CLBlastStatusCode code = CLBlastDgemv(
        CLBlastLayoutColMajor, op, (size_t)A->n, (size_t)A->k, factors[0],
        lcl_buffer_mem(A->values), 0, (size_t)A->ld, lcl_buffer_mem(x), 0, 1,
        factors[1], lcl_buffer_mem(y), 0, 1, &ctx->queue, NULL);
    pthread_mutex_unlock(&blas_lock);
    return checked(ctx, code);
}

enum lcl_status lcl_blas_subtract(lcl_context *ctx,
                                  const struct lcl_blas_columns *A,
                                  const lcl_buffer *x, lcl_buffer *y)
{
    static const double factors[] = {-1, 1};
    return gemv(ctx, CLBlastTransposeNo, factors, A, x, y);
}

enum lcl_status lcl_blas_transposed(lcl_context *ctx,
                                    const struct lcl_blas_columns *A,
                                    const lcl_buffer *x, lcl_buffer *y)
{
    static const double factors[] = {1, 0};
    return gemv(ctx, CLBlastTransposeYes, factors, A, x, y);
}

void lcl_blas_forget(const lcl_context *ctx)
{
    if (!ctx->used_blas)
        return;
    pthread_mutex_lock(&blas_lock);
    CLBlastClearCache();
    pthread_mutex_unlock(&blas_lock);
}
