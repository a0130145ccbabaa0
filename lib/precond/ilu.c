// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) on subdomains: partition, drop, levels, layout, factor,
// apply (Mehta et al., arXiv 2508.04917).
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/coarse/coarse.h"
#include "lib/factor/ildu0.h"
#include "lib/format/bsr.h"
#include "lib/trisolve/levels.h"
#include "lib/trisolve/packed.h"

#include <math.h>
#include <string.h>

struct ilu {
    int32_t *perm; // n, new -> old; kept for reports
    struct lcl_factor factor;
    struct lcl_trisolve_method trisolve;
    struct lcl_coarse_space *coarse; // NULL: none
};

// What the analysis hands from step to step, on the host. Rows and entries are
// those of blocks.
struct analysis {
    struct lcl_csr graph; // the pattern of A with a_ij or signed norms
    double *norms;        // of blocks
    int32_t *labels;      // of rows of blocks
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
    lcl_free(a->labels);
    lcl_free(a->norms);
}

// ||A_ij||_F for every block, with the sign of its trace.
static enum lcl_status take_graph(struct analysis *a, const struct lcl_bsr *A,
                                  const struct lcl_log *log)
{
    const int size = lcl_block_values(A);
    a->graph = lcl_bsr_pattern(A);
    if (A->block_size == 1)
        return LCL_OK;
    a->graph.val = a->norms = lcl_malloc((size_t)A->nnz, sizeof *a->norms);
    if (!a->norms)
        return lcl_fail_memory(log, "the norms of blocks");
    for (int64_t k = 0; k < A->nnz; ++k) {
        const double *block = A->val + k * size;
        double sum = 0, trace = 0;
        for (int e = 0; e < size; ++e)
            sum += block[e] * block[e];
        for (int c = 0; c < A->block_size; ++c)
            trace += block[c * (A->block_size + 1)];
        a->norms[k] = copysign(sqrt(sum), trace);
    }
    return LCL_OK;
}

// Labels of rows become labels of rows of blocks.
static enum lcl_status take_labels(struct analysis *a,
                                   struct lcl_partition_params *params,
                                   int64_t rows, int block,
                                   const struct lcl_log *log)
{
    if (block == 1 || params->type != LCL_PARTITION_LABELS || !params->labels ||
        params->labels_count != rows * block)
        return LCL_OK;
    a->labels = lcl_malloc((size_t)rows, sizeof *a->labels);
    if (!a->labels)
        return lcl_fail_memory(log, "labels");
    for (int64_t i = 0; i < rows * block; ++i) {
        a->labels[i / block] = params->labels[i / block * block];
        if (params->labels[i] != a->labels[i / block])
            return lcl_fail(log, LCL_EINVAL,
                            "label of row %lld: rows of one block of %d must "
                            "have one label",
                            (long long)i + 1, block);
    }
    params->labels = a->labels;
    params->labels_count = rows;
    return LCL_OK;
}

static enum lcl_status partition(struct analysis *a, lcl_context *ctx,
                                 int block,
                                 const struct lcl_partition_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_partition_params own = *params;
    lcl_phase_enter(ctx, LCL_PHASE_PARTITION);
    enum lcl_status st = take_labels(a, &own, a->graph.rows, block, log);
    if (st == LCL_OK)
        st = lcl_packed_partition(&a->partition, ctx, &a->graph, block, &own);
    lcl_phase_leave(ctx);
    return st;
}

static enum lcl_status reorder(struct analysis *a, const struct lcl_log *log)
{
    lcl_csr_finish(&a->B);
    lcl_free(a->map);
    a->map = NULL;
    return lcl_csr_reorder(&a->B, &a->map, &a->graph, a->partition.perm,
                           a->partition.inverse, log);
}

