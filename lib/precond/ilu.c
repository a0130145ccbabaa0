// SPDX-License-Identifier: BSD-3-Clause
// ILU(0), ILDU(0), IC(0) and ILU(k) on subdomains, which may overlap:
// partition, drop, levels, schedule, factor, apply (Mehta et al., arXiv
// 2508.04917).
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/ildu0.h"
#include "lib/factor/ilu_pattern.h"
#include "lib/factor/symbolic.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/two_level.h"
#include "lib/partition/overlap.h"
#include "lib/precond/schwarz.h"
#include "lib/trisolve/packed.h"

#include "cl/factor/factor.cl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct ilu {
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
    struct lcl_schwarz *schwarz; // NULL: the rows of the factors are those of A
    struct lcl_coarse_space *coarse; // NULL: no coarse correction
    // Only with a coarse correction:
    struct lcl_two_level cycle;                     // as M is applied
    struct lcl_two_level additive, deflated, start; // as CG applies it
};

// State of the set-up on the host. Rows and entries are block rows and blocks.
struct set_up {
    const struct lcl_bsr *A;
    struct lcl_csr graph; // the pattern of A, with values if METIS uses weights
    double *norms;        // of the blocks, used if METIS uses weights
    struct lcl_subdomains subdomains;
    bool extended; // the factors have rows and a pattern of their own:
    struct lcl_subdomains overlapping;
    struct lcl_pattern pattern;
    struct lcl_symbolic symbolic;
    struct lcl_host_schedule
        schedule; // host copies, for methods that read them
    int32_t *level;
};

static void set_up_finish(struct set_up *a)
{
    lcl_free(a->level);
    lcl_host_schedule_finish(&a->schedule);
    lcl_symbolic_finish(&a->symbolic);
    if (a->extended)
        lcl_pattern_finish(&a->pattern);
    lcl_subdomains_finish(&a->overlapping);
    lcl_subdomains_finish(&a->subdomains);
    lcl_free(a->norms);
}

// Computes ||A_ij||_F for every block if METIS uses weights, and makes the
// graph.
static enum lcl_status take_graph(struct set_up *a, const struct lcl_bsr *A,
                                  const struct lcl_partition_params *params,
                                  const struct lcl_log *log)
{
    const int size = lcl_block_values(A);
    a->A = A;
    a->graph = lcl_bsr_pattern(A);
    if (!A->val || A->block_size == 1 || !lcl_partition_weighs(params))
        return LCL_OK;
    a->graph.val = a->norms = lcl_malloc((size_t)A->nnz, sizeof *a->norms);
    if (!a->norms)
        return lcl_fail_memory(log, "the norms of blocks");
    for (int64_t k = 0; k < A->nnz; ++k)
        a->norms[k] = lcl_block_norm(A->val + k * size, size);
    return LCL_OK;
}

static enum lcl_status partition(struct set_up *a, const lcl_precond *M,
                                 const struct lcl_partition_params *params)
{
    const struct lcl_device_matrix *D = M->matrix->matrix;
    lcl_phase_enter(M->op.range.ctx, LCL_PHASE_PARTITION);
    const enum lcl_status st = lcl_packed_partition(
        &a->subdomains, M->op.range.ctx, &a->graph, D, D->block, params,
        lcl_coarse_most(lcl_context_caps(M->op.range.ctx), D->block));
    lcl_phase_leave(M->op.range.ctx);
    return st;
}

// --------------------------------------------------------- overlap and fill

static bool is_extended(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_ILUK || type == LCL_PRECOND_RAS ||
           type == LCL_PRECOND_AS;
}

static const struct lcl_subdomains *parts_of(const struct set_up *a)
{
    return a->extended ? &a->overlapping : &a->subdomains;
}

static enum lcl_status check_fit(const lcl_precond *M,
                                 const struct lcl_subdomains *P)
{
    lcl_context *ctx = M->op.range.ctx;
    const int64_t limit =
        lcl_packed_rows_most(lcl_context_caps(ctx), M->info.block_size);
    for (int64_t p = 0; p < P->parts; ++p)
        if (P->part_ptr[p + 1] - P->part_ptr[p] > limit)
            return lcl_fail(lcl_context_log(ctx), LCL_ERANGE,
                            "a subdomain has %" PRId64
                            " rows with its overlap, the device takes %" PRId64
                            ": use less overlap or smaller subdomains",
                            P->part_ptr[p + 1] - P->part_ptr[p], limit);
    return LCL_OK;
}

