// SPDX-License-Identifier: BSD-3-Clause
// The transpose of a Kronecker system: A^T, B^T, and the transposes of the
// matrices on the device.
#include "lib/kron/transposed.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/transpose_values.h"

static int terms_of(const struct lcl_kron_operator *K)
{
    return K->paired ? 1 : 2;
}

// ------------------------------------------------------------------- values

static enum lcl_status transpose_coefficients(const struct lcl_kron_operator *T,
                                              const struct lcl_kron_operator *K)
{
    double from[2 * LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    double to[2 * LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    const int s = K->stages;
    const size_t bytes = (size_t)(2 * s * s) * sizeof *to;
    const enum lcl_status st = lcl_buffer_read(K->coef, from, bytes);
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < s; ++i)
            for (int j = 0; j < s; ++j)
                to[(m * s + i) * s + j] =
                    st < 0 ? 0 : from[(m * s + j) * s + i];
    return st < 0 ? st : lcl_buffer_write(T->coef, to, bytes);
}

enum lcl_status lcl_kron_transpose_values(const lcl_operator *A)
{
    const struct lcl_transposed *T = &A->transposed;
    const struct lcl_kron_operator *K = lcl_kron_of(A);
    const struct lcl_kron_operator *to = T->op->state;
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < terms_of(K) && st == LCL_OK; ++t)
        st = lcl_transposed_fill(T, t, A->range.ctx, &K->term[t],
                                 to->term[t].val);
    return st < 0 ? st : transpose_coefficients(to, K);
}

// ------------------------------------------------------------------- creation

static enum lcl_status make_terms(struct lcl_kron_operator *to,
                                  struct lcl_transposed *T, lcl_context *ctx,
                                  const struct lcl_kron_operator *K)
{
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < terms_of(K) && st == LCL_OK; ++t) {
        struct lcl_device_matrix *B = &to->term[t];
        st = lcl_transposed_pattern(B, &T->map[t], ctx, &K->term[t]);
        if (st == LCL_OK)
            st = lcl_buffer_create(
                &B->val, ctx,
                (int64_t)(lcl_buffer_bytes(K->term[t].val) / sizeof(double)),
                sizeof(double), "values");
    }
    return st;
}

static enum lcl_status set_up(lcl_operator *A)
{
    struct lcl_transposed *T = &A->transposed;
    const struct lcl_kron_operator *K = lcl_kron_of(A);
    lcl_context *ctx = A->range.ctx;
    struct lcl_kron_operator *to = T->op->state = lcl_calloc(1, sizeof *to);
    enum lcl_status st;
    if (!to)
        return lcl_fail_memory(lcl_context_log(ctx), "an operator");
    *to = (struct lcl_kron_operator){
        .ops = K->ops,
        .stages = K->stages,
        .block = K->block,
        .paired = K->paired,
    };
    if ((st = lcl_transposed_kernel(T, ctx, K->block, K->paired ? 2 : 1)) < 0 ||
        (st = make_terms(to, T, ctx, K)) < 0 ||
        (st = lcl_buffer_create(&to->coef, ctx,
                                2 * (int64_t)K->stages * K->stages,
                                sizeof(double), "coefficients")) < 0 ||
        (st = K->ops->complete(T->op)) < 0)
        return st;
    return lcl_kron_transpose_values(A);
}

enum lcl_status lcl_kron_transpose(lcl_operator *A)
{
    const int64_t n = A->range.n;
    struct lcl_transposed *T = &A->transposed;
    enum lcl_status st = lcl_operator_allocate(
        &T->op, A->range.ctx, &lcl_kron_of(A)->ops->op, n, n, 1);
    if (st < 0)
        return st;
    T->op->info.kron = A->info.kron;
    T->op->info.stages = A->info.stages;
    T->op->info.nnz = A->info.nnz;
    T->op->info.block_size = A->info.block_size;
    if ((st = set_up(A)) == LCL_OK)
        A->info.bytes += T->op->info.bytes + lcl_buffer_bytes(T->map[0]) +
                         lcl_buffer_bytes(T->map[1]);
    return st;
}
