// SPDX-License-Identifier: BSD-3-Clause
// Set-up of incomplete factors on subdomains, up to their schedule.
#include "lib/precond/ilu_setup.h"

#include "host/alloc.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/factor/ilu_pattern.h"
#include "lib/factor/ilut_pattern.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/coarse.h"
#include "lib/partition/overlap.h"
#include "lib/trisolve/hec_level.h"
#include "lib/trisolve/packed.h"

#include "cl/factor/factor.cl.h"

#include <inttypes.h>
#include <math.h>

// ------------------------------------------------------------------- parts

// Most methods need only the sizes on the host, unless rows repeat or there is
// fill.
static enum lcl_status download(struct lcl_ilu_setup *a, const lcl_precond *M,
                                const struct lcl_partition_params *params)
{
    const struct lcl_device_matrix *D = M->matrix->matrix;
    a->A = (struct lcl_bsr){.rows = D->block_rows,
                            .cols = D->block_cols,
                            .nnz = D->blocks,
                            .block_size = D->block};
    const bool on_host = a->extended || a->leveled;
    if (lcl_partition_counts(params) && !on_host)
        return LCL_OK;
    lcl_task_enter(M->op.range.ctx, LCL_TASK_PARTITION);
    const enum lcl_status st = lcl_operator_download(
        M->matrix, &a->A, on_host || lcl_partition_weighs(params));
    lcl_task_leave(M->op.range.ctx);
    return st;
}

// Makes the graph and, with `norms`, the norms ||A_ij||_F of blocks.
static enum lcl_status make_graph(struct lcl_ilu_setup *a, bool norms,
                                  const struct lcl_log *log)
{
    const struct lcl_bsr *A = &a->A;
    const int size = lcl_block_values(A);
    a->graph = lcl_bsr_pattern(A);
    if (!A->val || A->block_size == 1 || !norms)
        return LCL_OK;
    a->graph.val = a->norms = lcl_malloc((size_t)A->nnz, sizeof *a->norms);
    if (!a->norms)
        return lcl_fail_memory(log, "the norms of blocks");
    for (int64_t k = 0; k < A->nnz; ++k)
        a->norms[k] = lcl_block_norm(A->val + k * size, size);
    return LCL_OK;
}

// Maximum rows of a subdomain.
static int64_t rows_most(const lcl_precond *M)
{
    return lcl_trisolve_rows_most(M->info.factors.trisolve,
                                  lcl_context_caps(M->op.range.ctx),
                                  M->info.block_size);
}

// Warns if subdomains have fewer rows than the caller has requested.
static void warn_of_limit(const lcl_precond *M, int64_t n, int64_t wanted)
{
    const lcl_context *ctx = M->op.range.ctx;
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int64_t most = rows_most(M);
    if (wanted > most && n > most)
        lcl_warn(lcl_context_log(ctx),
                 "subdomains have at most %" PRId64
                 " rows%s instead of %" PRId64
                 ": trisolve %s fits no more on %s, which has %" PRIu64
                 " bytes of local memory",
                 most, M->info.block_size > 1 ? " of blocks" : "", wanted,
                 lcl_trisolve_name(M->info.factors.trisolve), caps->name,
                 caps->local_bytes);
}

static enum lcl_status partition(struct lcl_ilu_setup *a, const lcl_precond *M,
                                 const struct lcl_partition_params *params)
{
    const struct lcl_device_matrix *D = M->matrix->matrix;
    const struct lcl_packed_rows rows = {&a->graph, D, &M->A->share, D->block};
    warn_of_limit(M, a->graph.rows, params->rows);
    lcl_task_enter(M->op.range.ctx, LCL_TASK_PARTITION);
    const enum lcl_status st = lcl_packed_partition(
        &a->subdomains, M->op.range.ctx, &rows, params, rows_most(M),
        lcl_coarse_most(&M->op.range, D->block));
    lcl_task_leave(M->op.range.ctx);
    return st;
}

static const struct lcl_subdomains *parts_of(const struct lcl_ilu_setup *a)
{
    return a->extended || a->leveled ? &a->overlapping : &a->subdomains;
}

