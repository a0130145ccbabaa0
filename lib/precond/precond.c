// SPDX-License-Identifier: BSD-3-Clause
// Public interface of preconditioners.
#include "lib/precond/precond.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/callback.h"
#include "lib/partition/grid.h"
#include "lib/storage/to_entries.h"
#include "lib/trisolve/trisolve.h"
#include "lib/vector/segments.h"

#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include <float.h>
#include <math.h>

static const struct lcl_precond_ops *const methods[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = &lcl_precond_ilu,
    [LCL_PRECOND_NONE] = &lcl_precond_none,
    [LCL_PRECOND_JACOBI] = &lcl_precond_jacobi,
    [LCL_PRECOND_ILU0] = &lcl_precond_ilu,
    [LCL_PRECOND_ILDU0] = &lcl_precond_ilu,
    [LCL_PRECOND_IC0] = &lcl_precond_ilu,
    [LCL_PRECOND_BLOCK_JACOBI] = &lcl_precond_block_jacobi,
    [LCL_PRECOND_ILUK] = &lcl_precond_schwarz,
    [LCL_PRECOND_ILUT] = &lcl_precond_schwarz,
    [LCL_PRECOND_RAS] = &lcl_precond_schwarz,
    [LCL_PRECOND_AS] = &lcl_precond_schwarz,
    [LCL_PRECOND_AMG] = &lcl_precond_amg,
    [LCL_PRECOND_CPR] = &lcl_precond_cpr,
    [LCL_PRECOND_LU] = &lcl_precond_lu,
};

// For Kronecker operators; NULL: not supported.
static const struct lcl_precond_ops *const kron_methods[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = &lcl_precond_kron_stages,
    [LCL_PRECOND_NONE] = &lcl_precond_none,
    [LCL_PRECOND_ILU0] = &lcl_precond_kron_stages,
    [LCL_PRECOND_ILDU0] = &lcl_precond_kron_stages,
    [LCL_PRECOND_IC0] = &lcl_precond_kron_stages,
    [LCL_PRECOND_BLOCK_JACOBI] = &lcl_precond_kron_block_jacobi,
};

// M = I, for any square operator.
const struct lcl_precond_ops lcl_precond_none = {
    .op = {.apply = NULL},
    .numbering = LCL_NUMBERING_ANY,
    .symmetric = true,
};

// Whether the method was published for unit L and U with separate D.
static bool is_for_ildu0(enum lcl_trisolve trisolve)
{
    return trisolve == LCL_TRISOLVE_DAG_VC_ILDU0_FUSED ||
           trisolve == LCL_TRISOLVE_DAG_EC_LDS_UD ||
           trisolve == LCL_TRISOLVE_DAG_EC_ILDU0_FUSED;
}

static bool has_factors(enum lcl_precond_type type)
{
    return methods[type] == &lcl_precond_ilu ||
           methods[type] == &lcl_precond_schwarz;
}

// Fill and overlap.
static enum lcl_status check_extension(const struct lcl_precond_params *p,
                                       const struct lcl_log *log)
{
    const bool ilut = p->ilut_p != 0 || p->ilut_tol != 0;
    if (p->ilu_level < 0 || p->overlap < 0)
        return lcl_fail(log, LCL_EINVAL,
                        "ilu_level %d, overlap %d: expected >= 0", p->ilu_level,
                        p->overlap);
    if (p->ilut_p < 0 || !(p->ilut_tol >= 0 && p->ilut_tol < INFINITY))
        return lcl_fail(log, LCL_EINVAL,
                        "ilut_p %d, ilut_tol %g: expected >= 0", p->ilut_p,
                        p->ilut_tol);
    if ((p->ilu_level > 0 || p->overlap > 0) &&
        !lcl_precond_is_extended(p->type))
        return lcl_fail(log, LCL_EINVAL,
                        "ilu_level and overlap require iluk, ras or as, not "
                        "%s",
                        lcl_precond_name(p->type));
    if (ilut && p->type != LCL_PRECOND_ILUT && p->type != LCL_PRECOND_RAS)
        return lcl_fail(log, LCL_EINVAL,
                        "ilut_p and ilut_tol require ilut or ras, not %s",
                        lcl_precond_name(p->type));
    if (p->ilu_level > 0 && (ilut || p->type == LCL_PRECOND_ILUT))
        return lcl_fail(log, LCL_EINVAL,
                        "fill is limited by ilu_level or by ilut_p, not "
                        "both");
    return LCL_OK;
}

