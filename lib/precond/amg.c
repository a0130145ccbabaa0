// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid, in the numbering of A.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/precond/precond.h"

static enum lcl_status check(lcl_precond *M,
                             const struct lcl_precond_params *params)
{
    const int b = M->info.block_size;
    if (params->amg.coarsening == LCL_AMG_CLASSICAL &&
        (b > 1 || M->A->near_null.cols > 0))
        return lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                        "classical coarsening requires block size 1 and no "
                        "near-null vectors, but the matrix has block size %d "
                        "and %d vectors",
                        b, (int)M->A->near_null.cols);
    return lcl_operator_require_symmetric(M->matrix, "amg");
}

static enum lcl_status read_lambdas(lcl_precond *M)
{
    const struct lcl_hierarchy *H = M->op.state;
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < H->levels && st == LCL_OK; ++l)
        if (H->level[l].lambda)
            st = lcl_buffer_read(H->level[l].lambda, &M->info.amg_lambda[l],
                                 sizeof(double));
    return st;
}

static enum lcl_status describe(lcl_precond *M)
{
    const struct lcl_hierarchy *H = M->op.state;
    struct lcl_precond_info *info = &M->info;
    info->amg_coarsening = H->params.coarsening;
    info->amg_smoother = H->params.smoother;
    info->amg_levels = H->levels;
    for (int l = 0; l < H->levels; ++l) {
        info->amg_rows[l] = H->level[l].A->n;
        info->amg_nnz[l] = H->level[l].A->blocks;
    }
    info->amg_complexity = lcl_hierarchy_complexity(H);
    info->amg_bytes = info->factor_bytes = lcl_hierarchy_bytes(H);
    info->amg_traffic = (uint64_t)lcl_cycle_traffic(&H->cycle);
    info->nnz_kept = info->nnz;
    info->storage = LCL_FACTOR_STORAGE_FP32;
    return read_lambdas(M);
}

static enum lcl_status set_up(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const struct lcl_amg_params *amg = &params->amg;
    const struct lcl_hierarchy_params own = {
        .coarsening = amg->coarsening,
        .smoother = amg->smoother > 0 ? amg->smoother : LCL_AMG_CHEBYSHEV,
        .theta = amg->theta,
        .levels = amg->levels,
        .coarse_rows = amg->coarse_rows,
        .near_null = M->A->near_null.cols > 0 ? &M->A->near_null : NULL,
    };
    const enum lcl_status st = lcl_hierarchy_init(M->op.state, M->op.range.ctx,
                                                  M->matrix->matrix, &own);
    const struct lcl_hierarchy *H = M->op.state;
    M->info.launches = st < 0 ? 0 : lcl_cycle_launches(&H->cycle);
    return st;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st = check(M, params);
    if (st < 0)
        return st;
    M->op.state = lcl_calloc(1, sizeof(struct lcl_hierarchy));
    if (!M->op.state)
        return lcl_fail_memory(lcl_context_log(ctx), "a preconditioner");
    lcl_task_enter(ctx, LCL_TASK_PROLONGATION);
    st = set_up(M, params);
    lcl_task_leave(ctx);
    return st;
}

static enum lcl_status update(lcl_precond *M)
{
    enum lcl_status st = lcl_operator_require_symmetric(M->matrix, "amg");
    if (st < 0 || (st = lcl_hierarchy_update(M->op.state)) < 0)
        return st;
    return describe(M);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_hierarchy *H = A->state;
    (void)mode;
    return lcl_cycle_apply(&H->cycle, v);
}

static void destroy(lcl_operator *A)
{
    struct lcl_hierarchy *H = A->state;
    if (H)
        lcl_hierarchy_finish(H);
    lcl_free(H);
}

const struct lcl_precond_ops lcl_precond_amg = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
};
