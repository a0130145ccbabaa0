// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid, in the numbering of A.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/precond/level_factors.h"

enum {
    COARSE_SUBDOMAIN = 128,
    GATHERED_ROWS = 50, // maximum rows of a gathered level, per row of the last
                        // level
    LAST_ROWS = 1000,   // of which one level has at most, by default
};

struct amg {
    struct lcl_hierarchy H; // must be first: levelbench reads it from the state
    struct lcl_precond_params params;
    // Factors for ILDU0: of the distributed levels, then of the gathered ones
    struct lcl_level_factors factors[LCL_LEVELS_MOST];
    struct lcl_device_matrix inside[LCL_LEVELS_MOST]; // parts of distributed
                                                      // levels inside the rank,
                                                      // to factor
};

#define LOOSE_MOST 0.01 // of the rows, for Jacobi

static const char what[] = "multigrid";

// The space on whose ranks all agree.
static const struct lcl_space *space_of(const lcl_precond *M)
{
    return M->whole ? &M->whole->range : &M->op.range;
}

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

// The default is small below the first level: rows of coarse levels are long,
// the time to factor a subdomain on many lanes grows with its rows, and coarse
// levels lose little with small subdomains.
static int64_t subdomain_rows(lcl_context *ctx, int l,
                              const struct lcl_precond_params *params)
{
    const int64_t rows = params->partition.rows;
    const bool many_lanes = lcl_context_caps(ctx)->width > 1;
    return rows == 0 && l > 0 && many_lanes ? COARSE_SUBDOMAIN : rows;
}

// Makes the factors of A, the matrix of level l of the cycle and `level` of the
// whole hierarchy.
static enum lcl_status make_level_factors(struct amg *S, struct lcl_cycle *C,
                                          int l, int level,
                                          const struct lcl_device_matrix *A)
{
    lcl_context *ctx = C->ctx;
    struct lcl_level_factors *F = &S->factors[level];
    const enum lcl_status st = lcl_level_factors_init(
        F, ctx, A, subdomain_rows(ctx, level, &S->params));
    return st < 0
               ? st
               : lcl_cycle_relax_by(C, l, &F->M->op, (double)F->M->info.bytes);
}

// Makes the factors of all levels of H; subdomains do not reach rows of other
// ranks.
static enum lcl_status make_factors_of(struct amg *S, struct lcl_hierarchy *H,
                                       int first)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < lcl_hierarchy_own_levels(H) && st == LCL_OK; ++l) {
        const struct lcl_level *L = &H->level[l];
        struct lcl_device_matrix *inside = &S->inside[first + l];
        const bool ranks = lcl_level_has_ranks(L);
        if (ranks)
            st = lcl_level_inside(inside, L);
        if (st == LCL_OK && L->lambda)
            st = make_level_factors(S, &H->cycle, l, first + l,
                                    ranks ? inside : L->A);
    }
    return st;
}

static enum lcl_status make_factors(struct amg *S)
{
    int first = 0;
    enum lcl_status st = LCL_OK;
    for (struct lcl_hierarchy *H = &S->H; H && st == LCL_OK; H = H->below) {
        st = make_factors_of(S, H, first);
        first += lcl_hierarchy_own_levels(H);
    }
    return st;
}

// Damped Jacobi diverges if the couplings exceed the diagonal by far; where it
// does not, the factors of all levels take longer to set up than they save.
enum lcl_amg_smoother lcl_amg_smoother_of(const struct lcl_amg_params *amg,
                                          const struct lcl_properties *look,
                                          double rows)
{
    return amg->smoother > 0                          ? amg->smoother
           : look->symmetric                          ? LCL_AMG_CHEBYSHEV
           : (double)look->loose <= LOOSE_MOST * rows ? LCL_AMG_JACOBI
                                                      : LCL_AMG_ILDU0;
}

static enum lcl_amg_smoother smoother_of(const struct amg *S,
                                         const lcl_operator *A)
{
    return lcl_amg_smoother_of(&S->params.amg, &A->look,
                               (double)A->range.total);
}