static enum lcl_status check_params(const struct lcl_precond_params *p,
                                    const struct lcl_log *log)
{
    if ((unsigned)p->type >= LCL_PRECOND_CALLBACK ||
        (unsigned)p->trisolve >= LCL_TRISOLVE_COUNT ||
        (unsigned)p->order >= LCL_ORDER_COUNT ||
        (unsigned)p->pivot >= LCL_PIVOT_COUNT ||
        (unsigned)p->storage >= LCL_FACTOR_STORAGE_COUNT ||
        (unsigned)p->coarse >= LCL_COARSE_COUNT ||
        (unsigned)p->refresh >= LCL_REFRESH_COUNT ||
        (unsigned)p->block_jacobi.extraction >= LCL_BLOCK_EXTRACTION_COUNT ||
        (unsigned)p->block_jacobi.apply >= LCL_BLOCK_APPLY_COUNT ||
        (unsigned)p->partition.type >= LCL_PARTITION_COUNT ||
        (unsigned)p->partition.weights >= LCL_WEIGHTS_COUNT)
        return lcl_misuse(log, "lcl_precond_create: an enum is out of range");
    if (!(p->pivot_tol >= 0 && p->pivot_tol < 1))
        return lcl_fail(log, LCL_EINVAL, "pivot_tol %g: expected >= 0 and < 1",
                        p->pivot_tol);
    if (!(p->relax >= 0 && p->relax <= 1))
        return lcl_fail(log, LCL_EINVAL, "relax %g: expected 0 to 1", p->relax);
    if (p->relax > 0 && !has_factors(p->type))
        return lcl_fail(log, LCL_EINVAL, "relax requires factors, not %s",
                        lcl_precond_name(p->type));
    if (p->storage == LCL_FACTOR_STORAGE_ADAPTIVE &&
        p->type != LCL_PRECOND_BLOCK_JACOBI)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "factor storage adaptive requires block-jacobi");
    if (p->type == LCL_PRECOND_ILU0 && is_for_ildu0(p->trisolve))
        return lcl_fail(log, LCL_EINVAL, "%s requires ildu0 factors, not ilu0",
                        lcl_trisolve_name(p->trisolve));
    if (p->transversal && (!has_factors(p->type) ||
                           lcl_precond_factors(p->type) == LCL_PRECOND_IC0))
        return lcl_fail(log, LCL_EINVAL,
                        "a transversal requires factors of a matrix that need "
                        "not be symmetric, not %s",
                        lcl_precond_name(p->type));
    if (p->order > LCL_ORDER_NONE && !has_factors(p->type))
        return lcl_fail(log, LCL_EINVAL,
                        "an order of rows requires factors, not %s",
                        lcl_precond_name(p->type));
    if (p->cpr.pressure < 0)
        return lcl_fail(log, LCL_EINVAL, "cpr: pressure %d: expected >= 0",
                        p->cpr.pressure);
    if ((unsigned)p->amg.refresh >= LCL_AMG_REFRESH_COUNT)
        return lcl_fail(log, LCL_EINVAL,
                        "amg: refresh %d: expected a number below %d",
                        (int)p->amg.refresh, (int)LCL_AMG_REFRESH_COUNT);
    if ((unsigned)p->amg.coarsening >= LCL_AMG_COARSENING_COUNT ||
        (unsigned)p->amg.smoother >= LCL_AMG_SMOOTHER_COUNT)
        return lcl_fail(log, LCL_EINVAL,
                        "amg: coarsening %d, smoother %d: expected numbers "
                        "below %d and %d",
                        (int)p->amg.coarsening, (int)p->amg.smoother,
                        (int)LCL_AMG_COARSENING_COUNT,
                        (int)LCL_AMG_SMOOTHER_COUNT);
    if (p->amg.storage != LCL_FACTOR_STORAGE_DEFAULT &&
        p->amg.storage != LCL_FACTOR_STORAGE_FP32 &&
        p->amg.storage != LCL_FACTOR_STORAGE_BF16)
        return lcl_fail(
            log, LCL_EINVAL, "amg: storage %s (%d): expected fp32 or bf16",
            lcl_factor_storage_name(p->amg.storage), (int)p->amg.storage);
    if (!(p->amg.theta >= 0 && p->amg.theta < 1) || p->amg.levels < 0 ||
        p->amg.levels > LCL_AMG_LEVELS || p->amg.coarse_rows < 0)
        return lcl_fail(
            log, LCL_EINVAL,
            "amg: theta %g, levels %d, coarse_rows %lld: expected 0 "
            "to 1, 0 to %d, >= 0",
            p->amg.theta, p->amg.levels, (long long)p->amg.coarse_rows,
            LCL_AMG_LEVELS);
    return check_extension(p, log);
}