// Off-diagonal entries (blocks) and the sum of their magnitudes.
struct couplings {
    int64_t count;
    double weight;
};

static void add_coupling(struct couplings *c, const struct lcl_bsr *A,
                         int64_t entry)
{
    const int values = lcl_block_values(A);
    ++c->count;
    c->weight += lcl_block_norm(A->val + entry * values, values);
}

static struct couplings all_couplings(const struct lcl_bsr *A)
{
    struct couplings c = {.count = 0};
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] != i)
                add_coupling(&c, A, k);
    return c;
}

// Those of the rows that a subdomain owns, inside this subdomain.
static struct couplings kept_couplings(const struct set_up *a,
                                       const struct lcl_host_pattern *H)
{
    const uint8_t *owned = a->overlapping.owned;
    struct couplings c = {.count = 0};
    for (int64_t i = 0; i < H->rows; ++i)
        for (int64_t e = H->row_ptr[i]; e < H->row_ptr[i + 1]; ++e)
            if ((!owned || owned[i]) && H->col[e] != i &&
                H->source[e] != LCL_FILL)
                add_coupling(&c, a->A, H->source[e]);
    return c;
}

static void describe_pattern(struct lcl_precond_info *info,
                             const struct set_up *a,
                             const struct lcl_host_pattern *H)
{
    const int values = lcl_block_values(a->A);
    const struct couplings all = all_couplings(a->A),
                           kept = kept_couplings(a, H);
    const int64_t dropped = all.count - kept.count;
    info->nnz_kept = (a->A->nnz - dropped) * values;
    info->factor_nnz = H->nnz * values;
    info->extended_rows = H->rows * info->block_size;
    if (all.count > 0)
        info->dropped_share = (double)dropped / (double)all.count;
    if (dropped > 0 && all.weight > 0)
        info->dropped_weight = fmax(0, 1 - kept.weight / all.weight);
}

static enum lcl_status make_pattern(lcl_precond *M, struct set_up *a)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_host_pattern H = {.rows = 0};
    enum lcl_status st;
    if ((st = lcl_subdomains_download(&a->subdomains, log)) == LCL_OK &&
        (st = lcl_subdomains_overlap(&a->overlapping, &a->subdomains, &a->graph,
                                     M->info.overlap, log)) == LCL_OK &&
        (st = check_fit(M, &a->overlapping)) == LCL_OK &&
        (st = lcl_ilu_pattern(&H, &a->graph, &a->overlapping, M->info.ilu_level,
                              log)) == LCL_OK) {
        describe_pattern(&M->info, a, &H);
        st = lcl_pattern_upload(&a->pattern, ctx, &H);
    }
    lcl_host_pattern_finish(&H);
    return st;
}

// ------------------------------------------------------------------- symbolic

static void describe_parts(struct lcl_precond_info *info,
                           const struct set_up *a)
{
    const struct lcl_subdomains *P = parts_of(a);
    info->parts = P->parts;
    info->part_rows_min = P->n;
    info->partition = a->subdomains.type;
    info->weighted = a->subdomains.weighted;
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t rows = P->part_ptr[p + 1] - P->part_ptr[p];
        if (rows < info->part_rows_min)
            info->part_rows_min = rows;
        if (rows > info->part_rows_max)
            info->part_rows_max = rows;
    }
}

static void describe(struct lcl_precond_info *info,
                     const struct lcl_symbolic *S)
{
    info->missing_diagonals = S->drop.missing_diagonals * info->block_size;
    info->levels_max = S->levels_max;
    info->levels_mean = S->levels_mean;
}

static void describe_drop(struct lcl_precond_info *info,
                          const struct lcl_drop_info *drop)
{
    const int b = info->block_size;
    info->extended_rows = info->rows;
    info->nnz_kept = info->factor_nnz = drop->kept * b * b;
    info->dropped_share = drop->share;
    info->dropped_weight = drop->weight;
}

static enum lcl_status download_levels(struct set_up *a, lcl_context *ctx)
{
    const size_t n = (size_t)lcl_subdomains_rows(parts_of(a));
    a->level = lcl_malloc(n, sizeof *a->level);
    if (!a->level)
        return lcl_fail_memory(lcl_context_log(ctx), "levels");
    return lcl_buffer_read(a->symbolic.level, a->level, n * sizeof *a->level);
}