// Of all ranks. Whether the matrix is symmetric decides on the smoother and on
// the products of coarse matrices.
static enum lcl_status choose_smoother(lcl_precond *M)
{
    struct amg *S = M->op.state;
    lcl_operator *A = M->whole ? M->whole : M->matrix;
    const enum lcl_status st = lcl_operator_look(A);
    S->H.params.symmetric = A->look.symmetric;
    S->H.params.smoother = smoother_of(S, A);
    return st;
}

// Maximum number of rows of a level that is gathered on each rank.
static int64_t gathered_rows(const struct lcl_amg_params *amg)
{
    const int64_t last = amg->coarse_rows > 0 ? amg->coarse_rows : LAST_ROWS;
    return GATHERED_ROWS * last;
}

static enum lcl_status refuse_classical(const lcl_precond *M)
{
    const struct amg *S = M->op.state;
    const int64_t most = gathered_rows(&S->params.amg);
    return M->whole && S->params.amg.coarsening == LCL_AMG_CLASSICAL &&
                   M->whole->range.total > most
               ? lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                          "classical coarsening on several devices requires "
                          "at most %lld rows, but the matrix has %lld: use "
                          "--amg-coarsening sa",
                          (long long)most, (long long)M->whole->range.total)
               : LCL_OK;
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
        .whole = M->whole,
        .gathered_rows = gathered_rows(amg),
    };
}

static enum lcl_status make_hierarchy(lcl_precond *M)
{
    struct amg *S = M->op.state;
    const struct lcl_hierarchy_params params = own_params(M);
    enum lcl_status st =
        lcl_hierarchy_init(&S->H, M->op.range.ctx, M->matrix->matrix, &params);
    if (st == LCL_OK && params.smoother == LCL_AMG_ILDU0)
        st = make_factors(S);
    M->info.launches = lcl_hierarchy_launches(&S->H);
    ++M->info.amg.setups;
    M->info.first_iterations = 0;
    M->first_rate = 0;
    return st;
}

// Sets up all levels; with ranks collective.
static enum lcl_status set_up(lcl_precond *M)
{
    struct amg *S = M->op.state;
    enum lcl_status st = choose_smoother(M);
    if (st < 0)
        return st;
    if ((st = check_coarsening(M, &S->params)) == LCL_OK &&
        (st = refuse_classical(M)) == LCL_OK)
        st = check_values(M);
    st = lcl_space_agree(space_of(M), st, what);
    return st < 0 ? st : make_hierarchy(M);
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
    const enum lcl_status st = set_up(M);
    lcl_task_leave(ctx);
    return st;
}

// With ranks the whole set-up is collective.
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
    lcl_free(S);
}

static enum lcl_status allocate_again(lcl_precond *M, const struct amg *old)
{
    return lcl_space_agree(space_of(M), allocate(M, &old->params), what);
}

// Replaces the set-up by a new one, if that succeeds on all ranks.
static enum lcl_status set_up_again(lcl_precond *M)
{
    struct amg *old = M->op.state;
    enum lcl_status st = allocate_again(M, old);
    if (st == LCL_OK)
        st = run_set_up(M);
    st = lcl_space_agree(space_of(M), st, what);
    if (st < 0) {
        destroy_state(M->op.state);
        M->op.state = old;
        return st;
    }
    destroy_state(old);
    M->op.launches = M->info.launches;
    return LCL_OK;
}

// *other = whether the new values require other choices than those of the
// set-up, if the caller has left them open.
static enum lcl_status find_kind(lcl_precond *M, bool *other)
{
    const struct amg *S = M->op.state;
    const struct lcl_amg_params *given = &S->params.amg;
    lcl_operator *A = M->whole ? M->whole : M->matrix;
    *other = false;
    if (given->smoother > 0 && given->refresh == LCL_AMG_REFRESH_VALUES)
        return LCL_OK;
    const enum lcl_status st = lcl_operator_look(A);
    *other = st == LCL_OK && (A->look.symmetric != S->H.params.symmetric ||
                              smoother_of(S, A) != S->H.params.smoother);
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

static void describe_storage(struct lcl_amg_info *info, int to,
                             const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l];
    info->storage[to] = L->A.D ? L->A.storage : LCL_FACTOR_STORAGE_FP64;
    info->loss[to] = L->loss;
}

