// SPDX-License-Identifier: BSD-3-Clause
// Device systems whose product is a Kronecker operator.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/kron.h"

static const struct lcl_kron_ops *const types[LCL_KRON_COUNT] = {
    [LCL_KRON_DEFAULT] = &lcl_kron_one_pass,
    [LCL_KRON_ONE_PASS] = &lcl_kron_one_pass,
    [LCL_KRON_OKP] = &lcl_kron_okp,
    [LCL_KRON_CU] = &lcl_kron_cu,
};

const struct lcl_kron_ops *lcl_kron_ops_of(enum lcl_kron_type type)
{
    return types[type];
}

enum lcl_status lcl_kron_check_same(const struct lcl_kron *K, uint64_t pattern,
                                    const struct lcl_log *log)
{
    const enum lcl_status st = lcl_kron_check(K, log);
    if (st < 0 || lcl_kron_pattern(K) == pattern)
        return st;
    return lcl_fail(log, LCL_EFORMAT,
                    "the number of stages or a pattern has changed");
}

enum lcl_status lcl_kron_write_coefficients(lcl_buffer *buffer,
                                            const struct lcl_kron *K)
{
    double all[2 * LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    const int s = K->stages;
    for (int i = 0; i < s; ++i)
        for (int j = 0; j < s; ++j) {
            all[j * s + i] = K->A[i * s + j];
            all[(s + j) * s + i] = K->tau * K->B[i * s + j];
        }
    return lcl_buffer_write(buffer, all, (size_t)(2 * s * s) * sizeof *all);
}

// ------------------------------------------------------------------- system

// Row r of stage j gets the internal number r s + j.
static enum lcl_status upload_numbering(struct lcl_system *S, int stages)
{
    const int64_t rows = S->n / stages;
    enum lcl_status st;
    int32_t *perm = lcl_malloc((size_t)S->n, sizeof *perm);
    if (!perm)
        return lcl_fail_memory(lcl_context_log(S->ctx), "a permutation");
    for (int64_t r = 0; r < rows; ++r)
        for (int j = 0; j < stages; ++j)
            perm[r * stages + j] = (int32_t)(j * rows + r);
    if ((st = lcl_vector_ops_init(&S->vector, S->ctx, 1)) == LCL_OK &&
        (st = lcl_buffer_create_from(&S->perm, S->ctx, perm, S->n, sizeof *perm,
                                     "permutation")) == LCL_OK)
        st = lcl_buffer_create(&S->vector_in_a, S->ctx, S->n, sizeof(double),
                               "vector");
    lcl_free(perm);
    return st;
}

// All kernels use one lane per row of a block.
static enum lcl_status check_blocks(lcl_context *ctx, int b)
{
    const int width = lcl_context_caps(ctx)->width;
    if (width == 1 || b <= width)
        return LCL_OK;
    return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                    "blocks of %d rows: a wave of this device has %d lanes", b,
                    width);
}

static enum lcl_status make_product(struct lcl_system *S,
                                    const struct lcl_kron *K,
                                    const struct lcl_kron_ops *ops)
{
    S->product = (struct lcl_spmv){
        .ops = &ops->product,
        .ctx = S->ctx,
        .A = &S->matrix,
        .groups = S->matrix.groups,
    };
    enum lcl_status st;
    if ((st = check_blocks(S->ctx, K->M->block_size)) < 0 ||
        (st = ops->create(&S->product, K)) < 0)
        return st;
    return ops->update(&S->product, K);
}

enum lcl_status lcl_kron_system_init(struct lcl_system *S, lcl_context *ctx,
                                     const struct lcl_kron *K,
                                     enum lcl_kron_type type)
{
    static const int32_t zero = 0;
    const struct lcl_kron_ops *ops = lcl_kron_ops_of(type);
    const int64_t n = lcl_kron_rows(K);
    enum lcl_status st;
    *S = (struct lcl_system){
        .ctx = ctx,
        .n = n,
        .matrix = {.n = n,
                   .block = 1,
                   .block_rows = n,
                   .block_cols = n,
                   .groups = lcl_vector_groups(lcl_context_caps(ctx))},
    };
    lcl_phase_enter(ctx, LCL_PHASE_UPLOAD);
    if ((st = lcl_buffer_create_from(&S->never, ctx, &zero, 1, sizeof zero,
                                     "stop flag")) == LCL_OK &&
        (!ops->stages_innermost || K->stages == 1 ||
         (st = upload_numbering(S, K->stages)) == LCL_OK))
        st = make_product(S, K, ops);
    lcl_phase_leave(ctx);
    return st;
}

enum lcl_status lcl_kron_system_update(struct lcl_system *S,
                                       const struct lcl_kron *K)
{
    const struct lcl_kron_ops *ops =
        (const struct lcl_kron_ops *)S->product.ops;
    return ops->update(&S->product, K);
}
