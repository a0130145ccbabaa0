// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid, in the numbering of A. On several ranks the hierarchy is
// that of the levels that each rank has gathered, below distributed ones.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/hierarchy_ranks.h"
#include "lib/precond/level_factors.h"

enum {
    COARSE_SUBDOMAIN = 128,
    GATHERED_ROWS = 50, // for one row of the last level
    LAST_ROWS = 1000,   // of which one level has at most, by default
};

struct amg {
    struct lcl_hierarchy H; // first: levelbench takes it from the state
    struct lcl_hierarchy_ranks *ranks; // above H; NULL: none
    struct lcl_precond_params params;
    // For ILDU0, of the distributed levels first
    struct lcl_level_factors factors[LCL_LEVELS_MOST];
    struct lcl_device_matrix inside[LCL_LEVELS_MOST]; // that they factor
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
                     M->whole ? M->whole : M->matrix,
                     "amg with --amg-smoother chebyshev")
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

// Of A, level l of the cycle and `level` of all.
static enum lcl_status make_level_factors(struct amg *S, struct lcl_cycle *C,
                                          int l, int level,
                                          const struct lcl_device_matrix *A)
{
    lcl_context *ctx = C->ctx;
    struct lcl_level_factors *F = &S->factors[level];
    const enum lcl_status st = lcl_level_factors_init(
        F, ctx, A, subdomain_rows(ctx, level, &S->params));
    return st < 0 ? st
                  : lcl_cycle_relax_by(C, l, &F->M->op,
                                       (double)F->M->info.factor_bytes);
}

static int distributed_levels(const struct amg *S)
{
    return S->ranks ? S->ranks->levels : 0;
}

static enum lcl_status make_factors(struct amg *S)
{
    const int first = distributed_levels(S);
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < S->H.levels && st == LCL_OK; ++l)
        if (S->H.level[l].lambda)
            st = make_level_factors(S, &S->H.cycle, l, first + l,
                                    S->H.level[l].A);
    return st;
}

// Subdomains do not reach rows of other ranks.
static enum lcl_status make_rank_factors(struct amg *S)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < distributed_levels(S) && st == LCL_OK; ++l)
        if ((st = lcl_rank_level_inside(&S->inside[l], &S->ranks->level[l])) ==
            LCL_OK)
            st = make_level_factors(S, &S->ranks->cycle, l, l, &S->inside[l]);
    return st;
}

// Of all ranks. Whether the matrix is symmetric decides on the smoother and on
// the products of coarse matrices.
static enum lcl_status choose_smoother(lcl_precond *M,
                                       const struct lcl_amg_params *amg)
{
    struct amg *S = M->op.state;
    lcl_operator *A = M->whole ? M->whole : M->matrix;
    const enum lcl_status st = lcl_operator_look(A);
    S->H.params.symmetric = A->look.symmetric;
    S->H.params.smoother = amg->smoother > 0       ? amg->smoother
                           : S->H.params.symmetric ? LCL_AMG_CHEBYSHEV
                                                   : LCL_AMG_ILDU0;
    return st;
}

static struct lcl_hierarchy_params own_params(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const struct lcl_amg_params *amg = &S->params.amg;
    return (struct lcl_hierarchy_params){
        .coarsening = amg->coarsening,
        .smoother = S->H.params.smoother,
        .storage = amg->storage,
        .symmetric = S->H.params.symmetric,
        .theta = amg->theta,
        .levels = amg->levels,
        .coarse_rows = amg->coarse_rows,
        .near_null = M->A->near_null.cols > 0 ? &M->A->near_null : NULL,
    };
}

// The hierarchy of A, which has this rank's parameters.
static enum lcl_status make_hierarchy(lcl_precond *M,
                                      const struct lcl_device_matrix *A,
                                      const struct lcl_hierarchy_params *own)
{
    struct amg *S = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st = lcl_hierarchy_init(&S->H, ctx, A, own);
    if (st == LCL_OK && own->smoother == LCL_AMG_ILDU0)
        st = make_factors(S);
    M->info.launches = lcl_cycle_launches(&S->H.cycle);
    ++M->info.amg_setups;
    M->info.first_iterations = 0;
    M->first_rate = 0;
    return st;
}