// Levels need the rows in the partition's order; lanes side by side need them
// in the levels' order. One item a group goes through its rows as they are.
static enum lcl_status find_levels(struct analysis *a, lcl_context *ctx,
                                   bool sorted)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    a->level = lcl_malloc((size_t)a->graph.rows, sizeof *a->level);
    a->count = lcl_malloc((size_t)a->partition.parts, sizeof *a->count);
    if (!a->level || !a->count)
        return lcl_fail_memory(log, "levels");
    if ((st = reorder(a, log)) < 0 ||
        (st = lcl_levels_assign(a->level, a->count, ctx, &a->B,
                                &a->partition)) < 0 ||
        !sorted)
        return st;
    st = lcl_levels_sort(&a->partition, a->level, &a->B, log);
    return st < 0 ? st : reorder(a, log);
}

static void describe(struct lcl_precond_info *info, const struct analysis *a)
{
    const struct lcl_partition *P = &a->partition;
    const struct lcl_drop_info drop = lcl_partition_drop(P, &a->B);
    const int b = info->block_size;
    int64_t levels = 0;
    info->nnz_kept = drop.kept * b * b;
    info->dropped_share = drop.share;
    info->dropped_weight = drop.weight;
    info->missing_diagonals = drop.missing_diagonals * b;
    info->parts = P->parts;
    info->part_rows_min = P->n;
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
                                bool sorted)
{
    const struct lcl_log *log = lcl_context_log(M->ctx);
    lcl_phase_enter(M->ctx, LCL_PHASE_SYMBOLIC);
    enum lcl_status st = find_levels(a, M->ctx, sorted);
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

// The blocks of A in the order of B. With blocks of one entry B has them.
static enum lcl_status take_blocks(struct lcl_bsr *B, const struct analysis *a,
                                   const struct lcl_bsr *A,
                                   const struct lcl_log *log)
{
    const size_t size = (size_t)lcl_block_values(A);
    *B = lcl_bsr_of_csr(&a->B);
    B->block_size = A->block_size;
    if (size == 1)
        return LCL_OK;
    B->val = lcl_malloc((size_t)A->nnz * size, sizeof *B->val);
    if (!B->val)
        return lcl_fail_memory(log, "the reordered blocks");
    for (int64_t k = 0; k < A->nnz; ++k)
        memcpy(B->val + (size_t)k * size, A->val + (size_t)a->map[k] * size,
               size * sizeof *B->val);
    return LCL_OK;
}

static enum lcl_status set_up_system(struct lcl_precond *M, struct analysis *a,
                                     const struct lcl_bsr *A)
{
    struct lcl_bsr B;
    enum lcl_status st = take_blocks(&B, a, A, lcl_context_log(M->ctx));
    if (st == LCL_OK)
        st = lcl_system_init(&M->system, M->ctx, &B, a->partition.perm, a->map);
    if (B.val != a->B.val)
        lcl_free(B.val);
    return st;
}

static enum lcl_status set_up(struct lcl_precond *M, struct analysis *a,
                              const struct lcl_bsr *A,
                              const struct lcl_precond_params *params)
{
    struct ilu *I = M->method;
    enum lcl_status st;
    if ((st = set_up_system(M, a, A)) < 0 ||
        (st = lcl_factor_init(&I->factor, M->ctx, &a->layout,
                              M->info.group_size, A->block_size, params)) < 0)
        return st;
    M->info.storage = I->factor.storage;
    I->perm = a->partition.perm;
    a->partition.perm = NULL;
    return lcl_trisolve_init(&I->trisolve, M->info.trisolve, M->ctx, &I->factor,
                             &a->layout, a->level);
}

static enum lcl_status add_coarse(struct lcl_precond *M,
                                  const struct analysis *a,
                                  enum lcl_coarse wanted)
{
    struct ilu *I = M->method;
    const struct lcl_partition *P = &a->partition;
    M->info.coarse = lcl_coarse_choose(wanted, P->parts, &a->B);
    if (M->info.coarse == LCL_COARSE_NONE)
        return LCL_OK;
    const struct lcl_coarse_params params = {
        .form = M->info.coarse == LCL_COARSE_ADD ? LCL_CORRECT_ADD
                                                 : LCL_CORRECT_MULT,
        .block = M->info.block_size,
    };
    I->coarse = lcl_calloc(1, sizeof *I->coarse);
    if (!I->coarse)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a coarse correction");
    lcl_phase_enter(M->ctx, LCL_PHASE_SYMBOLIC);
    const enum lcl_status st = lcl_coarse_init(I->coarse, M->ctx, &a->B,
                                               P->part_ptr, P->parts, &params);
    lcl_phase_leave(M->ctx);
    return st;
}

static void describe_coarse(struct lcl_precond *M)
{
    const struct lcl_coarse_space *C = ((struct ilu *)M->method)->coarse;
    struct lcl_precond_info *info = &M->info;
    if (!C)
        return;
    info->coarse = C->off                       ? LCL_COARSE_NONE
                   : C->form == LCL_CORRECT_ADD ? LCL_COARSE_ADD
                                                : LCL_COARSE_MULT;
    info->coarse_rows = C->rows;
    info->coarse_pinned = C->pinned;
    info->coarse_bytes = lcl_coarse_bytes(C);
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_bsr *A,
                              const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->ctx);
    struct analysis a = {.map = NULL};
    enum lcl_status st;
    M->info.trisolve =
        params->trisolve ? params->trisolve : LCL_TRISOLVE_PACKED;
    const bool sorted =
        lcl_trisolve_sorted(M->info.trisolve, lcl_context_caps(M->ctx));
    struct ilu *I = M->method = lcl_calloc(1, sizeof *I);
    if (!I)
        return lcl_fail_memory(log, "a preconditioner");
    if ((st = take_graph(&a, A, log)) < 0 ||
        (st = partition(&a, M->ctx, A->block_size, &params->partition)) < 0 ||
        (st = symbolic(M, &a, sorted)) < 0 ||
        (st = set_up(M, &a, A, params)) < 0 ||
        (st = add_coarse(M, &a, params->coarse)) < 0)
        goto out;
    M->info.group_size = I->trisolve.group;
    M->info.launches =
        I->trisolve.launches + (I->coarse ? I->coarse->launches : 0);
    M->info.barriers = I->trisolve.barriers;
    M->info.storage = I->factor.storage;
    M->info.factor_bytes = lcl_factor_bytes(&I->factor);
out:
    analysis_finish(&a);
    return st;
}