static const struct lcl_log *log_of(const lcl_precond *M)
{
    return lcl_context_log(M->op.range.ctx);
}

// Reports a NULL argument; the object itself may be NULL.
static enum lcl_status refuse_null(const lcl_precond *M, const char *function)
{
    return lcl_misuse(M ? log_of(M) : NULL, "%s: an argument is NULL",
                      function);
}

// Number of factors e of the reduction, limited by the digits of fp64.
static double folds_of(double start, double end)
{
    const double most = -log(DBL_EPSILON);
    if (!(end < start))
        return 0;
    return end > 0 ? fmin(log(start) - log(end), most) : most;
}

void lcl_precond_record(lcl_precond *M, int iterations, bool converged,
                        double start, double end)
{
    struct lcl_precond_info *info = &M->info;
    M->failed = !converged;
    M->lagged = lcl_precond_lag(M) > 0;
    M->last_folds = folds_of(start, end);
    ++M->solves;
    info->last_iterations = iterations;
    if (!converged || M->last_folds == 0)
        return;
    const double rate = iterations / M->last_folds;
    if (M->fresh_rate == 0)
        M->fresh_rate = rate;
    if (M->first_rate == 0)
        M->first_rate = rate;
    if (info->first_iterations == 0)
        info->first_iterations = iterations;
}