static enum lcl_status set_up(lcl_precond *M)
{
    struct amg *S = M->op.state;
    enum lcl_status st = choose_smoother(M, &S->params.amg);
    if (st < 0)
        return st;
    const struct lcl_hierarchy_params own = own_params(M);
    if ((st = check_coarsening(M, &S->params)) < 0 ||
        (st = check_values(M)) < 0)
        return st;
    return make_hierarchy(M, M->matrix->matrix, &own);
}

// ------------------------------------------------------------------- ranks

// Sizes that are gathered on each rank.
static int64_t gathered_rows(const struct lcl_amg_params *amg)
{
    const int64_t last = amg->coarse_rows > 0 ? amg->coarse_rows : LAST_ROWS;
    return GATHERED_ROWS * last;
}

static enum lcl_status refuse_classical(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const int64_t most = gathered_rows(&S->params.amg);
    return S->params.amg.coarsening == LCL_AMG_CLASSICAL &&
                   M->whole->range.total > most
               ? lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                          "classical coarsening on several devices requires "
                          "at most %lld rows, but the matrix has %lld: use "
                          "--amg-coarsening sa",
                          (long long)most, (long long)M->whole->range.total)
               : LCL_OK;
}

static enum lcl_status make_ranks(lcl_precond *M)
{
    struct amg *S = M->op.state;
    const struct lcl_hierarchy_params own = own_params(M);
    const struct lcl_hierarchy_ranks_params params = {
        .symmetric = own.symmetric,
        .smoother = own.smoother,
        .storage = own.storage,
        .theta = own.theta,
        .levels = own.levels,
        .gathered_rows = gathered_rows(&S->params.amg),
        .near_null = own.near_null,
        .part = M->matrix->matrix,
    };
    S->ranks = lcl_calloc(1, sizeof *S->ranks);
    return S->ranks
               ? lcl_hierarchy_ranks_init(S->ranks, M->whole, &params)
               : lcl_space_end(&M->whole->range,
                               lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                                               "a preconditioner"));
}

static enum lcl_status make_below(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    struct lcl_hierarchy_params below = lcl_hierarchy_ranks_below(S->ranks);
    below.coarse_rows = S->params.amg.coarse_rows;
    below.coarsening =
        S->ranks->levels > 0 ? LCL_AMG_SA : S->params.amg.coarsening;
    return make_hierarchy(M, &S->ranks->all, &below);
}

static enum lcl_status set_up_ranks(lcl_precond *M)
{
    static const char what[] = "multigrid";
    struct amg *S = M->op.state;
    const struct lcl_space *V = &M->whole->range;
    enum lcl_status st = choose_smoother(M, &S->params.amg);
    if (st < 0)
        return st;
    if ((st = check_coarsening(M, &S->params)) == LCL_OK &&
        (st = refuse_classical(M)) == LCL_OK)
        st = check_values(M);
    if ((st = lcl_space_agree(V, st, what)) < 0 ||
        (st = lcl_space_agree(V, make_ranks(M), what)) < 0)
        return st;
    if ((st = lcl_space_agree(V, make_below(M), what)) < 0)
        return st;
    if ((st = lcl_hierarchy_ranks_complete(S->ranks, &S->H.cycle)) == LCL_OK &&
        S->H.params.smoother == LCL_AMG_ILDU0)
        st = make_rank_factors(S);
    M->info.launches += lcl_hierarchy_ranks_launches(S->ranks);
    return st;
}

// ------------------------------------------------------------------- creation

static enum lcl_status allocate(lcl_precond *M,
                                const struct lcl_precond_params *params)
{
    struct amg *S = M->op.state = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a preconditioner");
    S->params = *params;
    S->params.partition = (struct lcl_partition_params){
        .rows = params->partition.rows}; // labels need not outlive the call
    return LCL_OK;
}

static enum lcl_status run_set_up(lcl_precond *M)
{
    lcl_context *ctx = M->op.range.ctx;
    lcl_task_enter(ctx, LCL_TASK_PROLONGATION);
    const enum lcl_status st = M->whole ? set_up_ranks(M) : set_up(M);
    lcl_task_leave(ctx);
    return st;
}

// With ranks the set-up is collective.
static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const enum lcl_status st = allocate(M, params);
    return st < 0 || M->whole ? st : run_set_up(M);
}

static enum lcl_status join(lcl_precond *M)
{
    return M->whole ? run_set_up(M) : LCL_OK;
}