static enum lcl_status update(struct lcl_precond *M)
{
    struct ilu *I = M->method;
    struct lcl_repairs repairs;
    enum lcl_status st =
        lcl_factor_numeric(&I->factor, M->system.matrix.val, &repairs);
    M->info.pivots_repaired = repairs.count;
    for (int i = 0; i < 8; ++i)
        M->info.repaired_rows[i] =
            i < repairs.count
                ? (int64_t)I->perm[repairs.rows[i]] * M->info.block_size
                : 0;
    if (st < 0 || (st = lcl_trisolve_update(&I->trisolve)) < 0 || !I->coarse)
        return st;
    st = lcl_coarse_update(I->coarse, M->system.matrix.val);
    describe_coarse(M);
    return st;
}

static enum lcl_status apply_factors(void *user, const lcl_buffer *b,
                                     lcl_buffer *x, const lcl_buffer *stop,
                                     int at)
{
    return lcl_trisolve_apply(user, b, x, stop, at);
}

static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    struct ilu *I = M->method;
    const struct lcl_inner inner = {apply_factors, &I->trisolve};
    return I->coarse ? lcl_coarse_apply(I->coarse, &inner, b, x, stop, at)
                     : lcl_trisolve_apply(&I->trisolve, b, x, stop, at);
}

static void destroy(struct lcl_precond *M)
{
    struct ilu *I = M->method;
    if (!I)
        return;
    if (I->coarse)
        lcl_coarse_finish(I->coarse);
    lcl_free(I->coarse);
    lcl_trisolve_finish(&I->trisolve);
    lcl_factor_finish(&I->factor);
    lcl_free(I->perm);
    lcl_free(I);
}

const struct lcl_precond_ops lcl_precond_ilu = {create, update, apply, destroy};

const struct lcl_trisolve_method *lcl_precond_trisolve(const lcl_precond *M)
{
    const struct ilu *I = M->method;
    return M->ops == &lcl_precond_ilu ? &I->trisolve : NULL;
}
