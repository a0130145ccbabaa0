// SPDX-License-Identifier: BSD-3-Clause
// ILU(0), ILDU(0), IC(0), ILU(k) and ILUT on subdomains, which may overlap:
// partition, drop, levels, schedule, factor, apply (Mehta et al., arXiv
// 2508.04917).
#include "lib/precond/ilu_setup.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"
#include "lib/distributed/overlap_rows.h"
#include "lib/factor/ildu0.h"
#include "lib/factor/level_ildu0.h"
#include "lib/factor/row_levels.h"
#include "lib/multilevel/two_level.h"
#include "lib/precond/schwarz.h"
#include "lib/trisolve/packed.h"

#include <assert.h>
#include <string.h>

struct ilu {
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
    struct lcl_schwarz *schwarz; // NULL: the rows of the factors are those of A
    struct lcl_overlap_rows *around; // other ranks' rows; NULL: no overlap with
                                     // them
    struct lcl_coarse_space *coarse; // NULL: no coarse correction
    // The data of the coarse correction, until join() has ended:
    struct lcl_subdomains subdomains;
    enum lcl_coarse wanted;
    double opposite; // of struct lcl_drop_info
    // Kept for join(), with overlap across ranks:
    struct lcl_precond_params params;
    // Only with a coarse correction:
    struct lcl_two_level cycle;                     // as M is applied
    struct lcl_two_level additive, deflated, start; // as CG applies it
};

// ------------------------------------------------------------------- factors

static enum lcl_status make_schwarz(lcl_precond *M,
                                    const struct lcl_ilu_setup *a)
{
    struct ilu *I = M->op.state;
    I->schwarz = lcl_calloc(1, sizeof *I->schwarz);
    if (!I->schwarz)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a Schwarz method");
    return lcl_schwarz_init(
        I->schwarz, &I->trisolve.op, &a->overlapping,
        a->leveled ? NULL : a->symbolic.B.perm, M->info.block_size,
        M->info.type == LCL_PRECOND_AS ? LCL_SCHWARZ_SUM
                                       : LCL_SCHWARZ_RESTRICTED,
        I->around);
}

static enum lcl_status init_factor(lcl_precond *M, struct lcl_ilu_setup *a,
                                   const struct lcl_precond_params *params)
{
    struct ilu *I = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    if (!a->leveled)
        return lcl_factor_init(&I->factor, ctx, &a->symbolic.schedule,
                               M->info.factors.group_size, M->info.block_size,
                               params);
    const enum lcl_status st = lcl_factor_init_levels(
        &I->factor, ctx, &a->host.pattern, &a->overlapping, params);
    if (st < 0)
        return st;
    M->info.factors.levels_max = I->factor.levels->levels.levels;
    M->info.factors.levels_mean = I->factor.levels->levels_mean;
    return LCL_OK;
}

// By default the packed apply uses fp32 values if they fit in that format: it
// is faster, and the number of iterations does not grow.
static enum lcl_status make_factor(lcl_precond *M, struct lcl_ilu_setup *a,
                                   const struct lcl_precond_params *params)
{
    struct ilu *I = M->op.state;
    struct lcl_precond_params own = *params;
    enum lcl_status st;
    const bool open = own.storage == LCL_FACTOR_STORAGE_DEFAULT &&
                      M->info.factors.trisolve == LCL_TRISOLVE_PACKED;
    if (open)
        own.storage = LCL_FACTOR_STORAGE_FP32;
    own.type = lcl_precond_factors(own.type);
    if ((!a->extended &&
         (st = lcl_operator_renumber(M->matrix, &a->symbolic.B)) < 0) ||
        (st = init_factor(M, a, &own)) < 0)
        return st;
    I->factor.falls_back = open;
    a->host.hec_width = M->matrix->hec_width;
    st = lcl_trisolve_init(&I->trisolve, M->info.factors.trisolve,
                           M->op.range.ctx, &I->factor, &a->host);
    if (I->trisolve.levels_max > 0) {
        M->info.factors.levels_max = I->trisolve.levels_max;
        M->info.factors.levels_mean = I->trisolve.levels_mean;
    }
    return st < 0 || !a->extended ? st : make_schwarz(M, a);
}