// Lanes per wave that share rows, if the apply kernel supports it.
static int sharing_lanes(const struct lcl_caps *caps, int block)
{
    return block > 1 ? 1 : caps->width < UINT8_MAX ? caps->width : UINT8_MAX;
}

// Fewer levels (twisted ordering) help the parallel lanes of a GPU, not the
// single work-item of a group at width 1.
static enum lcl_status analyse(lcl_precond *M, struct set_up *a)
{
    const struct lcl_caps *caps = lcl_context_caps(M->op.range.ctx);
    const struct lcl_device_matrix *A = M->matrix->matrix;
    enum lcl_status st;
    if (!a->extended)
        a->pattern = lcl_pattern_of(A);
    else if ((st = make_pattern(M, a)) < 0)
        return st;
    describe_parts(&M->info, a);
    M->info.group_size = lcl_packed_group(caps, M->info.part_rows_max);
    const struct lcl_symbolic_params params = {
        .block = M->info.block_size,
        .group = M->info.group_size,
        .lanes = sharing_lanes(caps, M->info.block_size),
        .folded = caps->width > 1 && M->info.ilu_level == 0,
    };
    if ((st = lcl_symbolic_init(&a->symbolic, M->op.range.ctx, &a->pattern,
                                parts_of(a), a->extended ? NULL : A->val,
                                &params)) < 0)
        return st;
    describe(&M->info, &a->symbolic);
    if (!a->extended)
        describe_drop(&M->info, &a->symbolic.drop);
    if (lcl_trisolve_reads_schedule(M->info.trisolve) &&
        ((st = lcl_schedule_download(&a->schedule, M->op.range.ctx,
                                     &a->symbolic.schedule)) < 0 ||
         (st = download_levels(a, M->op.range.ctx)) < 0))
        return st;
    return lcl_context_wait(M->op.range.ctx); // the phase includes the
                                              // enqueued work
}

static enum lcl_status symbolic(lcl_precond *M, struct set_up *a)
{
    lcl_phase_enter(M->op.range.ctx, LCL_PHASE_SYMBOLIC);
    const enum lcl_status st = analyse(M, a);
    lcl_phase_leave(M->op.range.ctx);
    return st;
}

// ------------------------------------------------------------------- factors

static enum lcl_precond_type factor_type(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_AS ? LCL_PRECOND_IC0
           : is_extended(type)    ? LCL_PRECOND_ILDU0
                                  : type;
}

static enum lcl_status make_schwarz(lcl_precond *M, const struct set_up *a)
{
    struct ilu *I = M->op.state;
    I->schwarz = lcl_calloc(1, sizeof *I->schwarz);
    if (!I->schwarz)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a Schwarz method");
    return lcl_schwarz_init(I->schwarz, &I->trisolve.op, &a->overlapping,
                            a->symbolic.B.perm, M->info.block_size,
                            M->info.type == LCL_PRECOND_AS
                                ? LCL_SCHWARZ_SUM
                                : LCL_SCHWARZ_RESTRICTED);
}

// By default the packed apply uses fp32 values if they fit in that format: it
// is faster, and the number of iterations does not grow.
static enum lcl_status make_factor(lcl_precond *M, struct set_up *a,
                                   const struct lcl_precond_params *params)
{
    struct ilu *I = M->op.state;
    struct lcl_precond_params own = *params;
    enum lcl_status st;
    const bool open = own.storage == LCL_FACTOR_STORAGE_DEFAULT &&
                      M->info.trisolve == LCL_TRISOLVE_PACKED;
    if (open)
        own.storage = LCL_FACTOR_STORAGE_FP32;
    own.type = factor_type(own.type);
    if ((!a->extended &&
         (st = lcl_operator_renumber(M->matrix, &a->symbolic.B)) < 0) ||
        (st =
             lcl_factor_init(&I->factor, M->op.range.ctx, &a->symbolic.schedule,
                             M->info.group_size, M->info.block_size, &own)) < 0)
        return st;
    I->factor.falls_back = open;
    st = lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->op.range.ctx,
                           &I->factor, &a->schedule, a->level);
    return st < 0 || !a->extended ? st : make_schwarz(M, a);
}

