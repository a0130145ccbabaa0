// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid, in the numbering of A.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/precond/level_factors.h"

enum { COARSE_SUBDOMAIN = 128 };

struct amg {
    struct lcl_hierarchy H; // first: levelbench takes it from the state
    struct lcl_precond_params params;
    struct lcl_level_factors factors[LCL_LEVELS_MOST]; // for ILDU0
};

// ------------------------------------------------------------------- set-up

static enum lcl_status check_coarsening(const lcl_precond *M,
                                        const struct lcl_precond_params *params)
{
    const int b = M->info.block_size;
    return params->amg.coarsening == LCL_AMG_CLASSICAL &&
                   (b > 1 || M->A->near_null.cols > 0)
               ? lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                          "classical coarsening requires block size 1 and no "
                          "near-null vectors, but the matrix has block size %d "
                          "and %d vectors",
                          b, (int)M->A->near_null.cols)
               : LCL_OK;
}

// Chebyshev diverges if A is not symmetric.
static enum lcl_status check_values(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    return S->H.params.smoother == LCL_AMG_CHEBYSHEV
               ? lcl_operator_require_symmetric(
                     M->matrix, "amg with --amg-smoother chebyshev")
               : LCL_OK;
}

// Rows of coarse levels are long and their factors take long on many lanes: the
// time of a subdomain grows with its rows, and levels below the first one
// hardly suffer from small ones.
static int64_t subdomain_rows(lcl_context *ctx, int l,
                              const struct lcl_precond_params *params)
{
    const int64_t rows = params->partition.rows;
    const bool many_lanes = lcl_context_caps(ctx)->width > 1;
    return rows == 0 && l > 0 && many_lanes ? COARSE_SUBDOMAIN : rows;
}

static enum lcl_status make_factors(struct amg *S, lcl_context *ctx,
                                    const struct lcl_precond_params *params)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < S->H.levels && st == LCL_OK; ++l) {
        const struct lcl_hierarchy_level *L = &S->H.level[l];
        struct lcl_level_factors *F = &S->factors[l];
        if (L->lambda &&
            (st = lcl_level_factors_init(
                 F, ctx, L->A, subdomain_rows(ctx, l, params))) == LCL_OK)
            st = lcl_cycle_relax_by(&S->H.cycle, l, &F->M->op,
                                    (double)F->M->info.factor_bytes);
    }
    return st;
}

static enum lcl_status set_up(lcl_precond *M)
{
    struct amg *S = M->op.state;
    const struct lcl_precond_params *params = &S->params;
    const struct lcl_amg_params *amg = &params->amg;
    bool symmetric;
    enum lcl_status st = lcl_operator_is_symmetric(M->matrix, &symmetric);
    if (st < 0)
        return st;
    S->H.params = (struct lcl_hierarchy_params){
        .coarsening = amg->coarsening,
        .smoother = amg->smoother > 0 ? amg->smoother
                    : symmetric       ? LCL_AMG_CHEBYSHEV
                                      : LCL_AMG_ILDU0,
        .symmetric = symmetric,
        .theta = amg->theta,
        .levels = amg->levels,
        .coarse_rows = amg->coarse_rows,
        .near_null = M->A->near_null.cols > 0 ? &M->A->near_null : NULL,
    };
    const struct lcl_hierarchy_params own = S->H.params;
    if ((st = check_coarsening(M, params)) < 0 || (st = check_values(M)) < 0 ||
        (st = lcl_hierarchy_init(&S->H, M->op.range.ctx, M->matrix->matrix,
                                 &own)) < 0 ||
        (own.smoother == LCL_AMG_ILDU0 &&
         (st = make_factors(S, M->op.range.ctx, params)) < 0))
        return st;
    M->info.launches = lcl_cycle_launches(&S->H.cycle);
    ++M->info.amg_setups;
    M->info.first_iterations = 0;
    return LCL_OK;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    struct amg *S = M->op.state = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(lcl_context_log(ctx), "a preconditioner");
    S->params = *params;
    S->params.partition = (struct lcl_partition_params){
        .rows = params->partition.rows}; // labels need not outlive the call
    lcl_task_enter(ctx, LCL_TASK_PROLONGATION);
    const enum lcl_status st = set_up(M);
    lcl_task_leave(ctx);
    return st;
}

static void destroy_state(struct amg *S)
{
    if (!S)
        return;
    lcl_hierarchy_finish(&S->H);
    for (int l = 0; l < LCL_LEVELS_MOST; ++l)
        lcl_level_factors_finish(&S->factors[l]);
    lcl_free(S);
}

// The new set-up replaces the old one if it succeeds.
static enum lcl_status set_up_again(lcl_precond *M)
{
    struct amg *old = M->op.state;
    const enum lcl_status st = create(M, &old->params);
    if (st < 0) {
        destroy_state(M->op.state);
        M->op.state = old;
        return st;
    }
    destroy_state(old);
    M->op.launches = M->info.launches;
    return LCL_OK;
}

static bool is_worn(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    if (S->H.fresh || S->params.amg.refresh == LCL_AMG_REFRESH_VALUES)
        return false;
    return S->params.amg.refresh == LCL_AMG_REFRESH_FULL ||
           (!M->lagged && lcl_precond_is_slow(M, M->info.first_iterations));
}

// ------------------------------------------------------------------- info

static enum lcl_status read_lambdas(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < S->H.levels && st == LCL_OK; ++l)
        if (S->H.level[l].lambda)
            st = lcl_buffer_read(S->H.level[l].lambda, &M->info.amg_lambda[l],
                                 sizeof(double));
    return st;
}

static enum lcl_status describe(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const struct lcl_hierarchy *H = &S->H;
    struct lcl_precond_info *info = &M->info;
    info->amg_coarsening = H->params.coarsening;
    info->amg_smoother = H->params.smoother;
    info->amg_levels = H->levels;
    info->amg_bytes = lcl_hierarchy_bytes(H);
    for (int l = 0; l < H->levels; ++l) {
        info->amg_rows[l] = H->level[l].A->n;
        info->amg_nnz[l] = H->level[l].A->blocks;
        info->amg_plain[l] = H->level[l].plain;
        info->amg_bytes += lcl_level_factors_bytes(&S->factors[l]);
    }
    info->amg_complexity = lcl_hierarchy_complexity(H);
    info->factor_bytes = info->amg_bytes;
    info->amg_traffic = (uint64_t)lcl_cycle_traffic(&H->cycle);
    info->nnz_kept = info->nnz;
    info->storage = LCL_FACTOR_STORAGE_FP32;
    return read_lambdas(M);
}

// ------------------------------------------------------------------- values

static enum lcl_status update(lcl_precond *M)
{
    enum lcl_status st = is_worn(M) ? set_up_again(M) : check_values(M);
    struct amg *S = M->op.state;
    const bool fresh = S->H.fresh;
    if (st == LCL_OK)
        st = lcl_hierarchy_update(&S->H);
    for (int l = 0; l < S->H.levels && st == LCL_OK; ++l)
        if (S->factors[l].M)
            st = lcl_level_factors_update(&S->factors[l]);
    if (st == LCL_OK && (!fresh || S->H.params.smoother == LCL_AMG_ILDU0))
        st = lcl_cycle_estimate(&S->H.cycle);
    return st < 0 ? st : describe(M);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct amg *S = A->state;
    (void)mode;
    return lcl_cycle_apply(&S->H.cycle, v);
}

static void destroy(lcl_operator *A)
{
    destroy_state(A->state);
}

const struct lcl_precond_ops lcl_precond_amg = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
};