// --------------------------------------------------------- overlap and fill

static enum lcl_status check_fit(const lcl_precond *M,
                                 const struct lcl_subdomains *P)
{
    lcl_context *ctx = M->op.range.ctx;
    const int64_t limit = rows_most(M);
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

static struct couplings all_couplings(const struct lcl_bsr *A, int64_t first,
                                      int64_t end)
{
    struct couplings c = {.count = 0};
    for (int64_t i = first; i < end; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] != i)
                add_coupling(&c, A, k);
    return c;
}

// Sums the couplings inside subdomains, of the rows that the subdomains own.
static struct couplings kept_couplings(const struct lcl_ilu_setup *a,
                                       const struct lcl_host_pattern *H)
{
    const uint8_t *owned = a->overlapping.owned;
    struct couplings c = {.count = 0};
    for (int64_t i = 0; i < H->rows; ++i)
        for (int64_t e = H->row_ptr[i]; e < H->row_ptr[i + 1]; ++e)
            if ((!owned || owned[i]) && H->col[e] != i &&
                H->source[e] != LCL_FILL)
                add_coupling(&c, &a->A, H->source[e]);
    return c;
}

static void describe_pattern(struct lcl_precond_info *info,
                             const struct lcl_ilu_setup *a,
                             const struct lcl_host_pattern *H)
{
    const int values = lcl_block_values(&a->A);
    const int64_t *row_ptr = a->A.row_ptr;
    const struct couplings all = all_couplings(&a->A, a->low, a->low + a->own),
                           kept = kept_couplings(a, H);
    const int64_t dropped = all.count - kept.count;
    info->nnz_kept =
        (row_ptr[a->low + a->own] - row_ptr[a->low] - dropped) * values;
    info->factors.nnz = H->nnz * values;
    info->factors.rows = H->rows * info->block_size;
    if (all.count > 0)
        info->factors.dropped_share = (double)dropped / (double)all.count;
    if (dropped > 0 && all.weight > 0)
        info->factors.dropped_weight = fmax(0, 1 - kept.weight / all.weight);
}

// Maximum number of entries whose values, columns and sources fit in the
// device's memory.
static int64_t most_entries(const lcl_precond *M, bool leveled)
{
    const int b = M->info.block_size;
    const uint64_t packed = sizeof(double) * (uint64_t)(b * b) +
                            sizeof(uint16_t) + sizeof(uint32_t);
    const uint64_t entry = leveled ? LCL_LEVEL_ENTRY_BYTES : packed;
    return (int64_t)(lcl_context_caps(M->op.range.ctx)->global_bytes / entry);
}

// The pattern of ILUT, of blocks from their norms, or of ILU(k).
static enum lcl_status fill(struct lcl_host_pattern *H, const lcl_precond *M,
                            const struct lcl_ilu_setup *a)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    const struct lcl_ilut T = {.p = M->info.factors.ilut_p,
                               .tol = M->info.factors.ilut_tol,
                               .comparison = M->info.block_size > 1};
    const struct lcl_fill_limit limit = {most_entries(M, a->leveled),
                                         lcl_context_limit(M->op.range.ctx)};
    if (M->info.factors.ilut_p == 0)
        return lcl_ilu_pattern(H, &a->graph, &a->overlapping,
                               M->info.factors.ilu_level, &limit, log);
    return lcl_ilut_pattern(H, &a->graph, a->norms ? a->norms : a->A.val,
                            &a->overlapping, &T, &limit, log);
}

static enum lcl_status make_pattern(lcl_precond *M, struct lcl_ilu_setup *a)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    enum lcl_status st;
    if ((st = lcl_subdomains_download(&a->subdomains, log)) < 0 ||
        (st = lcl_subdomains_overlap(&a->overlapping, &a->subdomains, &a->graph,
                                     M->info.factors.overlap, log)) < 0 ||
        (st = check_fit(M, &a->overlapping)) < 0 ||
        (st = fill(&a->host.pattern, M, a)) < 0)
        return st;
    describe_pattern(&M->info, a, &a->host.pattern);
    return LCL_OK;
}