enum lcl_status lcl_precond_refactor(lcl_precond *M)
{
    lcl_task_enter(M->op.range.ctx, LCL_TASK_NUMERIC);
    M->version = M->A->version;
    M->solves = 0;
    M->fresh_rate = 0;
    const enum lcl_status st = M->ops->update ? M->ops->update(M) : LCL_OK;
    lcl_task_leave(M->op.range.ctx);
    const struct lcl_precond_info *info = &M->info;
    const bool ic0 = lcl_precond_factors(info->type) == LCL_PRECOND_IC0;
    if (st == LCL_EPIVOT && info->pivots_repaired > 0) // not on another rank
        return lcl_fail(log_of(M), st,
                        "row %lld has a zero or tiny%s pivot, and the pivot "
                        "policy is 'fail'; use boost, replace or shift",
                        (long long)info->repaired_rows[0] + 1,
                        ic0 ? " or negative" : "");
    if (st < 0 || info->pivots_repaired == 0)
        return st;
    const bool many = info->pivots_repaired > 1;
    lcl_warn(log_of(M), "%lld pivot%s repaired, %sin row %lld%s",
             (long long)info->pivots_repaired, many ? "s" : "",
             many ? "the first " : "", (long long)info->repaired_rows[0] + 1,
             ic0 ? ": the incomplete factors are not positive definite" : "");
    return LCL_PIVOTS_REPAIRED;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check_operator(const lcl_operator *A,
                                      enum lcl_precond_type type,
                                      const struct lcl_log *log)
{
    if (A->range.n != A->domain.n)
        return lcl_fail(log, LCL_EFORMAT,
                        "the matrix is %lld x %lld: expected a square matrix",
                        (long long)A->range.n, (long long)A->domain.n);
    if (A->info.kron && !kron_methods[type])
        return lcl_fail(
            log, LCL_EUNSUPPORTED,
            "%s does not support Kronecker systems; use block-jacobi",
            lcl_precond_name(type));
    if (!lcl_operator_is_matrix(A) && !A->info.kron && type != LCL_PRECOND_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s needs a matrix, but the operator is matrix-free; "
                        "use none or a callback",
                        lcl_precond_name(type ? type : LCL_PRECOND_ILDU0));
    return LCL_OK;
}

static struct lcl_precond_info initial_info(const lcl_operator *A,
                                            enum lcl_precond_type type)
{
    return (struct lcl_precond_info){
        .type = type ? type : LCL_PRECOND_ILDU0,
        .rows = A->range.n,
        .nnz = A->info.nnz,
        .block_size = A->info.block_size,
        .coarse = {.type = LCL_COARSE_NONE},
        .factors = {.form = ""},
    };
}

static enum lcl_status allocate(lcl_precond **out, lcl_operator *A,
                                const struct lcl_precond_ops *ops)
{
    lcl_precond *M = *out = lcl_calloc(1, sizeof *M);
    if (!M)
        return lcl_fail_memory(lcl_context_log(A->range.ctx),
                               "a preconditioner");
    if (ops == &lcl_precond_none)
        lcl_identity_init(&M->op, A->range, A->numbering);
    else
        lcl_operator_init(&M->op, &ops->op, A->range, A->domain);
    M->ops = ops;
    M->A = M->matrix = A;
    ++A->users;
    return LCL_OK;
}

// ------------------------------------------------------------------- matrix

bool lcl_precond_needs_entries(const struct lcl_precond_params *p)
{
    const bool classical = p->amg.coarsening == LCL_AMG_CLASSICAL;
    return has_factors(p->type)
               ? p->transversal || p->order > LCL_ORDER_NONE || p->relax > 0 ||
                     lcl_trisolve_supports_levels(p->trisolve)
               : p->type == LCL_PRECOND_AMG && classical;
}

// AMG on several ranks reads their rows from the whole operator.
static bool needs_entries(const lcl_precond *M,
                          const struct lcl_precond_params *params)
{
    const bool shared = M->whole && params->type == LCL_PRECOND_AMG;
    return M->A->matrix && M->A->detected && !shared &&
           lcl_precond_needs_entries(params);
}

// Whether M can use the matrix of A itself, or its entries.
static bool can_share(const lcl_precond *M, bool entries)
{
    const lcl_operator *A = M->A;
    const bool any = M->ops->numbering == LCL_NUMBERING_ANY && !entries;
    const bool given = M->ops->numbering == LCL_NUMBERING_GIVEN || entries;
    return !A->matrix || any || (!A->own.perm && (given || A->users == 1));
}

// Makes M->matrix a copy of A in the caller's numbering.
static enum lcl_status copy_matrix(lcl_precond *M)
{
    const lcl_operator *A = M->A;
    const int b = A->matrix->block;
    lcl_operator *copy;
    const enum lcl_status st = lcl_operator_copy(&copy, &M->copied, A);
    if (st < 0)
        return st;
    M->matrix = copy;
    return lcl_vector_ops_init(&M->copy, A->range.ctx, b * b);
}

// Finds a matrix in a numbering that the method supports: that of A if A has no
// other users, otherwise a copy.
static enum lcl_status find_matrix(lcl_precond *M, bool entries)
{
    if (can_share(M, entries))
        return LCL_OK;
    return M->A->users == 1 ? lcl_operator_restore(M->A) : copy_matrix(M);
}

// Replaces M->matrix by its single entries.
static enum lcl_status split_blocks(lcl_precond *M)
{
    const struct lcl_operator_params params = {
        .spmv = LCL_SPMV_CSR, .block_size = 1, .hec_width = M->A->hec_width};
    lcl_context *ctx = M->op.range.ctx;
    struct lcl_blocked B = {.entries = M->A->info.nnz};
    lcl_operator *entries = NULL;
    enum lcl_status st = lcl_to_entries(&B.A, ctx, M->matrix->matrix);
    if (st == LCL_OK)
        st = lcl_matrix_operator_create(&entries, ctx, &B, &params);
    lcl_blocked_finish(&B);
    if (st < 0)
        return st;
    lcl_info(lcl_context_log(ctx),
             "%s takes the detected blocks of %d rows entry by entry",
             lcl_precond_name(M->info.type), M->info.block_size);
    M->blocks = M->matrix;
    M->matrix = entries;
    M->info.block_size = 1;
    return LCL_OK;
}

static enum lcl_status set_up(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const bool entries = needs_entries(M, params);
    enum lcl_status st = find_matrix(M, entries);
    if (st < 0 || (entries && (st = split_blocks(M)) < 0))
        return st;
    return M->ops->create ? M->ops->create(M, params) : LCL_OK;
}

static enum lcl_status join(lcl_precond *M)
{
    const enum lcl_status st = M->ops->join ? M->ops->join(M) : LCL_OK;
    if (st < 0)
        return st;
    if (!M->op.numbering)
        M->op.numbering = M->matrix->numbering;
    M->op.launches = M->info.launches;
    lcl_operator *const forms[] = {M->additive, M->deflated, M->start,
                                   M->absolute};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        if (forms[k])
            forms[k]->numbering = M->op.numbering;
    return LCL_OK;
}

static const struct lcl_precond_ops *ops_of(
    const lcl_operator *A, const struct lcl_precond_params *params)
{
    const bool permuted = params->transversal || params->order > LCL_ORDER_NONE;
    return A->team        ? &lcl_precond_team
           : permuted     ? &lcl_precond_permuted
           : A->info.kron ? kron_methods[params->type]
                          : methods[params->type];
}

// The part of the creation that is independent of other ranks. On error the
// caller destroys *out.
static enum lcl_status begin(lcl_precond **out, lcl_operator *A,
                             const struct lcl_precond_params *params,
                             lcl_operator *whole)
{
    const enum lcl_status st = allocate(out, A, ops_of(A, params));
    if (st < 0)
        return st;
    if (whole) {
        (*out)->whole = whole;
        (*out)->op.range = (*out)->op.domain = whole->range;
    }
    (*out)->info = initial_info(A, params->type);
    (*out)->info.factors.transversal = params->transversal;
    (*out)->info.factors.order = params->order ? params->order : LCL_ORDER_NONE;
    (*out)->refresh = params->refresh;
    return set_up(*out, params);
}

enum lcl_status lcl_precond_analyse(lcl_precond **out, lcl_operator *A,
                                    const struct lcl_precond_params *params)
{
    enum lcl_status st = begin(out, A, params, NULL);
    if (st == LCL_OK)
        st = join(*out);
    if (st < 0)
        lcl_precond_destroy(out);
    return st;
}

// Refuses methods whose results depend on the number of ranks: those that use
// rows of other ranks, or sums over all ranks.
static enum lcl_status check_reproducible(const lcl_operator *A,
                                          const struct lcl_precond_params *p,
                                          const struct lcl_log *log)
{
    const bool levels =
        p->type == LCL_PRECOND_AMG || p->type == LCL_PRECOND_CPR;
    const bool overlaps =
        p->type == LCL_PRECOND_RAS || p->type == LCL_PRECOND_AS;
    if (levels || overlaps)
        return lcl_segments_refuse(lcl_precond_name(p->type), log);
    return A->info.kron && p->coarse > LCL_COARSE_NONE
               ? lcl_segments_refuse("a coarse correction of stages", log)
               : LCL_OK;
}

static enum lcl_status check(struct lcl_precond_params *p, lcl_operator *A)
{
    const lcl_operator *own = lcl_operator_own(A);
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    enum lcl_status st;
    if ((st = check_params(p, log)) < 0 ||
        (st = check_operator(own, p->type, log)) < 0 || !A->range.segments)
        return st;
    if (p->coarse == LCL_COARSE_AUTO) // AUTO would inspect sums over ranks
        p->coarse = LCL_COARSE_NONE;
    return check_reproducible(own, p, log);
}

static bool has_subdomains(const lcl_operator *A, enum lcl_precond_type type)
{
    return A->info.kron ? kron_methods[type] == &lcl_precond_kron_stages
                        : has_factors(type) || type == LCL_PRECOND_CPR;
}

// Ranks find the grid of the whole matrix together, since the rows of one rank
// may not form a box of it.
static enum lcl_status find_grid(struct lcl_precond_params *p, lcl_operator *A)
{
    struct lcl_partition_params *cut = &p->partition;
    const bool given = cut->grid[0] || cut->grid[1] || cut->grid[2];
    return A->part && cut->type == LCL_PARTITION_GEOMETRIC && !given &&
                   has_subdomains(A, p->type)
               ? lcl_grid_find_on_ranks(cut->grid, A)
               : LCL_OK;
}

// The ranks agree on the status, so that either all or none have factors.
static enum lcl_status factor(lcl_precond *M, const char *what)
{
    M->status = lcl_space_agree(&M->op.range, lcl_precond_refactor(M), what);
    return M->status;
}

// No other rank waits for the launches here, so that they may end at the limit.
static enum lcl_status begin_alone(lcl_precond **out, lcl_operator *A,
                                   const struct lcl_precond_params *p)
{
    lcl_context *ctx = A->range.ctx;
    const bool before = lcl_context_limit_launches(ctx, true);
    const enum lcl_status st =
        begin(out, lcl_operator_own(A), p, A->part ? A : NULL);
    lcl_context_limit_launches(ctx, before);
    return st;
}

// The ranks agree after each step, so that all of them continue alike.
static enum lcl_status create(lcl_precond **out, lcl_operator *A,
                              const struct lcl_precond_params *params)
{
    static const char what[] = "a preconditioner";
    const struct lcl_space *V = &A->range;
    struct lcl_precond_params p = *params;
    enum lcl_status st;
    if ((st = lcl_space_agree(V, check(&p, A), what)) < 0 ||
        (st = find_grid(&p, A)) < 0 ||
        (st = lcl_space_agree(V, begin_alone(out, A, &p), what)) < 0 ||
        (st = lcl_space_agree(V, join(*out), what)) < 0)
        return st;
    return factor(*out, what);
}

static void log_sizes(const lcl_precond *M, const lcl_operator *A)
{
    const struct lcl_precond_info *info = &M->info;
    lcl_debug(log_of(M),
              "on the device: operator %llu bytes, %s %llu bytes, coarse "
              "correction %llu bytes",
              (unsigned long long)A->info.bytes, lcl_precond_name(info->type),
              (unsigned long long)info->bytes,
              (unsigned long long)info->coarse.bytes);
}

enum lcl_status lcl_precond_create(lcl_precond **out, lcl_operator *A,
                                   const struct lcl_precond_params *params)
{
    static const struct lcl_precond_params defaults = LCL_PRECOND_PARAMS_INIT;
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    if (out)
        *out = NULL;
    if (!out || !A)
        return lcl_misuse(log, "lcl_precond_create: an argument is NULL");
    if (!params)
        params = &defaults;
    enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_precond_create");
    if (st < 0 || (st = lcl_precond_expect_equal(&A->range, params)) < 0)
        return st;
    st = create(out, A, params);
    if (st < 0)
        lcl_precond_destroy(out);
    else
        log_sizes(*out, A);
    return st;
}

// ------------------------------------------------------------------- callbacks

static const struct lcl_precond_ops callback_ops = {
    .numbering = LCL_NUMBERING_ANY,
};

static enum lcl_status create_callback(lcl_precond **out, lcl_operator *A,
                                       const struct lcl_callback *callback)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    enum lcl_status st;
    if (out)
        *out = NULL;
    if (!out || !A || (!callback->host && !callback->device))
        return lcl_misuse(log,
                          "lcl_precond_create_callback: an argument is NULL");
    if ((st = lcl_context_expect_free(A->range.ctx,
                                      "lcl_precond_create_callback")) < 0 ||
        (st = check_operator(A, LCL_PRECOND_NONE, log)) < 0 ||
        (st = allocate(out, A, &callback_ops)) < 0)
        return st;
    lcl_precond *M = *out;
    M->info = initial_info(A, LCL_PRECOND_CALLBACK);
    M->op.ops = &lcl_callback_ops;
    lcl_numbering_init(&M->op.own, A->range.ctx, A->range.n, 1);
    M->op.numbering = &M->op.own;
    if ((st = lcl_callback_init(&M->op, callback)) < 0)
        lcl_precond_destroy(out);
    return st;
}