// ---------------------------------------------------------------- correction

// Lets the triangular solve add Z e, if the method supports it.
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
    const bool mult = M->info.coarse == LCL_COARSE_MULT;
    enum lcl_status st;
    if ((st = prolong(I)) < 0 ||
        (st = lcl_two_level_init(&I->cycle, I->coarse, &I->trisolve.op,
                                 mult ? LCL_TWO_LEVEL_MULT
                                      : LCL_TWO_LEVEL_ADD)) < 0)
        return st;
    return mult ? make_cg_forms(M) : LCL_OK;
}

static enum lcl_status make_coarse(lcl_precond *M,
                                   const struct lcl_subdomains *P)
{
    const struct ilu *I = M->op.state;
    const struct lcl_coarse_params params = {.block = M->info.block_size};
    const enum lcl_status st = lcl_coarse_init(I->coarse, M->op.range.ctx,
                                               M->matrix->matrix, P, &params);
    return st < 0 ? st : make_cycles(M);
}

static enum lcl_status add_coarse(lcl_precond *M, const struct set_up *a,
                                  enum lcl_coarse wanted)
{
    struct ilu *I = M->op.state;
    const struct lcl_subdomains *P = &a->subdomains;
    if (!a->extended)
        M->info.coarse = lcl_coarse_choose(wanted, P->parts, P->n,
                                           a->symbolic.drop.opposite);
    if (M->info.coarse == LCL_COARSE_NONE)
        return LCL_OK;
    I->coarse = lcl_calloc(1, sizeof *I->coarse);
    if (!I->coarse)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a coarse correction");
    lcl_phase_enter(M->op.range.ctx, LCL_PHASE_SYMBOLIC);
    const enum lcl_status st = make_coarse(M, P);
    lcl_phase_leave(M->op.range.ctx);
    return st;
}

static void describe_coarse(lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    const struct lcl_coarse_space *C = I->coarse;
    struct lcl_precond_info *info = &M->info;
    info->coarse = C->off                               ? LCL_COARSE_NONE
                   : I->cycle.form == LCL_TWO_LEVEL_ADD ? LCL_COARSE_ADD
                                                        : LCL_COARSE_MULT;
    info->coarse_rows = C->rows;
    info->coarse_pinned = C->pinned;
    info->coarse_bytes = lcl_coarse_bytes(C);
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
    M->info.group_size = I->trisolve.group;
    M->info.form = I->trisolve.form;
    M->info.launches = applied(I)->launches;
    M->info.barriers = I->trisolve.barriers;
    M->info.storage = I->factor.storage;
    M->info.factor_bytes = lcl_factor_bytes(&I->factor);
    if (I->schwarz)
        M->info.factor_bytes += lcl_schwarz_bytes(I->schwarz);
}

static enum lcl_status set_up(lcl_precond *M, struct set_up *a,
                              const struct lcl_bsr *A,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st;
    if ((st = take_graph(a, A, &params->partition, lcl_context_log(ctx))) < 0 ||
        (st = partition(a, M, &params->partition)) < 0 ||
        (st = symbolic(M, a)) < 0 || (st = make_factor(M, a, params)) < 0 ||
        (st = add_coarse(M, a, params->coarse)) < 0)
        return st;
    describe_apply(M);
    return LCL_OK;
}

// MATCH needs only the sizes on the host, unless rows repeat or entries fill.
static enum lcl_status download(lcl_precond *M, struct lcl_bsr *A,
                                const struct lcl_precond_params *params)
{
    const struct lcl_device_matrix *D = M->matrix->matrix;
    *A = (struct lcl_bsr){.rows = D->block_rows,
                          .cols = D->block_cols,
                          .nnz = D->blocks,
                          .block_size = D->block};
    const bool extended = is_extended(M->info.type);
    if (params->partition.type == LCL_PARTITION_MATCH && !extended)
        return LCL_OK;
    lcl_phase_enter(M->op.range.ctx, LCL_PHASE_PARTITION);
    const enum lcl_status st = lcl_operator_download(
        M->matrix, A, extended || lcl_partition_weighs(&params->partition));
    lcl_phase_leave(M->op.range.ctx);
    return st;
}

