// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller, converted to the block size in use.
#include "lib/matrix/blocked.h"

#include "host/alloc.h"
#include "host/log.h"

static int size_of(const struct lcl_csr *A, int block_size)
{
    if (block_size > 0)
        return block_size;
    return A->nnz > UINT32_MAX ? 1 : lcl_csr_natural_block(A);
}

enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size)
{
    const int block = size_of(A, block_size);
    *B = (struct lcl_blocked){.A = lcl_bsr_of_csr(A), .entries = A->nnz};
    if (block == 1)
        return LCL_OK;
    lcl_phase_enter(ctx, LCL_PHASE_SYMBOLIC);
    const enum lcl_status st = lcl_bsr_from_csr_placed(
        &B->A, &B->place, A, block, lcl_context_log(ctx));
    lcl_phase_leave(ctx);
    return st;
}

enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size)
{
    *B = (struct lcl_blocked){.A = *A, .entries = A->nnz * lcl_block_values(A)};
    if (block_size == 0 || block_size == A->block_size)
        return LCL_OK;
    return lcl_fail(lcl_context_log(ctx), LCL_EINVAL,
                    "block size %d, but the matrix has blocks of %d rows",
                    block_size, A->block_size);
}

void lcl_blocked_finish(struct lcl_blocked *B)
{
    if (B->place)
        lcl_bsr_finish(&B->A);
    lcl_free(B->place);
    B->place = NULL;
}