enum lcl_status lcl_precond_create_callback(lcl_precond **out, lcl_operator *A,
                                            lcl_apply_fn *apply, void *user)
{
    const struct lcl_callback callback = {.host = apply, .user = user};
    return create_callback(out, A, &callback);
}

enum lcl_status lcl_precond_create_callback_cl(lcl_precond **out,
                                               lcl_operator *A,
                                               lcl_apply_cl_fn *apply,
                                               void *user)
{
    const struct lcl_callback callback = {.device = apply, .user = user};
    return create_callback(out, A, &callback);
}

// ------------------------------------------------------------------- use

static enum lcl_status refresh_blocks(const lcl_precond *M)
{
    lcl_operator *copy = M->blocks ? M->blocks : M->matrix;
    const enum lcl_status st =
        lcl_gather(&M->copy, M->A->matrix->blocks, M->copied, M->A->matrix->val,
                   lcl_operator_staging(copy));
    return st < 0 ? st : lcl_operator_commit_staged(copy);
}

static enum lcl_status refresh_entries(const lcl_precond *M)
{
    const struct lcl_device_matrix staged = {
        .val = lcl_operator_staging(M->matrix)};
    const enum lcl_status st =
        lcl_to_entries_update(&staged, M->op.range.ctx, M->blocks->matrix);
    return st < 0 ? st : lcl_operator_commit_staged(M->matrix);
}