// Describes the levels of H, which are levels `first` and following of the
// whole hierarchy.
static enum lcl_status describe_levels(lcl_precond *M,
                                       const struct lcl_hierarchy *H, int first)
{
    const struct amg *S = M->op.state;
    const int own = lcl_hierarchy_own_levels(H);
    struct lcl_amg_info *info = &M->info.amg;
    enum lcl_status st = LCL_OK;
    info->levels = first + own;
    for (int l = 0; l < own && st == LCL_OK; ++l) {
        const struct lcl_level *L = &H->level[l];
        info->rows[first + l] = L->space.total;
        info->nnz[first + l] = L->nnz;
        info->plain[first + l] = L->plain;
        describe_storage(info, first + l, &H->cycle, l);
        info->bytes += lcl_level_factors_bytes(&S->factors[first + l]) +
                       lcl_device_matrix_bytes(&S->inside[first + l]);
        st = read_lambda(&info->lambda_max[first + l], L->lambda);
    }
    return st;
}

static double complexity(const struct lcl_amg_info *info)
{
    double entries = 0;
    for (int l = 0; l < info->levels; ++l)
        entries += (double)info->nnz[l];
    return info->nnz[0] > 0 ? entries / (double)info->nnz[0] : 1;
}

static enum lcl_status describe(lcl_precond *M)
{
    const struct amg *S = M->op.state;
    struct lcl_precond_info *info = &M->info;
    struct lcl_amg_info *amg = &info->amg;
    int first = 0;
    enum lcl_status st = LCL_OK;
    amg->smoother = S->H.params.smoother;
    amg->bytes = lcl_hierarchy_bytes(&S->H);
    amg->traffic = (uint64_t)lcl_hierarchy_traffic(&S->H);
    for (const struct lcl_hierarchy *H = &S->H; H && st == LCL_OK;
         H = H->below) {
        st = describe_levels(M, H, first);
        first = amg->levels;
        amg->coarsening = H->params.coarsening;
    }
    amg->complexity = complexity(amg);
    info->bytes = amg->bytes;
    info->nnz_kept = info->nnz;
    info->storage = LCL_FACTOR_STORAGE_FP32;
    return st;
}

// ------------------------------------------------------------------- values

static bool is_estimated(const struct amg *S, bool fresh)
{
    return !fresh || S->H.params.smoother == LCL_AMG_ILDU0;
}

// Updates the factors; after a set-up, those inside ranks already have the
// current values.
static enum lcl_status update_factors(struct amg *S, bool fresh)
{
    int k = 0;
    enum lcl_status st = LCL_OK;
    for (const struct lcl_hierarchy *H = &S->H; H; H = H->below)
        for (int l = 0; l < lcl_hierarchy_own_levels(H); ++l, ++k) {
            if (S->inside[k].val && !fresh && st == LCL_OK)
                st = lcl_level_inside_update(&S->inside[k], &H->level[l]);
            if (S->factors[k].M && st == LCL_OK)
                st = lcl_level_factors_update(&S->factors[k]);
        }
    return st;
}

static enum lcl_status estimate(const struct amg *S)
{
    enum lcl_status st = LCL_OK;
    for (const struct lcl_hierarchy *H = &S->H; H && st == LCL_OK; H = H->below)
        if (lcl_hierarchy_own_levels(H) > 0)
            st = lcl_cycle_estimate(&H->cycle);
    return st;
}

static enum lcl_status update_values(lcl_precond *M)
{
    struct amg *S = M->op.state;
    const bool fresh = S->H.fresh;
    enum lcl_status st = lcl_hierarchy_update(&S->H);
    if (st == LCL_OK)
        st = update_factors(S, fresh);
    st = lcl_space_agree(space_of(M), st, what);
    return st < 0 || !is_estimated(S, fresh)
               ? st
               : lcl_space_end(space_of(M), estimate(S));
}

static enum lcl_status update(lcl_precond *M)
{
    bool other;
    enum lcl_status st = find_kind(M, &other);
    if (st == LCL_OK)
        st = other || is_worn(M) ? set_up_again(M) : check_values(M);
    st = lcl_space_agree(space_of(M), st, what);
    if (st == LCL_OK)
        st = update_values(M);
    return st < 0 ? st : describe(M);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct amg *S = A->state;
    (void)mode;
    return lcl_hierarchy_apply(&S->H, v);
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