static void destroy_state(struct amg *S)
{
    if (!S)
        return;
    lcl_hierarchy_finish(&S->H);
    for (int l = 0; l < LCL_LEVELS_MOST; ++l)
        lcl_level_factors_finish(&S->factors[l]);
    for (int l = 0; l < LCL_LEVELS_MOST; ++l)
        lcl_device_matrix_finish(&S->inside[l]);
    if (S->ranks)
        lcl_hierarchy_ranks_finish(S->ranks);
    lcl_free(S->ranks);
    lcl_free(S);
}

static enum lcl_status allocate_again(lcl_precond *M, const struct amg *old)
{
    const enum lcl_status st = allocate(M, &old->params);
    return M->whole ? lcl_space_agree(&M->whole->range, st, "multigrid") : st;
}

// The new set-up replaces the old one if it succeeds, on all ranks.
static enum lcl_status set_up_again(lcl_precond *M)
{
    struct amg *old = M->op.state;
    enum lcl_status st = allocate_again(M, old);
    if (st == LCL_OK)
        st = run_set_up(M);
    if (M->whole)
        st = lcl_space_agree(&M->whole->range, st, "multigrid");
    if (st < 0) {
        destroy_state(M->op.state);
        M->op.state = old;
        return st;
    }
    destroy_state(old);
    M->op.launches = M->info.launches;
    return LCL_OK;
}

// Whether the values call for other choices than those of the set-up, where
// the caller leaves some.
static enum lcl_status find_kind(lcl_precond *M, bool *other)
{
    const struct amg *S = M->op.state;
    const struct lcl_amg_params *given = &S->params.amg;
    lcl_operator *A = M->whole ? M->whole : M->matrix;
    *other = false;
    if (given->smoother > 0 && given->refresh == LCL_AMG_REFRESH_VALUES)
        return LCL_OK;
    const enum lcl_status st = lcl_operator_look(A);
    *other = st == LCL_OK && A->look.symmetric != S->H.params.symmetric;
    return st;
}

static bool is_worn(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    if (S->H.fresh || S->params.amg.refresh == LCL_AMG_REFRESH_VALUES)
        return false;
    return S->params.amg.refresh == LCL_AMG_REFRESH_FULL ||
           (!M->lagged && lcl_precond_is_slow(M, M->first_rate));
}

// ------------------------------------------------------------------- info

static enum lcl_status read_lambda(double *out, const lcl_buffer *lambda)
{
    return lambda ? lcl_buffer_read(lambda, out, sizeof *out) : LCL_OK;
}

static void describe_storage(struct lcl_precond_info *info, int to,
                             const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l];
    info->amg_storage[to] = L->A.D ? L->A.storage : LCL_FACTOR_STORAGE_FP64;
    info->amg_loss[to] = L->loss;
}

// The distributed levels come first.
static enum lcl_status describe_ranks(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const struct lcl_hierarchy_ranks *R = S->ranks;
    struct lcl_precond_info *info = &M->info;
    enum lcl_status st = LCL_OK;
    info->amg_bytes = lcl_hierarchy_ranks_bytes(R);
    for (int l = 0; l < R->levels && st == LCL_OK; ++l) {
        info->amg_rows[l] = R->rows[l];
        info->amg_nnz[l] = R->nnz[l];
        info->amg_plain[l] = R->level[l].plain;
        describe_storage(info, l, &R->cycle, l);
        info->amg_bytes += lcl_level_factors_bytes(&S->factors[l]) +
                           lcl_device_matrix_bytes(&S->inside[l]);
        st = read_lambda(&info->amg_lambda[l], R->level[l].lambda);
    }
    info->amg_traffic =
        R->levels > 0 ? (uint64_t)lcl_cycle_traffic(&R->cycle) : 0;
    return st;
}

// From level `first` on.
static enum lcl_status describe_levels(lcl_precond *M, int first)
{
    const struct amg *S = M->op.state;
    const struct lcl_hierarchy *H = &S->H;
    struct lcl_precond_info *info = &M->info;
    enum lcl_status st = LCL_OK;
    info->amg_levels = first + H->levels;
    for (int l = 0; l < H->levels && st == LCL_OK; ++l) {
        info->amg_rows[first + l] = H->level[l].A->n;
        info->amg_nnz[first + l] = H->level[l].A->blocks;
        info->amg_plain[first + l] = H->level[l].plain;
        describe_storage(info, first + l, &H->cycle, l);
        info->amg_bytes += lcl_level_factors_bytes(&S->factors[first + l]);
        st = read_lambda(&info->amg_lambda[first + l], H->level[l].lambda);
    }
    return st;
}