// Copies the current values of A to M's own matrices.
static enum lcl_status refresh_copy(lcl_precond *M)
{
    const enum lcl_status st = M->copied ? refresh_blocks(M) : LCL_OK;
    return st < 0 || !M->blocks ? st : refresh_entries(M);
}

enum lcl_status lcl_precond_factor(lcl_precond *M)
{
    const enum lcl_status st = refresh_copy(M);
    M->version = M->A->version;
    return st < 0 ? st : M->ops->update(M);
}

static bool is_up_to_date(const lcl_precond *M)
{
    return M->status >= 0 && lcl_precond_lag(M) == 0 &&
           !(M->ops->is_worn && M->ops->is_worn(M));
}

enum lcl_status lcl_precond_update(lcl_precond *M)
{
    static const char what[] = "new values of a preconditioner";
    if (!M)
        return refuse_null(M, "lcl_precond_update");
    const struct lcl_space *V = &M->op.range;
    enum lcl_status st = lcl_context_expect_free(V->ctx, "lcl_precond_update");
    if (st < 0)
        return st;
    if (is_up_to_date(M))
        return M->status;
    M->status = lcl_space_agree(V, refresh_copy(M), what);
    return M->status < 0 ? M->status : factor(M, what);
}

enum lcl_status lcl_precond_refresh(lcl_precond *M)
{
    if (M->refresh != LCL_REFRESH_ON_SLOW || lcl_precond_lag(M) == 0 ||
        !lcl_precond_is_slow(M, M->fresh_rate))
        return LCL_OK;
    lcl_info(log_of(M),
             "%s takes new values after %d iterations, %.1f at first",
             lcl_precond_name(M->info.type), M->info.last_iterations,
             M->fresh_rate * M->last_folds);
    return lcl_precond_update(M);
}

