// SPDX-License-Identifier: BSD-3-Clause
// Block-Jacobi: M = the diagonal blocks of A, in the caller's numbering (Anzt,
// Dongarra, Flegar, Quintana-Orti, "Variable-size batched Gauss-Jordan
// elimination for block-Jacobi preconditioning on graphics processors").
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/block_inverse.h"

#include <string.h>

enum { MAX_ROWS = 8 };

struct block_jacobi {
    struct lcl_block_inverse inverse;
    struct lcl_precond_params params; // with the blocks in use
    int64_t *block_ptr;
};

static enum lcl_status find_blocks(struct lcl_diagonal_blocks *blocks,
                                   const struct lcl_bsr *A,
                                   const struct lcl_block_jacobi_params *p,
                                   const struct lcl_log *log)
{
    if (p->max_rows < 0 || p->max_rows > LCL_DIAGONAL_BLOCK_MAX)
        return lcl_fail(log, LCL_EINVAL,
                        "diagonal blocks of at most %d rows: expected 1 to "
                        "%d, or 0 for the default",
                        p->max_rows, LCL_DIAGONAL_BLOCK_MAX);
    if (p->block_ptr)
        return lcl_diagonal_blocks_from_ptr(blocks, p->block_ptr, p->pointers,
                                            A->rows * A->block_size,
                                            LCL_DIAGONAL_BLOCK_MAX, log);
    return lcl_supervariables(blocks, A, p->max_rows ? p->max_rows : MAX_ROWS,
                              log);
}

static void describe(lcl_precond *M, const struct lcl_bsr *A,
                     const struct lcl_diagonal_blocks *blocks)
{
    const struct block_jacobi *J = M->op.state;
    const struct lcl_block_inverse *V = &J->inverse;
    const struct lcl_diagonal_share share =
        lcl_diagonal_blocks_share(blocks, A);
    M->info.nnz_kept = share.entries;
    M->info.missing_diagonals = share.missing_diagonals;
    M->info.blocks.count = blocks->count;
    M->info.blocks.rows_max = blocks->rows_max;
    M->info.blocks.extraction = V->params.extraction;
    M->info.blocks.apply = V->params.apply;
    M->info.storage = V->params.storage;
    M->info.launches = 1;
    M->info.bytes = lcl_block_inverse_bytes(V);
}

// Keeps the parameters for the transpose.
static enum lcl_status keep_params(struct block_jacobi *J,
                                   const struct lcl_precond_params *params,
                                   const struct lcl_diagonal_blocks *blocks,
                                   const struct lcl_log *log)
{
    J->block_ptr = lcl_malloc((size_t)blocks->count + 1, sizeof *J->block_ptr);
    if (!J->block_ptr)
        return lcl_fail_memory(log, "diagonal blocks");
    for (int64_t p = 0; p <= blocks->count; ++p)
        J->block_ptr[p] = blocks->ptr[p];
    J->params = *params;
    J->params.block_jacobi.block_ptr = J->block_ptr;
    J->params.block_jacobi.pointers = blocks->count + 1;
    return LCL_OK;
}

static enum lcl_status analyse(lcl_precond *M, const struct lcl_bsr *A,
                               const struct lcl_precond_params *params)
{
    const struct lcl_block_inverse_params inverse = {
        .extraction = params->block_jacobi.extraction,
        .apply = params->block_jacobi.apply,
        .storage = params->storage,
    };
    lcl_context *ctx = M->op.range.ctx;
    struct block_jacobi *J = M->op.state;
    struct lcl_diagonal_blocks blocks;
    lcl_task_enter(ctx, LCL_TASK_PATTERN);
    enum lcl_status st =
        find_blocks(&blocks, A, &params->block_jacobi, lcl_context_log(ctx));
    lcl_task_leave(ctx);
    if (st < 0)
        return st;
    st = keep_params(J, params, &blocks, lcl_context_log(ctx));
    if (st == LCL_OK)
        st = lcl_block_inverse_init(&J->inverse, M->matrix->matrix, ctx,
                                    &blocks, &inverse);
    if (st == LCL_OK)
        describe(M, A, &blocks);
    lcl_diagonal_blocks_finish(&blocks);
    return st;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    struct lcl_bsr A;
    struct block_jacobi *J = M->op.state = lcl_calloc(1, sizeof *J);
    if (!J)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a preconditioner");
    enum lcl_status st = lcl_operator_download(M->matrix, &A, false);
    if (st < 0)
        return st;
    st = analyse(M, &A, params);
    lcl_bsr_finish(&A);
    return st;
}

static void describe_counts(struct lcl_precond_info *info,
                            const struct lcl_block_counts *counts)
{
    const int64_t all = info->blocks.count;
    info->pivots_repaired = counts->bad;
    info->blocks.fp32 =
        info->storage == LCL_FACTOR_STORAGE_FP32 ? all : counts->fp32;
    info->blocks.bf16 =
        info->storage == LCL_FACTOR_STORAGE_BF16 ? all : counts->bf16;
}

static enum lcl_status update(lcl_precond *M)
{
    struct block_jacobi *J = M->op.state;
    struct lcl_block_counts counts;
    enum lcl_status st;
    if ((st = lcl_block_inverse_run(&J->inverse)) < 0 ||
        (st = lcl_block_inverse_counts(&J->inverse, &counts)) < 0)
        return st;
    describe_counts(&M->info, &counts);
    memset(M->info.repaired_rows, 0, sizeof M->info.repaired_rows);
    if (counts.bad == 0)
        return LCL_OK;
    st = lcl_block_inverse_bad_rows(
        &J->inverse, M->info.repaired_rows,
        (int)(sizeof M->info.repaired_rows / sizeof *M->info.repaired_rows));
    return st == LCL_OK && J->params.pivot == LCL_PIVOT_FAIL ? LCL_EPIVOT : st;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct block_jacobi *J = A->state;
    (void)mode;
    return lcl_block_inverse_apply(&J->inverse, v);
}

static void destroy(lcl_operator *A)
{
    struct block_jacobi *J = A->state;
    if (!J)
        return;
    lcl_block_inverse_finish(&J->inverse);
    lcl_free(J->block_ptr);
    lcl_free(J);
}

static enum lcl_status transposed(const lcl_precond *M, lcl_precond **out,
                                  lcl_operator *T)
{
    const struct block_jacobi *J = M->op.state;
    return lcl_precond_analyse(out, T, &J->params);
}

const struct lcl_precond_ops lcl_precond_block_jacobi = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
    .transposed = transposed,
};