// ---------------------------------------------------------------- correction

// Makes the triangular solve add Z e, if the method supports it.
static enum lcl_status prolong(struct ilu *I)
{
    const enum lcl_status st =
        lcl_trisolve_prolong(&I->trisolve, I->coarse->pattern.part_agg);
    return st == LCL_EUNSUPPORTED ? LCL_OK : st;
}

// CG needs a symmetric form of a multiplicative correction.
static enum lcl_status make_cg_forms(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    const struct {
        struct lcl_two_level *cycle;
        enum lcl_two_level_form form;
    } all[] = {
        {&I->additive, LCL_TWO_LEVEL_ADD},
        {&I->deflated, LCL_TWO_LEVEL_DEFLATED},
        {&I->start, LCL_TWO_LEVEL_COARSE},
    };
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < 3 && st == LCL_OK; ++k)
        st = lcl_two_level_init(all[k].cycle, I->coarse, &I->trisolve.op,
                                all[k].form);
    M->additive = &I->additive.op;
    M->deflated = &I->deflated.op;
    M->start = &I->start.op;
    return st;
}

static enum lcl_status make_cycles(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    const bool mult = M->info.coarse.type == LCL_COARSE_MULT;
    enum lcl_status st;
    if ((st = prolong(I)) < 0 ||
        (st = lcl_two_level_init(&I->cycle, I->coarse, &I->trisolve.op,
                                 mult ? LCL_TWO_LEVEL_MULT
                                      : LCL_TWO_LEVEL_ADD)) < 0)
        return st;
    return mult ? make_cg_forms(M) : LCL_OK;
}

// A coarse unknown would couple prescribed unknowns, whose columns are set
// aside (lib/storage/lone.h), with others.
static enum lcl_status expect_no_aside(lcl_precond *M)
{
    return M->matrix->look.aside && M->info.coarse.type != LCL_COARSE_NONE
               ? lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                          "ic0 with a coarse correction requires zeros in the "
                          "columns of prescribed unknowns: use --coarse none")
               : LCL_OK;
}

static enum lcl_status choose_without_aside(struct ilu *I, lcl_precond *M)
{
    if (lcl_precond_factors(M->info.type) != LCL_PRECOND_IC0 || M->whole ||
        I->wanted != LCL_COARSE_AUTO)
        return LCL_OK;
    const enum lcl_status st = lcl_operator_look(M->matrix);
    if (st == LCL_OK && M->matrix->look.aside)
        I->wanted = LCL_COARSE_NONE;
    return st;
}

// The choice of AUTO is that of one device with the subdomains of all ranks.
static enum lcl_status choose_coarse(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    const enum lcl_status found = choose_without_aside(I, M);
    if (found < 0)
        return found;
    const double rows = (double)I->subdomains.n;
    double sum[] = {(double)I->subdomains.parts, rows, rows * I->opposite};
    const enum lcl_status st = M->whole && I->wanted == LCL_COARSE_AUTO
                                   ? lcl_space_sum(&M->op.range, sum, 3)
                                   : LCL_OK;
    M->info.coarse.type = lcl_coarse_choose(I->wanted, (int64_t)sum[0],
                                            (int64_t)sum[1], sum[2] / sum[1]);
    return st;
}

static enum lcl_status allocate_coarse(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    I->coarse = lcl_calloc(1, sizeof *I->coarse);
    return I->coarse ? LCL_OK
                     : lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                                       "a coarse correction");
}

static enum lcl_status make_coarse(lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    const struct lcl_coarse_params params = {
        .block = M->info.block_size,
        .halo = M->whole ? lcl_distributed_halo(M->whole) : NULL,
        .numbering = M->matrix->numbering};
    const enum lcl_status st = lcl_coarse_init(
        I->coarse, M->op.range.ctx, M->matrix->matrix, &I->subdomains, &params);
    return st < 0 ? st : make_cycles(M);
}