static enum lcl_status upload_pattern(lcl_precond *M, struct lcl_ilu_setup *a)
{
    const enum lcl_status st =
        lcl_pattern_upload(&a->pattern, M->op.range.ctx, &a->host.pattern);
    lcl_host_pattern_finish(&a->host.pattern);
    return st;
}

// ------------------------------------------------------------------- symbolic

static void describe_parts(struct lcl_factors_info *F,
                           const struct lcl_ilu_setup *a)
{
    const struct lcl_subdomains *P = parts_of(a);
    F->parts = P->parts;
    F->part_rows_min = P->n;
    F->partition = a->subdomains.type;
    F->weighted = a->subdomains.weighted;
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t rows = P->part_ptr[p + 1] - P->part_ptr[p];
        F->part_rows_min = lcl_smaller(F->part_rows_min, rows);
        F->part_rows_max = lcl_larger(F->part_rows_max, rows);
    }
}

static void describe(struct lcl_precond_info *info,
                     const struct lcl_symbolic *S)
{
    info->missing_diagonals = S->drop.missing_diagonals * info->block_size;
    info->factors.levels_max = S->levels_max;
    info->factors.levels_mean = S->levels_mean;
}

static void describe_drop(struct lcl_precond_info *info,
                          const struct lcl_drop_info *drop)
{
    const int b = info->block_size;
    info->factors.rows = info->rows;
    info->nnz_kept = info->factors.nnz = drop->kept * b * b;
    info->factors.dropped_share = drop->share;
    info->factors.dropped_weight = drop->weight;
}

static enum lcl_status analyse_on_host(lcl_precond *M, struct lcl_ilu_setup *a)
{
    enum lcl_status st;
    if ((!a->extended && (st = lcl_ilu_reorder(a, M->op.range.ctx)) < 0) ||
        (st = make_pattern(M, a)) < 0)
        return st;
    describe_parts(&M->info.factors, a);
    lcl_ilu_find_signs(a);
    M->info.missing_diagonals = lcl_host_pattern_missing(&a->host.pattern);
    return LCL_OK;
}

// Lanes per wave that share rows, if the apply kernel supports it.
static int sharing_lanes(const struct lcl_caps *caps, int block)
{
    return block > 1 ? 1 : caps->width < UINT8_MAX ? caps->width : UINT8_MAX;
}

// Fewer levels help the parallel lanes of a GPU, not the single work-item of a
// group at width 1. Published methods keep the order of their publications.
static bool is_twisted(const lcl_precond *M)
{
    const struct lcl_caps *caps = lcl_context_caps(M->op.range.ctx);
    if (M->info.factors.elimination != LCL_ELIMINATION_DEFAULT)
        return M->info.factors.elimination == LCL_ELIMINATION_TWISTED;
    return caps->width > 1 && M->info.factors.trisolve == LCL_TRISOLVE_PACKED &&
           !M->matrix->ordered && M->info.factors.ilu_level == 0 &&
           M->info.factors.ilut_p == 0;
}

// Downloads the data for methods that read the schedule on the host.
static enum lcl_status download_schedule(const lcl_precond *M,
                                         struct lcl_ilu_setup *a)
{
    lcl_context *ctx = M->op.range.ctx;
    const int64_t n = a->symbolic.schedule.n;
    enum lcl_status st =
        lcl_schedule_download(&a->host.schedule, ctx, &a->symbolic.schedule);
    if (st < 0 || !lcl_trisolve_reads_order(M->info.factors.trisolve) ||
        M->info.factors.elimination == LCL_ELIMINATION_TWISTED)
        return st;
    a->host.row = lcl_malloc((size_t)n, sizeof *a->host.row);
    return a->host.row
               ? lcl_buffer_read(a->symbolic.B.perm, a->host.row,
                                 (size_t)n * sizeof *a->host.row)
               : lcl_fail_memory(lcl_context_log(ctx), "an order of rows");
}

