// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) on subdomains: partition, drop, levels, layout, factor,
// apply (Mehta et al., arXiv 2508.04917).
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/ildu0.h"
#include "lib/factor/symbolic.h"
#include "lib/trisolve/packed.h"

#include <string.h>

struct ilu {
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
};

// What set-up hands from step to step.
struct set_up {
    struct lcl_partition partition;
    struct lcl_symbolic symbolic;
    struct lcl_layout layout; // host copies, for a method that wants them
    int32_t *level;           // n
};

static void set_up_finish(struct set_up *s)
{
    lcl_free(s->level);
    lcl_layout_finish(&s->layout);
    lcl_symbolic_finish(&s->symbolic);
    lcl_partition_finish(&s->partition);
}

static enum lcl_status partition(struct set_up *s, lcl_context *ctx,
                                 const struct lcl_csr *A,
                                 const struct lcl_partition_params *params)
{
    lcl_phase_enter(ctx, LCL_PHASE_PARTITION);
    const enum lcl_status st =
        lcl_packed_partition(&s->partition, ctx, A, params);
    lcl_phase_leave(ctx);
    return st;
}

static void describe_parts(struct lcl_precond_info *info,
                           const struct lcl_partition *P)
{
    info->parts = P->parts;
    info->part_rows_min = info->rows;
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
    info->nnz_kept = S->drop.kept;
    info->dropped_share = S->drop.share;
    info->dropped_weight = S->drop.weight;
    info->missing_diagonals = S->drop.missing_diagonals;
    info->levels_max = S->levels_max;
    info->levels_mean = S->levels_mean;
}

static enum lcl_status download_levels(struct set_up *s, lcl_context *ctx)
{
    const size_t n = (size_t)s->partition.n;
    s->level = lcl_malloc(n, sizeof *s->level);
    if (!s->level)
        return lcl_fail_memory(lcl_context_log(ctx), "levels");
    return lcl_buffer_read(s->symbolic.level, s->level, n * sizeof *s->level);
}

// Lanes side by side need the rows in the order of the levels; one item a group
// goes through its rows as they are.
static enum lcl_status analyse(struct lcl_precond *M, struct set_up *s)
{
    const struct lcl_caps *caps = lcl_context_caps(M->ctx);
    enum lcl_status st;
    describe_parts(&M->info, &s->partition);
    M->info.group_size = lcl_packed_group(caps, M->info.part_rows_max);
    const struct lcl_symbolic_params params = {
        .group = M->info.group_size,
        .sorted = lcl_trisolve_sorted(M->info.trisolve, caps),
    };
    if ((st = lcl_symbolic_init(&s->symbolic, M->ctx, &M->system.matrix,
                                &s->partition, &params)) < 0)
        return st;
    describe(&M->info, &s->symbolic);
    if (lcl_trisolve_reads_layout(M->info.trisolve) &&
        ((st = lcl_layout_download(&s->layout, M->ctx, &s->symbolic.layout)) <
             0 ||
         (st = download_levels(s, M->ctx)) < 0))
        return st;
    return lcl_context_wait(M->ctx); // what is enqueued counts as symbolic, too
}

static enum lcl_status symbolic(struct lcl_precond *M, struct set_up *s)
{
    lcl_phase_enter(M->ctx, LCL_PHASE_SYMBOLIC);
    const enum lcl_status st = analyse(M, s);
    lcl_phase_leave(M->ctx);
    return st;
}

static enum lcl_status make_factor(struct lcl_precond *M, struct set_up *s,
                                   const struct lcl_precond_params *params)
{
    struct ilu *I = M->method;
    enum lcl_status st;
    if ((st = lcl_system_reorder(&M->system, &s->symbolic.B)) < 0 ||
        (st = lcl_factor_init(&I->factor, M->ctx, &s->symbolic.layout,
                              M->info.group_size, params)) < 0)
        return st;
    return lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->ctx, &I->factor,
                             &s->layout, s->level);
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_csr *A,
                              const struct lcl_precond_params *params)
{
    struct set_up s = {.level = NULL};
    enum lcl_status st;
    M->info.trisolve =
        params->trisolve ? params->trisolve : LCL_TRISOLVE_PACKED;
    struct ilu *I = M->method = lcl_calloc(1, sizeof *I);
    if (!I)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a preconditioner");
    if ((st = partition(&s, M->ctx, A, &params->partition)) < 0 ||
        (st = lcl_system_init(&M->system, M->ctx, A, NULL, NULL)) < 0 ||
        (st = symbolic(M, &s)) < 0 || (st = make_factor(M, &s, params)) < 0)
        goto out;
    M->info.launches = I->trisolve.launches;
    M->info.barriers = I->trisolve.barriers;
    M->info.factor_bytes = lcl_factor_bytes(&I->factor);
out:
    set_up_finish(&s);
    return st;
}

// The rows of repaired pivots in A's numbering, which the device knows.
static enum lcl_status name_repaired(struct lcl_precond *M,
                                     const struct lcl_repairs *repairs)
{
    const size_t n = (size_t)M->system.n;
    int32_t *perm = lcl_malloc(n, sizeof *perm);
    if (!perm)
        return lcl_fail_memory(lcl_context_log(M->ctx), "the permutation");
    const enum lcl_status st =
        lcl_buffer_read(M->system.perm, perm, n * sizeof *perm);
    for (int i = 0; i < 8 && i < repairs->count && st == LCL_OK; ++i)
        M->info.repaired_rows[i] = perm[repairs->rows[i]];
    lcl_free(perm);
    return st;
}

static enum lcl_status update(struct lcl_precond *M)
{
    struct ilu *I = M->method;
    struct lcl_repairs repairs;
    const enum lcl_status factored =
        lcl_factor_numeric(&I->factor, M->system.matrix.val, &repairs);
    enum lcl_status st;
    M->info.pivots_repaired = repairs.count;
    memset(M->info.repaired_rows, 0, sizeof M->info.repaired_rows);
    if (repairs.count > 0 && (st = name_repaired(M, &repairs)) < 0)
        return st;
    return factored < 0 ? factored : lcl_trisolve_update(&I->trisolve);
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
    lcl_free(I);
}

const struct lcl_precond_ops lcl_precond_ilu = {create, update, apply, destroy};
