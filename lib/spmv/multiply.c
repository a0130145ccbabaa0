// SPDX-License-Identifier: BSD-3-Clause
// The product of two operators' matrices, as an operator.
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/matrix_operator.h"
#include "lib/storage/spgemm.h"

// A factor in the caller's numbering: the operator itself or a copy of it.
struct factor {
    const struct lcl_device_matrix *matrix;
    lcl_operator *copy;
};

static enum lcl_status factor_init(struct factor *F, const lcl_operator *A)
{
    lcl_buffer *map;
    *F = (struct factor){.matrix = A->matrix};
    if (!A->own.perm)
        return LCL_OK;
    const enum lcl_status st = lcl_operator_copy(&F->copy, &map, A);
    lcl_buffer_destroy(&map);
    if (st == LCL_OK)
        F->matrix = F->copy->matrix;
    return st;
}

static enum lcl_status compute(struct lcl_device_matrix *C, lcl_context *ctx,
                               const lcl_operator *A, const lcl_operator *B)
{
    struct factor a, b = {.copy = NULL};
    struct lcl_spgemm S;
    enum lcl_status st;
    if ((st = factor_init(&a, A)) == LCL_OK &&
        (st = factor_init(&b, B)) == LCL_OK &&
        (st = lcl_spgemm_init(&S, C, ctx, a.matrix, b.matrix)) == LCL_OK) {
        st = lcl_spgemm_update(&S, C, a.matrix, b.matrix);
        lcl_spgemm_finish(&S);
    }
    lcl_operator_destroy(&b.copy);
    lcl_operator_destroy(&a.copy);
    return st;
}

static enum lcl_status check(const lcl_operator *A, const lcl_operator *B)
{
    const char *who = "lcl_operator_multiply";
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    if (A->range.ctx != B->range.ctx)
        return lcl_misuse(log, "%s: A and B have different contexts", who);
    if (A->part || B->part || A->team || B->team)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s: an operator is distributed among ranks", who);
    if (!A->matrix || !B->matrix)
        return lcl_misuse(log, "%s: an operator has no matrix", who);
    if (A->info.cols != B->info.rows)
        return lcl_fail(log, LCL_EINVAL, "%s: A has %lld columns, B %lld rows",
                        who, (long long)A->info.cols, (long long)B->info.rows);
    return A->matrix->block == 1 && B->matrix->block == 1
               ? LCL_OK
               : lcl_fail(log, LCL_EUNSUPPORTED,
                          "%s: blocks of %d and %d rows; create both "
                          "operators with block size 1",
                          who, A->matrix->block, B->matrix->block);
}

enum lcl_status lcl_operator_multiply(lcl_operator **out, lcl_operator *A,
                                      lcl_operator *B)
{
    static const struct lcl_operator_params params = LCL_OPERATOR_PARAMS_INIT;
    struct lcl_blocked C = {.entries = 0};
    enum lcl_status st;
    if (out)
        *out = NULL;
    if (!out || !A || !B)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "lcl_operator_multiply: an argument is NULL");
    if ((st = lcl_context_expect_free(A->range.ctx, "lcl_operator_multiply")) <
            0 ||
        (st = check(A, B)) < 0)
        return st;
    if ((st = compute(&C.A, A->range.ctx, A, B)) == LCL_OK) {
        C.entries = C.A.blocks;
        st = lcl_matrix_operator_create(out, A->range.ctx, &C, &params);
    }
    lcl_blocked_finish(&C);
    return st;
}
