// SPDX-License-Identifier: BSD-3-Clause
// Near-null vectors that the caller gives an operator.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/team_operator.h"
#include "lib/matrix/view.h"

#include <inttypes.h>

static enum lcl_status check(const lcl_operator *A, const struct lcl_dense *B,
                             const struct lcl_log *log)
{
    if (!lcl_operator_is_matrix(A) || A->range.n != A->domain.n)
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

// The rows first .. end - 1 of B in the order of perm, NULL: in its own.
static enum lcl_status copy_rows(struct lcl_dense *copy,
                                 const struct lcl_dense *B, int64_t first,
                                 int64_t end, const int32_t *perm,
                                 const struct lcl_log *log)
{
    const int64_t rows = end - first;
    double *val = lcl_malloc((size_t)rows * (size_t)B->cols, sizeof *copy->val);
    if (!val)
        return lcl_fail_memory(log, "near-null vectors");
    *copy = (struct lcl_dense){rows, B->cols, val};
    for (int64_t j = 0; j < B->cols; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t row = perm ? perm[first + i] : first + i;
            val[i + j * rows] = B->val[row + j * B->rows];
        }
    return LCL_OK;
}

static void take(lcl_operator *A, struct lcl_dense *copy)
{
    lcl_dense_finish(&A->near_null);
    A->near_null = *copy;
    *copy = (struct lcl_dense){0};
}

static enum lcl_status set_on_all(const struct lcl_team_operator *T,
                                  const struct lcl_dense *B,
                                  const struct lcl_log *log)
{
    const struct lcl_distribution *D = &T->distribution;
    struct lcl_dense *copy = lcl_calloc((size_t)D->size, sizeof *copy);
    enum lcl_status st =
        copy ? LCL_OK : lcl_fail_memory(log, "near-null vectors");
    for (int r = 0; r < D->size && B && st == LCL_OK; ++r)
        st = copy_rows(&copy[r], B, D->first[r], D->first[r + 1], D->perm, log);
    for (int r = 0; r < D->size && st == LCL_OK; ++r)
        take(lcl_operator_own(T->part[r]), &copy[r]);
    for (int r = 0; r < D->size && copy; ++r)
        lcl_dense_finish(&copy[r]);
    lcl_free(copy);
    return st;
}

bool lcl_operator_has_near_nullspace(lcl_operator *A)
{
    A = lcl_operator_own(A);
    if (A->team)
        A = lcl_operator_own(A->team->part[0]);
    return A->near_null.cols > 0;
}

enum lcl_status lcl_operator_set_near_nullspace(lcl_operator *A,
                                                const struct lcl_dense *B)
{
    struct lcl_dense copy = {0};
    if (!A)
        return lcl_misuse(NULL, "lcl_operator_set_near_nullspace: A is NULL");
    enum lcl_status st = lcl_context_expect_free(
        A->range.ctx, "lcl_operator_set_near_nullspace");
    if (st < 0)
        return st;
    A = lcl_operator_own(A);
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    if (B && B->cols == 0)
        B = NULL;
    st = B ? check(A, B, log) : LCL_OK;
    if (st == LCL_OK && A->team)
        return set_on_all(A->team, B, log);
    if (st == LCL_OK && B)
        st = copy_rows(&copy, B, 0, B->rows, NULL, log);
    if (st == LCL_OK)
        take(A, &copy);
    return st;
}
