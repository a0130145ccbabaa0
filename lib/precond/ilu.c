// SPDX-License-Identifier: BSD-3-Clause
// ILU(0), ILDU(0) and IC(0) on subdomains: partition, drop, levels, schedule,
// factor, apply (Mehta et al., arXiv 2508.04917).
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/ildu0.h"
#include "lib/factor/symbolic.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/two_level.h"
#include "lib/trisolve/packed.h"

#include <string.h>

struct ilu {
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
    struct lcl_coarse_space *coarse; // NULL: no coarse correction
    // Only with a coarse correction:
    struct lcl_two_level cycle;                     // as M is applied
    struct lcl_two_level additive, deflated, start; // as CG applies it
};

// State of the set-up on the host. Rows and entries are block rows and blocks.
struct set_up {
    struct lcl_csr graph; // the pattern of A, with values if METIS uses weights
    double *norms;        // of the blocks, used if METIS uses weights
    struct lcl_subdomains subdomains;
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

static void describe_parts(struct lcl_precond_info *info,
                           const struct lcl_subdomains *P)
{
    info->parts = P->parts;
    info->part_rows_min = P->n;
    info->partition = P->type;
    info->weighted = P->weighted;
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
    const int b = info->block_size;
    info->nnz_kept = S->drop.kept * b * b;
    info->dropped_share = S->drop.share;
    info->dropped_weight = S->drop.weight;
    info->missing_diagonals = S->drop.missing_diagonals * b;
    info->levels_max = S->levels_max;
    info->levels_mean = S->levels_mean;
}

static enum lcl_status download_levels(struct set_up *a, lcl_context *ctx)
{
    const size_t n = (size_t)a->subdomains.n;
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
    enum lcl_status st;
    describe_parts(&M->info, &a->subdomains);
    M->info.group_size = lcl_packed_group(caps, M->info.part_rows_max);
    const struct lcl_device_matrix *A = M->matrix->matrix;
    const struct lcl_pattern pattern = lcl_pattern_of(A);
    const struct lcl_symbolic_params params = {
        .block = M->info.block_size,
        .group = M->info.group_size,
        .lanes = sharing_lanes(caps, M->info.block_size),
        .folded = caps->width > 1,
    };
    if ((st = lcl_symbolic_init(&a->symbolic, M->op.range.ctx, &pattern,
                                &a->subdomains, A->val, &params)) < 0)
        return st;
    describe(&M->info, &a->symbolic);
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
    if ((st = lcl_operator_renumber(M->matrix, &a->symbolic.B)) < 0 ||
        (st =
             lcl_factor_init(&I->factor, M->op.range.ctx, &a->symbolic.schedule,
                             M->info.group_size, M->info.block_size, &own)) < 0)
        return st;
    I->factor.falls_back = open;
    return lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->op.range.ctx,
                             &I->factor, &a->schedule, a->level);
}

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
    M->info.coarse =
        lcl_coarse_choose(wanted, P->parts, P->n, a->symbolic.drop.opposite);
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

static void describe_apply(lcl_precond *M)
{
    const struct ilu *I = M->op.state;
    M->info.group_size = I->trisolve.group;
    M->info.form = I->trisolve.form;
    M->info.launches =
        I->coarse ? I->cycle.op.launches : I->trisolve.op.launches;
    M->info.barriers = I->trisolve.barriers;
    M->info.storage = I->factor.storage;
    M->info.factor_bytes = lcl_factor_bytes(&I->factor);
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

// MATCH needs only the sizes on the host.
static enum lcl_status download(lcl_precond *M, struct lcl_bsr *A,
                                const struct lcl_precond_params *params)
{
    const struct lcl_device_matrix *D = M->matrix->matrix;
    *A = (struct lcl_bsr){.rows = D->block_rows,
                          .cols = D->block_cols,
                          .nnz = D->blocks,
                          .block_size = D->block};
    if (params->partition.type == LCL_PARTITION_MATCH)
        return LCL_OK;
    lcl_phase_enter(M->op.range.ctx, LCL_PHASE_PARTITION);
    const enum lcl_status st = lcl_operator_download(
        M->matrix, A, lcl_partition_weighs(&params->partition));
    lcl_phase_leave(M->op.range.ctx);
    return st;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    const int64_t blocks = M->matrix->matrix->blocks;
    struct lcl_precond_params own = *params;
    struct set_up a = {.level = NULL};
    struct lcl_bsr A;
    enum lcl_status st;
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

// Records the rows of repaired pivots, in the caller's numbering.
static enum lcl_status name_repaired(lcl_precond *M,
                                     const struct lcl_repairs *repairs)
{
    int32_t *row;
    const enum lcl_status st = lcl_numbering_rows(M->matrix->numbering, &row);
    if (st < 0)
        return st;
    for (int i = 0; i < 8 && i < repairs->count; ++i)
        M->info.repaired_rows[i] =
            row[(int64_t)repairs->rows[i] * M->info.block_size];
    lcl_free(row);
    return LCL_OK;
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
    if (M->info.type == LCL_PRECOND_IC0 &&
        (st = lcl_operator_require_symmetric(M->matrix, "ic0")) < 0)
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

static lcl_operator *applied(struct ilu *I)
{
    return I->coarse ? &I->cycle.op : &I->trisolve.op;
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

struct lcl_trisolve_method *lcl_precond_trisolve(lcl_precond *M)
{
    struct ilu *I = M->op.state;
    return M->ops == &lcl_precond_ilu ? &I->trisolve : NULL;
}