static enum lcl_status add_coarse(lcl_precond *M)
{
    enum lcl_status st;
    if (lcl_precond_is_extended(M->info.type))
        return LCL_OK;
    if ((st = choose_coarse(M)) < 0 || M->info.coarse.type == LCL_COARSE_NONE ||
        (st = lcl_space_agree(&M->op.range, allocate_coarse(M),
                              "a coarse correction")) < 0)
        return st;
    lcl_task_enter(M->op.range.ctx, LCL_TASK_COARSE_PATTERN);
    st = make_coarse(M);
    lcl_task_leave(M->op.range.ctx);
    return st;
}

static void describe_coarse(lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    const struct lcl_coarse_space *C = I->coarse;
    struct lcl_precond_info *info = &M->info;
    info->coarse.type = C->off                               ? LCL_COARSE_NONE
                        : I->cycle.form == LCL_TWO_LEVEL_ADD ? LCL_COARSE_ADD
                                                             : LCL_COARSE_MULT;
    info->coarse.rows = lcl_coarse_own(C);
    info->coarse.pinned = C->pinned;
    info->coarse.bytes = lcl_coarse_bytes(C);
}

// ------------------------------------------------------------------- set-up

static lcl_operator *applied(struct ilu *I)
{
    return I->coarse    ? &I->cycle.op
           : I->schwarz ? &I->schwarz->op
                        : &I->trisolve.op;
}

static void describe_apply(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    M->info.factors.group_size = I->trisolve.group;
    M->info.factors.form = I->trisolve.form;
    M->info.launches = applied(I)->launches;
    M->info.factors.barriers = I->trisolve.barriers;
    M->info.storage = I->factor.storage;
    M->info.bytes = lcl_factor_bytes(&I->factor);
    if (I->schwarz)
        M->info.bytes += lcl_schwarz_bytes(I->schwarz);
    if (I->around)
        M->info.bytes += lcl_overlap_rows_bytes(I->around);
}

// Keeps the data for join().
static void keep_for_coarse(struct ilu *I, struct lcl_ilu_setup *a,
                            enum lcl_coarse wanted)
{
    I->subdomains = a->subdomains;
    a->subdomains = (struct lcl_subdomains){0};
    I->wanted = wanted;
    // a sum over rows with both signs does not show how small A is on constants
    I->opposite = a->symbolic.drop.mixed ? 0 : a->symbolic.drop.opposite;
}

static enum lcl_status set_up(lcl_precond *M, struct lcl_ilu_setup *a,
                              const struct lcl_precond_params *params)
{
    const struct ilu *I = M->op.state;
    enum lcl_status st;
    if ((st = lcl_ilu_setup_init(a, M, I->around, &params->partition)) < 0)
        return st;
    lcl_task_enter(M->op.range.ctx, LCL_TASK_NUMERIC);
    st = make_factor(M, a, params);
    lcl_task_leave(M->op.range.ctx);
    if (st == LCL_OK)
        keep_for_coarse(M->op.state, a, params->coarse);
    return st;
}

static enum lcl_status set_up_once(lcl_precond *M,
                                   const struct lcl_precond_params *params)
{
    struct lcl_ilu_setup a;
    const enum lcl_status st = set_up(M, &a, params);
    lcl_ilu_setup_finish(&a);
    return st;
}

static bool overlaps_ranks(const lcl_precond *M)
{
    return M->whole && M->info.factors.overlap > 0;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_device_matrix *D = M->matrix->matrix;
    enum lcl_status st;
    if ((st = lcl_ilu_choose(&M->info, params, log)) < 0)
        return st;
    if (lcl_needs_wide(D->blocks)) // before METIS spends hours on it
        return lcl_refuse_wide(D->blocks, "factors on subdomains", log);
    struct ilu *I = M->op.state = lcl_calloc(1, sizeof *I);
    if (!I)
        return lcl_fail_memory(log, "a preconditioner");
    I->params = *params;
    I->params.partition.type = lcl_packed_partition_type(
        lcl_context_caps(ctx), &params->partition, D->block_rows, D->block);
    return overlaps_ranks(M) ? LCL_OK : set_up_once(M, &I->params);
}

// *same = whether all ranks have blocks of the same size.
static enum lcl_status compare_blocks(const lcl_precond *M, bool *same)
{
    const struct ilu *I = M->op.state;
    const int most = M->whole->info.block_size; // of all ranks
    const int expected = lcl_precond_needs_entries(&I->params) ? 1 : most;
    *same = M->info.block_size == expected;
    return lcl_space_all(&M->op.range, same);
}