static enum lcl_status analyse(lcl_precond *M, struct lcl_ilu_setup *a)
{
    const struct lcl_caps *caps = lcl_context_caps(M->op.range.ctx);
    const struct lcl_device_matrix *A = M->matrix->matrix;
    enum lcl_status st;
    M->info.factors.elimination =
        is_twisted(M) ? LCL_ELIMINATION_TWISTED : LCL_ELIMINATION_NATURAL;
    if (a->leveled)
        return analyse_on_host(M, a);
    if (!a->extended)
        a->pattern = lcl_pattern_of(A);
    else if ((st = make_pattern(M, a)) < 0 || (st = upload_pattern(M, a)) < 0)
        return st;
    describe_parts(&M->info.factors, a);
    M->info.factors.group_size =
        lcl_packed_group(caps, M->info.factors.part_rows_max);
    const struct lcl_symbolic_params params = {
        .block = M->info.block_size,
        .group = M->info.factors.group_size,
        .lanes = sharing_lanes(caps, M->info.block_size),
        .folded = is_twisted(M),
    };
    if ((st = lcl_symbolic_init(&a->symbolic, M->op.range.ctx, &a->pattern,
                                parts_of(a), a->extended ? NULL : A->val,
                                &params)) < 0)
        return st;
    describe(&M->info, &a->symbolic);
    if (!a->extended)
        describe_drop(&M->info, &a->symbolic.drop);
    if (lcl_trisolve_reads_schedule(M->info.factors.trisolve) &&
        (st = download_schedule(M, a)) < 0)
        return st;
    return lcl_context_wait(M->op.range.ctx); // the phase includes the
                                              // enqueued work
}

static enum lcl_status symbolic(lcl_precond *M, struct lcl_ilu_setup *a)
{
    lcl_task_enter(M->op.range.ctx, LCL_TASK_PATTERN);
    const enum lcl_status st = analyse(M, a);
    lcl_task_leave(M->op.range.ctx);
    return st;
}

// ------------------------------------------------------------------- set-up

static enum lcl_status make_norms(struct lcl_ilu_setup *a, const lcl_precond *M,
                                  const struct lcl_partition_params *params)
{
    return make_graph(
        a, lcl_partition_weighs(params) || M->info.factors.ilut_p > 0,
        lcl_context_log(M->op.range.ctx));
}

// Continues with the matrix that includes rows of other ranks.
static enum lcl_status include_rows_around(
    struct lcl_ilu_setup *a, const lcl_precond *M,
    const struct lcl_overlap_rows *around,
    const struct lcl_partition_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    enum lcl_status st = lcl_subdomains_download(&a->subdomains, log);
    if (st < 0)
        return st;
    lcl_free(a->norms);
    a->norms = NULL;
    lcl_bsr_finish(&a->A);
    if ((st = lcl_operator_download(around->matrix, &a->A, true)) < 0)
        return st;
    a->low = around->low / a->A.block_size;
    a->subdomains.n = a->A.rows;
    for (int64_t k = 0; k < a->own; ++k)
        a->subdomains.row[k] += (int32_t)a->low;
    return make_norms(a, M, params);
}

enum lcl_status lcl_ilu_setup_init(struct lcl_ilu_setup *a, lcl_precond *M,
                                   const struct lcl_overlap_rows *around,
                                   const struct lcl_partition_params *params)
{
    enum lcl_status st;
    *a = (struct lcl_ilu_setup){
        .extended = lcl_precond_is_extended(M->info.type),
        .leveled = lcl_trisolve_supports_levels(M->info.factors.trisolve)};
    if ((st = download(a, M, params)) < 0 ||
        (st = make_norms(a, M, params)) < 0 ||
        (st = partition(a, M, params)) < 0)
        return st;
    a->own = a->A.rows;
    if (around && (st = include_rows_around(a, M, around, params)) < 0)
        return st;
    return symbolic(M, a);
}

void lcl_ilu_setup_finish(struct lcl_ilu_setup *a)
{
    lcl_host_factor_finish(&a->host);
    lcl_symbolic_finish(&a->symbolic);
    if (a->extended)
        lcl_pattern_finish(&a->pattern);
    lcl_subdomains_finish(&a->overlapping);
    lcl_subdomains_finish(&a->subdomains);
    lcl_free(a->norms);
    lcl_bsr_finish(&a->A);
}
