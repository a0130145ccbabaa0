// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) on subdomains: partition, drop, levels, layout, factor,
// apply (Mehta et al., arXiv 2508.04917).
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/ildu0.h"
#include "lib/trisolve/levels.h"
#include "lib/trisolve/packed.h"

struct ilu {
    int32_t *perm; // n, new -> old; kept for reports
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
};

// What the analysis hands from step to step, on the host.
struct analysis {
    struct lcl_partition partition;
    struct lcl_csr B; // A reordered
    int64_t *map;     // entries of B -> entries of A
    int32_t *level;   // n
    int32_t *count;   // levels of a subdomain
    struct lcl_layout layout;
};

static void analysis_finish(struct analysis *a)
{
    lcl_layout_finish(&a->layout);
    lcl_free(a->count);
    lcl_free(a->level);
    lcl_free(a->map);
    lcl_csr_finish(&a->B);
    lcl_partition_finish(&a->partition);
}

static enum lcl_status partition(struct analysis *a, lcl_context *ctx,
                                 const struct lcl_csr *A,
                                 const struct lcl_partition_params *params)
{
    lcl_phase_enter(ctx, LCL_PHASE_PARTITION);
    const enum lcl_status st =
        lcl_packed_partition(&a->partition, ctx, A, params);
    lcl_phase_leave(ctx);
    return st;
}

static enum lcl_status reorder(struct analysis *a, const struct lcl_csr *A,
                               const struct lcl_log *log)
{
    lcl_csr_finish(&a->B);
    lcl_free(a->map);
    a->map = NULL;
    return lcl_csr_reorder(&a->B, &a->map, A, a->partition.perm,
                           a->partition.inverse, log);
}

// Levels need the rows in the partition's order; lanes side by side need them
// in the levels' order. One item a group goes through its rows as they are.
static enum lcl_status find_levels(struct analysis *a, lcl_context *ctx,
                                   const struct lcl_csr *A, bool sorted)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    a->level = lcl_malloc((size_t)A->rows, sizeof *a->level);
    a->count = lcl_malloc((size_t)a->partition.parts, sizeof *a->count);
    if (!a->level || !a->count)
        return lcl_fail_memory(log, "levels");
    if ((st = reorder(a, A, log)) < 0 ||
        (st = lcl_levels_assign(a->level, a->count, ctx, &a->B,
                                &a->partition)) < 0 ||
        !sorted)
        return st;
    st = lcl_levels_sort(&a->partition, a->level, &a->B, log);
    return st < 0 ? st : reorder(a, A, log);
}

static void describe(struct lcl_precond_info *info, const struct analysis *a)
{
    const struct lcl_partition *P = &a->partition;
    const struct lcl_drop_info drop = lcl_partition_drop(P, &a->B);
    int64_t levels = 0;
    info->nnz_kept = drop.kept;
    info->dropped_share = drop.share;
    info->dropped_weight = drop.weight;
    info->missing_diagonals = drop.missing_diagonals;
    info->parts = P->parts;
    info->part_rows_min = info->rows;
    info->weighted = P->weighted;
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t rows = P->part_ptr[p + 1] - P->part_ptr[p];
        if (rows < info->part_rows_min)
            info->part_rows_min = rows;
        if (rows > info->part_rows_max)
            info->part_rows_max = rows;
        if (a->count[p] > info->levels_max)
            info->levels_max = a->count[p];
        levels += a->count[p];
    }
    info->levels_mean = (double)levels / (double)P->parts;
}

static enum lcl_status symbolic(struct lcl_precond *M, struct analysis *a,
                                const struct lcl_csr *A, bool sorted)
{
    const struct lcl_log *log = lcl_context_log(M->ctx);
    lcl_phase_enter(M->ctx, LCL_PHASE_SYMBOLIC);
    enum lcl_status st = find_levels(a, M->ctx, A, sorted);
    if (st == LCL_OK) {
        describe(&M->info, a);
        M->info.group_size =
            lcl_packed_group(lcl_context_caps(M->ctx), M->info.part_rows_max);
        st = lcl_layout_init(&a->layout, &a->B, a->partition.part_ptr,
                             a->partition.parts, a->level, M->info.group_size,
                             log);
    }
    lcl_phase_leave(M->ctx);
    return st;
}

static enum lcl_status set_up(struct lcl_precond *M, struct analysis *a,
                              const struct lcl_precond_params *params)
{
    struct ilu *I = M->method;
    enum lcl_status st;
    if ((st = lcl_system_init(&M->system, M->ctx, &a->B, a->partition.perm,
                              a->map)) < 0 ||
        (st = lcl_factor_init(&I->factor, M->ctx, &a->layout,
                              M->info.group_size, 1, params)) < 0)
        return st;
    M->info.storage = I->factor.storage;
    I->perm = a->partition.perm;
    a->partition.perm = NULL;
    return lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->ctx, &I->factor,
                             &a->layout, a->level);
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_csr *A,
                              const struct lcl_precond_params *params)
{
    struct analysis a = {.map = NULL};
    enum lcl_status st;
    M->info.trisolve =
        params->trisolve ? params->trisolve : LCL_TRISOLVE_PACKED;
    const bool sorted =
        lcl_trisolve_sorted(M->info.trisolve, lcl_context_caps(M->ctx));
    struct ilu *I = M->method = lcl_calloc(1, sizeof *I);
    if (!I)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a preconditioner");
    if ((st = partition(&a, M->ctx, A, &params->partition)) < 0 ||
        (st = symbolic(M, &a, A, sorted)) < 0 ||
        (st = set_up(M, &a, params)) < 0)
        goto out;
    M->info.launches = I->trisolve.launches;
    M->info.barriers = I->trisolve.barriers;
    M->info.factor_bytes = lcl_factor_bytes(&I->factor);
out:
    analysis_finish(&a);
    return st;
}

static enum lcl_status update(struct lcl_precond *M)
{
    struct ilu *I = M->method;
    struct lcl_repairs repairs;
    const enum lcl_status st =
        lcl_factor_numeric(&I->factor, M->system.matrix.val, &repairs);
    M->info.pivots_repaired = repairs.count;
    for (int i = 0; i < 8; ++i)
        M->info.repaired_rows[i] =
            i < repairs.count ? I->perm[repairs.rows[i]] : 0;
    return st < 0 ? st : lcl_trisolve_update(&I->trisolve);
}

static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    struct ilu *I = M->method;
    return lcl_trisolve_apply(&I->trisolve, b, x, stop, at);
}

static void destroy(struct lcl_precond *M)
{
    struct ilu *I = M->method;
    if (!I)
        return;
    lcl_trisolve_finish(&I->trisolve);
    lcl_factor_finish(&I->factor);
    lcl_free(I->perm);
    lcl_free(I);
}

const struct lcl_precond_ops lcl_precond_ilu = {create, update, apply, destroy};