// Fetches the rows of other ranks; collective.
static enum lcl_status fetch_rows_around(lcl_precond *M)
{
    static const char what[] = "the overlap of ranks";
    struct ilu *I = M->op.state;
    const struct lcl_space *V = &M->op.range;
    bool same;
    enum lcl_status st = compare_blocks(M, &same);
    if (st < 0)
        return st;
    if (!same) {
        lcl_info(lcl_context_log(V->ctx),
                 "ranks have blocks of different sizes: their subdomains do "
                 "not overlap");
        return LCL_OK;
    }
    I->around = lcl_calloc(1, sizeof *I->around);
    st = I->around ? LCL_OK : lcl_fail_memory(lcl_context_log(V->ctx), what);
    if ((st = lcl_space_agree(V, st, what)) < 0)
        return st;
    return lcl_overlap_rows_init(I->around, M->whole, M->info.block_size,
                                 M->info.factors.overlap);
}

static enum lcl_status join_overlap(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    const enum lcl_status st = fetch_rows_around(M);
    return st < 0 ? st : set_up_once(M, &I->params);
}

static enum lcl_status join(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    const enum lcl_status st =
        overlaps_ranks(M) ? join_overlap(M) : add_coarse(M);
    lcl_subdomains_finish(&I->subdomains);
    if (st == LCL_OK)
        describe_apply(M);
    return st;
}

// ------------------------------------------------------------------- values

// The row of the matrix that belongs to a row of the factors.
static enum lcl_status row_of(const lcl_precond *M, int64_t row, int64_t *out)
{
    const struct ilu *I = M->op.state;
    uint32_t of_matrix = (uint32_t)row;
    const enum lcl_status st =
        I->schwarz ? lcl_buffer_read_at(I->schwarz->row,
                                        (size_t)row * sizeof of_matrix,
                                        &of_matrix, sizeof of_matrix)
                   : LCL_OK;
    *out = of_matrix;
    return st;
}

// The row of vectors, in the caller's numbering, for row[i]. It is relative to
// the first row of this rank, and so negative for a row of a lower rank.
static int64_t callers_row(const lcl_precond *M, const int32_t *row, int64_t i)
{
    const struct ilu *I = M->op.state;
    const int64_t n = M->op.range.n;
    if (i < n)
        return row[i];
    const struct lcl_halo_plan *P = &I->around->halo.plan;
    return P->ghost[i - n] - P->first;
}

// Records the rows of repaired pivots, in the caller's numbering.
static enum lcl_status name_repaired(lcl_precond *M,
                                     const struct lcl_repairs *repairs)
{
    int32_t *row;
    int64_t at;
    enum lcl_status st = lcl_numbering_rows(M->matrix->numbering, &row);
    if (st < 0)
        return st;
    for (int i = 0; i < 8 && i < repairs->count && st == LCL_OK; ++i) {
        st = row_of(M, (int64_t)repairs->rows[i], &at);
        if (st == LCL_OK)
            M->info.repaired_rows[i] =
                callers_row(M, row, at * M->info.block_size);
    }
    lcl_free(row);
    return st;
}

// Recreates the packed apply after the factor has changed its storage.
static enum lcl_status follow_storage(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    enum lcl_status st;
    lcl_trisolve_finish(&I->trisolve);
    if ((st = lcl_trisolve_init(&I->trisolve, M->info.factors.trisolve,
                                M->op.range.ctx, &I->factor, NULL)) < 0 ||
        (I->coarse && (st = prolong(I)) < 0)) {
        lcl_trisolve_finish(&I->trisolve);
        return st;
    }
    describe_apply(M);
    return LCL_OK;
}

static const lcl_buffer *factored_values(const lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    return (I->around ? I->around->matrix : M->matrix)->matrix->val;
}