static enum lcl_status check_extended(const struct lcl_precond_params *params,
                                      const struct lcl_log *log)
{
    const char *name = lcl_precond_name(params->type);
    if (params->coarse > LCL_COARSE_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s has no coarse correction: expected none or auto",
                        name);
    if (params->trisolve > LCL_TRISOLVE_PACKED)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s does not support the trisolve %s, only packed",
                        name, lcl_trisolve_name(params->trisolve));
    return LCL_OK;
}

static void choose_extension(struct lcl_precond_info *info,
                             const struct lcl_precond_params *params)
{
    const bool fills = params->type == LCL_PRECOND_ILUK;
    info->ilu_level = params->ilu_level ? params->ilu_level : fills;
    info->overlap = params->overlap ? params->overlap : !fills;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    const int64_t blocks = M->matrix->matrix->blocks;
    struct lcl_precond_params own = *params;
    struct set_up a = {.extended = is_extended(M->info.type)};
    struct lcl_bsr A;
    enum lcl_status st;
    if (a.extended) {
        if ((st = check_extended(params, log)) < 0)
            return st;
        choose_extension(&M->info, params);
    }
    if (lcl_needs_wide(blocks)) // before METIS spends hours on it
        return lcl_refuse_wide(blocks, "factors on subdomains", log);
    M->info.trisolve =
        params->trisolve ? params->trisolve : LCL_TRISOLVE_PACKED;
    own.partition.type = lcl_packed_partition_type(lcl_context_caps(ctx),
                                                   params->partition.type);
    struct ilu *I = M->op.state = lcl_calloc(1, sizeof *I);
    if (!I)
        return lcl_fail_memory(log, "a preconditioner");
    if ((st = download(M, &A, &own)) < 0)
        return st;
    st = set_up(M, &a, &A, &own);
    set_up_finish(&a);
    lcl_bsr_finish(&A);
    return st;
}

// ------------------------------------------------------------------- values

// The row of the matrix of a row of the factors.
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
            M->info.repaired_rows[i] = row[at * M->info.block_size];
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
    if ((st = lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->op.range.ctx,
                                &I->factor, NULL, NULL)) < 0 ||
        (I->coarse && (st = prolong(I)) < 0)) {
        lcl_trisolve_finish(&I->trisolve);
        return st;
    }
    describe_apply(M);
    return LCL_OK;
}

static enum lcl_status update(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    struct lcl_repairs repairs;
    enum lcl_status st = LCL_OK;
    if (factor_type(M->info.type) == LCL_PRECOND_IC0 &&
        (st = lcl_operator_require_symmetric(
             M->matrix, lcl_precond_name(M->info.type))) < 0)
        return st;
    const enum lcl_status factored =
        lcl_factor_numeric(&I->factor, M->matrix->matrix->val, &repairs);
    M->info.pivots_repaired = repairs.count;
    memset(M->info.repaired_rows, 0, sizeof M->info.repaired_rows);
    if (repairs.count > 0 && (st = name_repaired(M, &repairs)) < 0)
        return st;
    if (factored < 0)
        return factored;
    if (((I->factor.storage != M->info.storage || !I->trisolve.ops) &&
         (st = follow_storage(M)) < 0) ||
        (st = lcl_trisolve_update(&I->trisolve)) < 0)
        return st;
    if (!I->coarse)
        return LCL_OK;
    st = lcl_coarse_update(I->coarse, M->matrix->matrix->val);
    describe_coarse(M);
    return st;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct ilu *I = A->state;
    return lcl_apply(applied(I), mode, v);
}

static void destroy(lcl_operator *A)
{
    struct ilu *I = A->state;
    if (!I)
        return;
    if (I->coarse)
        lcl_coarse_finish(I->coarse);
    lcl_free(I->coarse);
    if (I->schwarz)
        lcl_schwarz_finish(I->schwarz);
    lcl_free(I->schwarz);
    lcl_trisolve_finish(&I->trisolve);
    lcl_factor_finish(&I->factor);
    lcl_free(I);
}

const struct lcl_precond_ops lcl_precond_ilu = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_OWN,
    .create = create,
    .update = update,
};

const struct lcl_precond_ops lcl_precond_schwarz = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
};

struct lcl_trisolve_method *lcl_precond_trisolve(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    return M->ops == &lcl_precond_ilu ? &I->trisolve : NULL;
}
