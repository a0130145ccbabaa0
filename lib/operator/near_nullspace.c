// SPDX-License-Identifier: BSD-3-Clause
// Near-null vectors that the caller gives an operator.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"
#include "lib/operator/operator.h"

#include <inttypes.h>
#include <string.h>

static enum lcl_status check(const lcl_operator *A, const struct lcl_dense *B,
                             const struct lcl_log *log)
{
    if (!A->matrix || A->range.n != A->domain.n)
        return lcl_fail(log, LCL_EINVAL,
                        "near-null vectors are for square matrices only");
    if (B->rows != A->range.n || B->cols < 0 || B->cols > LCL_BLOCK_MAX ||
        !B->val)
        return lcl_fail(log, LCL_EINVAL,
                        "near-null vectors: %" PRId64 " x %" PRId64
                        ", expected %" PRId64 " rows and at most %d columns",
                        B->rows, B->cols, A->range.n, LCL_BLOCK_MAX);
    const int64_t k = lcl_find_not_finite(B->val, B->rows * B->cols);
    return k < 0 ? LCL_OK
                 : lcl_fail(log, LCL_EINVAL,
                            "near-null vector %" PRId64 ": entry %" PRId64
                            " is not finite",
                            k / B->rows, k % B->rows);
}

enum lcl_status lcl_operator_set_near_nullspace(lcl_operator *A,
                                                const struct lcl_dense *B)
{
    struct lcl_dense copy = {0};
    if (!A)
        return lcl_misuse(NULL, "lcl_operator_set_near_nullspace: A is NULL");
    if (A->part) // from which preconditioners are made
        A = A->part;
    if (B && B->cols != 0) {
        const struct lcl_log *log = lcl_context_log(A->range.ctx);
        const size_t values = (size_t)B->rows * (size_t)B->cols;
        const enum lcl_status st = check(A, B, log);
        if (st < 0)
            return st;
        copy = *B;
        copy.val = lcl_malloc(values, sizeof *copy.val);
        if (!copy.val)
            return lcl_fail_memory(log, "near-null vectors");
        memcpy(copy.val, B->val, values * sizeof *copy.val);
    }
    lcl_dense_finish(&A->near_null);
    A->near_null = copy;
    return LCL_OK;
}