static enum lcl_status factor(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    struct lcl_repairs repairs;
    enum lcl_status st =
        I->around ? lcl_overlap_rows_update(I->around) : LCL_OK;
    if (st == LCL_OK && lcl_precond_factors(M->info.type) == LCL_PRECOND_IC0 &&
        (st = lcl_operator_require_symmetric(
             M->matrix, lcl_precond_name(M->info.type))) == LCL_OK)
        st = expect_no_aside(M);
    if (st < 0)
        return st;
    const enum lcl_status factored =
        lcl_factor_numeric(&I->factor, factored_values(M), &repairs);
    M->info.pivots_repaired = repairs.count;
    memset(M->info.repaired_rows, 0, sizeof M->info.repaired_rows);
    if (repairs.count > 0 && (st = name_repaired(M, &repairs)) < 0)
        return st;
    return factored;
}

// All ranks use the same storage of factors, because results must not depend on
// the rank that owns a subdomain.
static enum lcl_status agree_on_factors(lcl_precond *M, enum lcl_status st)
{
    struct ilu *I = M->op.state;
    const struct lcl_space *V = &M->op.range;
    bool fits = I->factor.lost == 0;
    if ((st = lcl_space_agree(V, st, "factors on subdomains")) < 0 ||
        (st = lcl_space_all(V, &fits)) < 0)
        return st;
    return fits ? LCL_OK : lcl_factor_fall_back(&I->factor, factored_values(M));
}

static enum lcl_status update_factors(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    enum lcl_status st = agree_on_factors(M, factor(M));
    if (st < 0)
        return st;
    if ((I->factor.storage != M->info.storage || !I->trisolve.ops) &&
        (st = follow_storage(M)) < 0)
        return st;
    return lcl_trisolve_update(&I->trisolve);
}

static enum lcl_status update(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    enum lcl_status st = update_factors(M);
    if (!I->coarse ||
        (st = lcl_space_agree(&M->op.range, st, "factors on subdomains")) < 0)
        return st;
    lcl_task_enter(M->op.range.ctx, LCL_TASK_COARSE);
    st = lcl_space_end(&M->op.range,
                       lcl_coarse_update(I->coarse, M->matrix->matrix->val));
    lcl_task_leave(M->op.range.ctx);
    describe_coarse(M);
    return st;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct ilu *I = A->state;
    return lcl_apply(applied(I), mode, v);
}

static enum lcl_status interleave(lcl_operator *out, lcl_operator *A,
                                  int columns)
{
    return lcl_operator_interleave(out, applied(A->state), columns);
}

static void destroy(lcl_operator *A)
{
    struct ilu *I = A->state;
    if (!I)
        return;
    if (I->coarse)
        lcl_coarse_finish(I->coarse);
    lcl_free(I->coarse);
    lcl_subdomains_finish(&I->subdomains);
    if (I->schwarz)
        lcl_schwarz_finish(I->schwarz);
    lcl_free(I->schwarz);
    if (I->around)
        lcl_overlap_rows_finish(I->around);
    lcl_free(I->around);
    lcl_trisolve_finish(&I->trisolve);
    lcl_factor_finish(&I->factor);
    lcl_free(I);
}

// ------------------------------------------------------------------- rows

// The subdomain and the level of each row of the factors.
struct places {
    int32_t *part, *level;
};

static enum lcl_status places_init(struct places *P, const struct ilu *I)
{
    const struct lcl_factor *F = &I->factor;
    const size_t n = (size_t)F->n;
    P->part = lcl_malloc(n, sizeof *P->part);
    P->level = lcl_malloc(n, sizeof *P->level);
    return P->part && P->level
               ? lcl_factor_row_levels(F, P->part, P->level,
                                       I->trisolve.levels_max > 0)
               : LCL_ENOMEM;
}

static void places_finish(struct places *P)
{
    lcl_free(P->part);
    lcl_free(P->level);
}

// The row of the factors for each block row of the matrix.
static enum lcl_status factor_places(const struct ilu *I, int64_t n,
                                     uint32_t *place)
{
    if (I->schwarz)
        return lcl_schwarz_places(I->schwarz, place);
    for (int64_t i = 0; i < n; ++i)
        place[i] = (uint32_t)i;
    return LCL_OK;
}

