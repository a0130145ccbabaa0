// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators: creation, numbering, new values.
#include "lib/kron/operator.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/published.h>

static const struct lcl_kron_ops *const types[LCL_KRON_COUNT] = {
    [LCL_KRON_DEFAULT] = &lcl_kron_one_pass,
    [LCL_KRON_ONE_PASS] = &lcl_kron_one_pass,
    [LCL_KRON_OKP] = &lcl_kron_okp,
    [LCL_KRON_CU] = &lcl_kron_cu,
};

bool lcl_kron_is_published(enum lcl_kron_type type)
{
    return types[type]->apply_rank;
}

const struct lcl_kron_operator *lcl_kron_of(const lcl_operator *A)
{
    return A->info.kron && !A->part && !A->team ? A->state : NULL;
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

// ------------------------------------------------------------------- creation

// Row r of stage j gets the internal number r s + j.
static enum lcl_status renumber(lcl_operator *A, int stages)
{
    const int64_t n = A->range.n, rows = n / stages;
    lcl_buffer *perm = NULL;
    enum lcl_status st;
    int32_t *host = lcl_malloc((size_t)n, sizeof *host);
    if (!host)
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "a permutation");
    for (int64_t r = 0; r < rows; ++r)
        for (int j = 0; j < stages; ++j)
            host[r * stages + j] = (int32_t)(j * rows + r);
    if ((st = lcl_buffer_create_from(&perm, A->range.ctx, host, n, sizeof *host,
                                     "permutation")) == LCL_OK)
        st = lcl_numbering_adopt(&A->own, &perm);
    lcl_buffer_destroy(&perm);
    lcl_free(host);
    return st;
}

// All kernels use one lane per row of a block.
static enum lcl_status check_blocks(lcl_context *ctx, int b)
{
    const int width = lcl_context_caps(ctx)->width;
    if (width == 1 || b <= width)
        return LCL_OK;
    return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                    "blocks of %d rows: expected at most %d, the number "
                    "of lanes of a wave of this device",
                    b, width);
}

static enum lcl_status upload_values(lcl_operator *A, const struct lcl_kron *K)
{
    const struct lcl_kron_operator *T = A->state;
    const enum lcl_status st = T->ops->update(A, K);
    return st < 0 ? st : lcl_kron_write_coefficients(T->coef, K);
}

static enum lcl_status set_up(lcl_operator *A, const struct lcl_kron *K,
                              const struct lcl_kron_ops *ops)
{
    const int64_t coefficients = 2 * (int64_t)K->stages * K->stages;
    struct lcl_kron_operator *T = A->state = lcl_calloc(1, sizeof *T);
    lcl_context *ctx = A->range.ctx;
    enum lcl_status st;
    if (!T)
        return lcl_fail_memory(lcl_context_log(ctx), "an operator");
    *T = (struct lcl_kron_operator){
        .ops = ops,
        .pattern = lcl_kron_pattern(K),
        .stages = K->stages,
        .block = K->M->block_size,
    };
    if ((st = check_blocks(ctx, T->block)) < 0 ||
        (ops->stages_innermost && K->stages > 1 &&
         (st = renumber(A, K->stages)) < 0) ||
        (st = lcl_buffer_create(&T->coef, ctx, coefficients, sizeof(double),
                                "coefficients")) < 0 ||
        (st = ops->upload(A, K)) < 0 || (st = ops->complete(A)) < 0)
        return st;
    A->info.bytes += lcl_numbering_bytes(&A->own);
    return upload_values(A, K);
}

enum lcl_status lcl_operator_create_kron(
    lcl_operator **out, lcl_context *ctx, const struct lcl_kron *K,
    const struct lcl_operator_params *params)
{
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, K, "lcl_operator_create_kron",
                                 &params)) < 0 ||
        (st = lcl_kron_check(K, lcl_context_log(ctx))) < 0)
        return st;
    const struct lcl_kron_ops *ops = types[params->kron];
    const int64_t n = lcl_kron_rows(K);
    if ((st = lcl_operator_allocate(out, ctx, &ops->op, n, n, 1)) < 0)
        return st;
    lcl_operator *A = *out;
    A->info.kron = params->kron ? params->kron : LCL_KRON_ONE_PASS;
    A->info.stages = K->stages;
    A->info.nnz = lcl_kron_entries(K);
    A->info.block_size = K->M->block_size;
    lcl_task_enter(ctx, LCL_TASK_UPLOAD);
    st = set_up(A, K, ops);
    lcl_task_leave(ctx);
    if (st < 0)
        lcl_operator_destroy(out);
    return st;
}

void lcl_kron_operator_destroy(lcl_operator *A)
{
    struct lcl_kron_operator *T = A->state;
    if (!T)
        return;
    T->ops->destroy(T->method);
    lcl_device_matrix_finish(&T->term[0]);
    lcl_device_matrix_finish(&T->term[1]);
    lcl_buffer_destroy(&T->coef);
    lcl_free(T);
}

// ------------------------------------------------------------------- values

enum lcl_status lcl_kron_refuse_pattern(const struct lcl_log *log)
{
    return lcl_fail(
        log, LCL_EFORMAT,
        "the number of stages or a pattern has changed; create a new operator");
}

enum lcl_status lcl_kron_check_same(const struct lcl_kron *K, uint64_t pattern,
                                    const struct lcl_log *log)
{
    const enum lcl_status st = lcl_kron_check(K, log);
    return st < 0 || lcl_kron_pattern(K) == pattern
               ? st
               : lcl_kron_refuse_pattern(log);
}

enum lcl_status lcl_kron_operator_update(lcl_operator *A,
                                         const struct lcl_kron *K)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const enum lcl_status st =
        lcl_kron_check_same(K, lcl_kron_of(A)->pattern, log);
    if (st < 0)
        return st;
    ++A->version;
    return upload_values(A, K);
}

enum lcl_status lcl_operator_update_kron(lcl_operator *A,
                                         const struct lcl_kron *K)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    if (!A || !K)
        return lcl_misuse(log, "lcl_operator_update_kron: an argument is NULL");
    if (!A->ops->update_kron)
        return lcl_misuse(
            log, "lcl_operator_update_kron: the operator was created from %s",
            A->info.kron ? "a lcl_kron_rows; call "
                           "lcl_operator_update_kron_rows()"
                         : "no lcl_kron");
    const enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_operator_update_kron");
    return st < 0 ? st : A->ops->update_kron(A, K);
}