static double complexity(const struct lcl_precond_info *info)
{
    double entries = 0;
    for (int l = 0; l < info->amg_levels; ++l)
        entries += (double)info->amg_nnz[l];
    return info->amg_nnz[0] > 0 ? entries / (double)info->amg_nnz[0] : 1;
}

static enum lcl_status describe(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const struct lcl_hierarchy *H = &S->H;
    struct lcl_precond_info *info = &M->info;
    enum lcl_status st = LCL_OK;
    info->amg_coarsening = H->params.coarsening;
    info->amg_smoother = H->params.smoother;
    info->amg_bytes = info->amg_traffic = 0;
    if (S->ranks)
        st = describe_ranks(M);
    info->amg_bytes += lcl_hierarchy_bytes(H);
    info->amg_traffic += (uint64_t)lcl_cycle_traffic(&H->cycle);
    if (st == LCL_OK)
        st = describe_levels(M, distributed_levels(S));
    info->amg_complexity = complexity(info);
    info->factor_bytes = info->amg_bytes;
    info->nnz_kept = info->nnz;
    info->storage = LCL_FACTOR_STORAGE_FP32;
    return st;
}

// ------------------------------------------------------------------- values

static bool is_estimated(const struct amg *S, bool fresh)
{
    return !fresh || S->H.params.smoother == LCL_AMG_ILDU0;
}

static enum lcl_status update_factors(struct amg *S)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < LCL_LEVELS_MOST && st == LCL_OK; ++l)
        if (S->factors[l].M)
            st = lcl_level_factors_update(&S->factors[l]);
    return st;
}

static enum lcl_status update_levels(lcl_precond *M, bool fresh)
{
    struct amg *S = M->op.state;
    enum lcl_status st;
    if ((st = lcl_hierarchy_update(&S->H)) < 0 || (st = update_factors(S)) < 0)
        return st;
    return is_estimated(S, fresh) ? lcl_cycle_estimate(&S->H.cycle) : LCL_OK;
}

// Those of a set-up have the current values.
static enum lcl_status update_ranks(lcl_precond *M)
{
    struct amg *S = M->op.state;
    enum lcl_status st = lcl_hierarchy_ranks_update(S->ranks);
    for (int l = 0; l < distributed_levels(S) && st == LCL_OK; ++l)
        if (S->inside[l].val)
            st = lcl_rank_level_inside_update(&S->inside[l],
                                              &S->ranks->level[l]);
    return lcl_space_agree(&M->whole->range, st, "multigrid");
}

static enum lcl_status complete_ranks(lcl_precond *M, bool fresh)
{
    struct amg *S = M->op.state;
    enum lcl_status st = LCL_OK;
    if (!fresh)
        st = lcl_hierarchy_ranks_store(S->ranks);
    if (st == LCL_OK && distributed_levels(S) > 0 && is_estimated(S, fresh))
        st = lcl_cycle_estimate(&S->ranks->cycle);
    return lcl_space_end(&M->whole->range, st);
}

static enum lcl_status take_values(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const bool fresh = S->H.fresh;
    enum lcl_status st = LCL_OK;
    if (!M->whole)
        return update_levels(M, fresh);
    if (!fresh && (st = update_ranks(M)) < 0)
        return st;
    st =
        lcl_space_agree(&M->whole->range, update_levels(M, fresh), "multigrid");
    return st < 0 ? st : complete_ranks(M, fresh);
}

static enum lcl_status update(lcl_precond *M)
{
    bool other;
    enum lcl_status st = find_kind(M, &other);
    if (st == LCL_OK)
        st = other || is_worn(M) ? set_up_again(M) : check_values(M);
    if (M->whole)
        st = lcl_space_agree(&M->whole->range, st, "multigrid");
    if (st == LCL_OK)
        st = take_values(M);
    return st < 0 ? st : describe(M);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct amg *S = A->state;
    (void)mode;
    return S->ranks ? lcl_hierarchy_ranks_apply(S->ranks, v)
                    : lcl_cycle_apply(&S->H.cycle, v);
}

static void destroy(lcl_operator *A)
{
    destroy_state(A->state);
}

const struct lcl_precond_ops lcl_precond_amg = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .join = join,
    .update = update,
    .is_worn = is_worn,
};