static enum lcl_status locate(const lcl_precond *M, int32_t *part,
                              int32_t *level)
{
    const struct ilu *I = M->op.state;
    const int64_t b = M->info.block_size, n = M->info.rows / b;
    struct places P = {0};
    int32_t *row = NULL;
    uint32_t *place = lcl_malloc((size_t)n, sizeof *place);
    enum lcl_status st = LCL_ENOMEM;
    if (place && (st = factor_places(I, n, place)) == LCL_OK &&
        (st = places_init(&P, I)) == LCL_OK &&
        (st = lcl_numbering_rows(M->matrix->numbering, &row)) == LCL_OK)
        for (int64_t i = 0; i < n * b; ++i) {
            part[row[i]] = P.part[place[i / b]];
            level[row[i]] = P.level[place[i / b]];
        }
    lcl_free(row);
    places_finish(&P);
    lcl_free(place);
    return st;
}

// ------------------------------------------------------------------- transpose

static enum lcl_status check_transpose(const lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    const char *why = M->info.coarse.type != LCL_COARSE_NONE
                          ? "a coarse correction"
                      : M->info.factors.trisolve != LCL_TRISOLVE_PACKED
                          ? "a published triangular solve"
                      : I->params.relax > 0 ? "dropped fill on its diagonal"
                                            : NULL;
    return why ? lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                          "%s with %s has no transpose here",
                          lcl_precond_name(M->info.type), why)
               : LCL_OK;
}

// The rows of T are in the order of elimination already; the levels keep this
// order.
static enum lcl_status transposed(const lcl_precond *M, lcl_precond **out,
                                  lcl_operator *T)
{
    const struct ilu *I = M->op.state;
    struct lcl_precond_params params = I->params;
    struct places P = {0};
    enum lcl_status st;
    if ((st = check_transpose(M)) < 0)
        return st;
    if ((st = places_init(&P, I)) == LCL_OK) {
        params.coarse = LCL_COARSE_NONE;
        params.elimination = LCL_ELIMINATION_NATURAL;
        params.partition = (struct lcl_partition_params){
            .type = LCL_PARTITION_LABELS,
            .labels = P.part,
            .labels_count = I->factor.n,
        };
        T->ordered = true;
        st = lcl_precond_analyse(out, T, &params);
    }
    places_finish(&P);
    return st;
}

const struct lcl_precond_ops lcl_precond_ilu = {
    .op = {.apply = apply, .interleave = interleave, .destroy = destroy},
    .numbering = LCL_NUMBERING_OWN,
    .create = create,
    .join = join,
    .update = update,
    .transposed = transposed,
    .locate = locate,
};

const struct lcl_precond_ops lcl_precond_schwarz = {
    .op = {.apply = apply, .interleave = interleave, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .join = join,
    .update = update,
    .locate = locate,
};

struct lcl_trisolve_method *lcl_precond_trisolve(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    return M->ops == &lcl_precond_ilu ? &I->trisolve : NULL;
}

// Lists the rows of overlapping factors in the caller's numbering, from the
// rows of the matrix.
static enum lcl_status repeat_rows(const struct lcl_schwarz *S,
                                   const int32_t *rows, int32_t **out)
{
    const size_t count = (size_t)S->rows;
    int32_t *repeated = lcl_malloc(count, sizeof *repeated);
    if (!repeated)
        return LCL_ENOMEM;
    const enum lcl_status st =
        lcl_buffer_read(S->row, repeated, count * sizeof *repeated);
    for (size_t k = 0; k < count && st == LCL_OK; ++k)
        repeated[k] = rows[repeated[k]];
    *out = repeated;
    return st;
}

enum lcl_status lcl_precond_factor_rows(const lcl_precond *M, int32_t **rows)
{
    const struct ilu *I = M->op.state;
    int32_t *own, *repeated = NULL;
    assert(!I->around);
    *rows = NULL;
    enum lcl_status st = lcl_numbering_rows(M->matrix->numbering, &own);
    if (st < 0)
        return st;
    if (I->schwarz) {
        st = repeat_rows(I->schwarz, own, &repeated);
        lcl_free(own);
        own = repeated;
    }
    if (st == LCL_OK)
        *rows = own;
    else
        lcl_free(own);
    return st;
}
