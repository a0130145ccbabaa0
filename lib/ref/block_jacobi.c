// SPDX-License-Identifier: BSD-3-Clause
// Reference of the block-Jacobi preconditioner: block by block.
#include "lib/ref/block_jacobi.h"

#include "host/alloc.h"
#include "lib/dense/host_inverse.h"
#include "lib/matrix/csr.h"
#include "lib/ref/store.h"

#include <math.h>

static int64_t rows_of(const struct lcl_ref_block_jacobi *J, int64_t p)
{
    return J->ptr[p + 1] - J->ptr[p];
}

static void extract(double *D, const struct lcl_csr *A, int64_t first,
                    int64_t m)
{
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < m; ++j) {
            const int64_t k = lcl_csr_find(A, first + i, first + j);
            D[i * m + j] = k < 0 ? 0 : A->val[k];
        }
}

static bool is_finite(const double *D, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(D[i]))
            return false;
    return true;
}

static double max_norm(const double *D, int64_t m)
{
    double norm = 0;
    for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < m; ++j)
            sum += fabs(D[i * m + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static void invert_diagonal(double *X, const double *D, int64_t m)
{
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < m; ++j) {
            const double inverse = 1 / D[i * m + i];
            const bool sound = inverse != 0 && isfinite(inverse);
            X[i * m + j] = i != j ? 0 : sound ? inverse : 1;
        }
}

static enum lcl_status invert(struct lcl_ref_block_jacobi *J, int64_t p,
                              const double *D)
{
    const int64_t m = rows_of(J, p);
    double *X = J->inverse + J->at[p];
    int64_t pinned = 0;
    J->bad[p] = !is_finite(D, m * m);
    if (!J->bad[p]) {
        const enum lcl_status st = lcl_host_inverse(X, D, m, m, &pinned);
        if (st < 0)
            return st;
        J->bad[p] = pinned > 0 || !is_finite(X, m * m);
    }
    J->norm[p] = max_norm(D, m);
    J->norm_inverse[p] = max_norm(X, m);
    if (J->bad[p])
        invert_diagonal(X, D, m);
    return LCL_OK;
}

static enum lcl_status allocate(struct lcl_ref_block_jacobi *J)
{
    const size_t blocks = (size_t)J->blocks;
    J->at = lcl_calloc(blocks + 1, sizeof *J->at);
    J->norm = lcl_calloc(blocks, sizeof *J->norm);
    J->norm_inverse = lcl_calloc(blocks, sizeof *J->norm_inverse);
    J->bad = lcl_calloc(blocks, sizeof *J->bad);
    if (!J->at || !J->norm || !J->norm_inverse || !J->bad)
        return LCL_ENOMEM;
    for (int64_t p = 0; p < J->blocks; ++p)
        J->at[p + 1] = J->at[p] + rows_of(J, p) * rows_of(J, p);
    J->inverse = lcl_calloc((size_t)J->at[blocks], sizeof *J->inverse);
    return J->inverse ? LCL_OK : LCL_ENOMEM;
}

enum lcl_status lcl_ref_block_jacobi_init(
    struct lcl_ref_block_jacobi *J, const struct lcl_csr *A,
    const struct lcl_diagonal_blocks *blocks)
{
    const size_t largest = (size_t)blocks->rows_max * (size_t)blocks->rows_max;
    *J = (struct lcl_ref_block_jacobi){.blocks = blocks->count,
                                       .ptr = blocks->ptr};
    double *D = lcl_calloc(largest, sizeof *D);
    enum lcl_status st = D ? allocate(J) : LCL_ENOMEM;
    for (int64_t p = 0; p < J->blocks && st == LCL_OK; ++p) {
        extract(D, A, J->ptr[p], rows_of(J, p));
        st = invert(J, p, D);
    }
    lcl_free(D);
    if (st < 0)
        lcl_ref_block_jacobi_finish(J);
    return st;
}

void lcl_ref_block_jacobi_finish(struct lcl_ref_block_jacobi *J)
{
    lcl_free(J->at);
    lcl_free(J->inverse);
    lcl_free(J->norm);
    lcl_free(J->norm_inverse);
    lcl_free(J->bad);
    *J = (struct lcl_ref_block_jacobi){0};
}

void lcl_ref_block_jacobi_apply(const struct lcl_ref_block_jacobi *J,
                                const enum lcl_factor_storage *storage,
                                const double *b, double *x)
{
    for (int64_t p = 0; p < J->blocks; ++p) {
        const int64_t m = rows_of(J, p), first = J->ptr[p];
        const double *X = J->inverse + J->at[p];
        for (int64_t i = 0; i < m; ++i) {
            x[first + i] = 0;
            for (int64_t j = 0; j < m; ++j)
                x[first + i] +=
                    lcl_ref_rounded(X[i * m + j], storage[p]) * b[first + j];
        }
    }
}

enum lcl_factor_storage lcl_ref_block_storage(
    const struct lcl_ref_block_jacobi *J, int64_t p)
{
    const double cond = J->norm[p] * J->norm_inverse[p];
    const double size = J->norm_inverse[p];
    if (J->bad[p] || size >= ldexp(1, 127))
        return LCL_FACTOR_STORAGE_FP64;
    if (ldexp(cond, -8) < 0.1 && ldexp(size, -8) > ldexp(1, -126))
        return LCL_FACTOR_STORAGE_BF16;
    if (ldexp(cond, -24) < 0.1 && ldexp(size, -24) > ldexp(1, -126))
        return LCL_FACTOR_STORAGE_FP32;
    return LCL_FACTOR_STORAGE_FP64;
}
