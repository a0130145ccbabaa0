// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of the matrix of a multigrid level.
#include "lib/precond/level_factors.h"

enum lcl_status lcl_level_factors_init(struct lcl_level_factors *F,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       int64_t rows)
{
    const struct lcl_operator_params op = {.spmv = LCL_SPMV_CSR,
                                           .block_size = 1};
    const struct lcl_precond_params own = {
        .type = LCL_PRECOND_ILDU0,
        .partition.rows = rows,
        .pivot = LCL_PIVOT_BOOST,
        .coarse = LCL_COARSE_NONE,
    };
    struct lcl_blocked B = {.entries = A->blocks};
    enum lcl_status st;
    *F = (struct lcl_level_factors){.A = A};
    if ((st = lcl_device_pattern_copy(&B.A, ctx, A)) == LCL_OK &&
        (st = lcl_buffer_copy(B.A.val, A->val)) == LCL_OK)
        st = lcl_matrix_operator_create(&F->copy, ctx, &B, &op);
    lcl_blocked_finish(&B);
    return st < 0 ? st : lcl_precond_analyse(&F->M, F->copy, &own);
}

void lcl_level_factors_finish(struct lcl_level_factors *F)
{
    lcl_precond_destroy(&F->M);
    lcl_operator_destroy(&F->copy);
}

enum lcl_status lcl_level_factors_update(const struct lcl_level_factors *F)
{
    enum lcl_status st;
    if ((st = lcl_buffer_copy(lcl_operator_staging(F->copy), F->A->val)) < 0 ||
        (st = lcl_operator_commit_staged(F->copy)) < 0)
        return st;
    return lcl_precond_factor(F->M);
}

uint64_t lcl_level_factors_bytes(const struct lcl_level_factors *F)
{
    return F->M ? F->copy->info.bytes + F->M->info.bytes : 0;
}
