// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller on the device, in the block size in use.
#include "lib/operator/blocked.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/operator/device_csr.h"
#include "lib/operator/natural_block.h"
#include "lib/operator/to_blocks.h"

// ---------------------------------------------------------------- conversion

static enum lcl_status convert(struct lcl_blocked *B, lcl_context *ctx,
                               int block)
{
    struct lcl_device_matrix blocks;
    enum lcl_status st = lcl_to_blocks(&blocks, &B->place, ctx, &B->A, block);
    if (st < 0)
        return st;
    lcl_task_bytes(ctx,
                   lcl_device_matrix_bytes(&B->A) + lcl_buffer_bytes(B->place));
    st = lcl_to_blocks_values(&blocks, ctx, &B->A, B->place);
    lcl_task_bytes(ctx, lcl_device_matrix_bytes(&blocks));
    B->staged = B->A.val;
    B->A.val = NULL;
    lcl_device_matrix_finish(&B->A);
    B->A = blocks;
    return st < 0 ? st : lcl_context_wait(ctx);
}

enum lcl_status lcl_blocked_convert(struct lcl_blocked *B, lcl_context *ctx,
                                    int block_size)
{
    int block = block_size;
    enum lcl_status st = LCL_OK;
    lcl_task_enter(ctx, LCL_TASK_BLOCKS);
    if (block == 0)
        st = lcl_natural_block(&block, ctx, &B->A);
    if (st == LCL_OK && block > 1)
        st = convert(B, ctx, block);
    lcl_task_leave(ctx);
    return st;
}

// ------------------------------------------------------------------- upload

// Checks columns and values on the device; the host names the first fault.
static enum lcl_status check_entries(const struct lcl_device_matrix *D,
                                     lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_device_csr copy = {.rows = A->rows,
                                        .cols = A->cols,
                                        .nnz = A->nnz,
                                        .narrow = !D->wide,
                                        .row_ptr = D->row_ptr,
                                        .col_ind = D->col,
                                        .val = D->val};
    bool sound;
    enum lcl_status st = lcl_device_csr_inspect(&sound, &copy, ctx);
    if (st < 0 || sound || (st = lcl_csr_check(A, log)) < 0)
        return st;
    return lcl_fail(log, LCL_EFORMAT, "the matrix changed during the check");
}

enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    enum lcl_status st;
    const struct lcl_log *log = lcl_context_log(ctx);
    const bool cpu = lcl_context_caps(ctx)->type == LCL_DEVICE_CPU;
    *B = (struct lcl_blocked){.entries = A->nnz};
    if ((st = cpu ? lcl_csr_check(A, log) : lcl_csr_check_rows(A, log)) < 0 ||
        (block_size > 1 &&
         (st = lcl_block_size_check(A->rows, A->cols, block_size, log)) < 0) ||
        (st = lcl_device_matrix_init(&B->A, ctx, &view)) < 0 ||
        (!cpu && (st = check_entries(&B->A, ctx, A)) < 0))
        return st;
    return lcl_blocked_convert(B, ctx, block_size);
}

enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size)
{
    *B = (struct lcl_blocked){.entries = A->nnz * lcl_block_values(A)};
    if (block_size == 0 || block_size == A->block_size)
        return lcl_device_matrix_init(&B->A, ctx, A);
    return lcl_fail(lcl_context_log(ctx), LCL_EINVAL,
                    "block size %d: expected %d, as in the matrix, or 0",
                    block_size, A->block_size);
}

void lcl_blocked_finish(struct lcl_blocked *B)
{
    lcl_device_matrix_finish(&B->A);
    lcl_buffer_destroy(&B->place);
    lcl_buffer_destroy(&B->staged);
}