enum lcl_status lcl_precond_apply(lcl_precond *M, const double *b, double *x)
{
    if (!M || !b || !x)
        return refuse_null(M, "lcl_precond_apply");
    const enum lcl_status st =
        lcl_context_expect_product(M->op.range.ctx, "lcl_precond_apply");
    return st < 0 ? st
                  : lcl_space_end(&M->op.range, lcl_apply_host(&M->op, b, x));
}

enum lcl_status lcl_precond_locate(const lcl_precond *M, int32_t *part,
                                   int32_t *level)
{
    if (!M || !part || !level)
        return refuse_null(M, "lcl_precond_locate");
    const enum lcl_status st =
        lcl_context_expect_free(M->op.range.ctx, "lcl_precond_locate");
    if (st < 0)
        return st;
    return M->ops->locate
               ? M->ops->locate(M, part, level)
               : lcl_fail(log_of(M), LCL_EUNSUPPORTED,
                          "lcl_precond_locate: %s has no subdomains of one "
                          "matrix on one device",
                          lcl_precond_name(M->info.type));
}

const struct lcl_precond_info *lcl_precond_info(const lcl_precond *M)
{
    return M ? &M->info : NULL;
}

void lcl_precond_destroy(lcl_precond **precond)
{
    if (!precond || !*precond)
        return;
    lcl_precond *M = *precond;
    if (!lcl_context_lets_go(M->op.range.ctx, precond, "lcl_precond_destroy"))
        return;
    lcl_precond_destroy(&M->transposed);
    lcl_operator_finish(&M->op);
    if (M->matrix != M->A)
        lcl_operator_destroy(&M->matrix);
    if (M->blocks != M->A)
        lcl_operator_destroy(&M->blocks);
    lcl_buffer_destroy(&M->copied);
    --M->A->users;
    lcl_free(M);
    *precond = NULL;
}
