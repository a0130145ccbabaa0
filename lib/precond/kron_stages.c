// SPDX-License-Identifier: BSD-3-Clause
// Stagewise preconditioner of Kronecker systems: incomplete factors of the
// block-diagonal matrix of all a_jj M + tau b_jj L, on the same subdomains in
// each stage.
#include "lib/precond/kron_precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/operator/kron_pairs.h"
#include "lib/trisolve/packed.h"

#include <string.h>

struct stages {
    lcl_precond *inner; // of the block-diagonal matrix
    bool fresh;         // already has the lcl_kron's values, from creation
    bool weighted;
    int64_t *row_ptr; // of the union of M and L
    struct lcl_vector_ops vector;
    lcl_buffer *map;   // element of the inner system -> element of the outer
    lcl_buffer *b, *x; // of the inner system
};

// State of the set-up.
struct set_up {
    struct lcl_bsr one; // pattern of one stage
    struct lcl_bsr all; // the block-diagonal matrix
    double *norms;      // of the blocks of one stage, summed over stages
    struct lcl_partition partition; // of one stage
    int32_t *repeated;              // labels of all stages
};

static void set_up_finish(struct set_up *a)
{
    lcl_bsr_finish(&a->one);
    lcl_bsr_finish(&a->all);
    lcl_free(a->norms);
    lcl_partition_finish(&a->partition);
    lcl_free(a->repeated);
}

// ------------------------------------------------------------------- values

enum { BATCH = 32 }; // number of blocks held as pairs at a time

struct filling {
    const struct lcl_kron *K;
    struct lcl_pairs pairs;
    double *val;
    int64_t blocks, chunks; // number of blocks of a stage
};

// Computes block k of a_jj M + tau b_jj L, whose interleaved values are in
// `pair`.
static void fill_block(const struct filling *F, int stage, int64_t k,
                       const double *pair)
{
    const int b = F->K->M->block_size, at = stage * (F->K->stages + 1);
    const double of_m = F->K->A[at], of_l = F->K->tau * F->K->B[at];
    double *out = F->val + (stage * F->blocks + k) * (b * b);
    for (int e = 0; e < b * b; ++e, pair += 2)
        out[e] = of_m * pair[0] + of_l * pair[1];
}

static void fill_blocks(void *arg, int64_t chunk)
{
    struct filling *F = arg;
    double pairs[BATCH * 2 * LCL_BLOCK_MAX * LCL_BLOCK_MAX];
    const int size = 2 * lcl_block_values(F->K->M);
    const int64_t end = lcl_chunk_start(F->blocks, F->chunks, chunk + 1);
    int64_t k = lcl_chunk_start(F->blocks, F->chunks, chunk);
    while (k < end) {
        const int count = (int)(end - k < BATCH ? end - k : BATCH);
        lcl_pairs_fill(&F->pairs, k, count, pairs);
        for (int i = 0; i < count; ++i, ++k)
            for (int j = 0; j < F->K->stages; ++j)
                fill_block(F, j, k, pairs + i * size);
    }
}

static void fill_values(double *val, const struct lcl_kron *K,
                        const int64_t *row_ptr)
{
    const int64_t blocks = row_ptr[K->M->rows];
    struct filling F = {
        K, {K->M, K->L, row_ptr}, val, blocks, lcl_chunks(blocks)};
    lcl_parallel(F.chunks, fill_blocks, &F);
}

static enum lcl_status take(struct lcl_precond *M, const struct lcl_kron *K)
{
    struct stages *S = M->method;
    const struct lcl_log *log = lcl_context_log(M->ctx);
    struct lcl_system *system = &S->inner->system;
    if (S->fresh) {
        S->fresh = false;
        return LCL_OK;
    }
    double *val = lcl_malloc((size_t)system->entries, sizeof *val);
    if (!val)
        return lcl_fail_memory(log, "the values of stages");
    lcl_phase_enter(M->ctx, LCL_PHASE_UPLOAD);
    fill_values(val, K, S->row_ptr);
    const enum lcl_status st = lcl_system_update(system, val);
    lcl_phase_leave(M->ctx);
    lcl_free(val);
    return st;
}

// ------------------------------------------------------------------- matrix

static void repeat_pattern(struct lcl_bsr *all, const struct lcl_bsr *one,
                           int stages)
{
    for (int j = 0; j < stages; ++j) {
        for (int64_t i = 0; i < one->rows; ++i)
            all->row_ptr[j * one->rows + i] = j * one->nnz + one->row_ptr[i];
        for (int64_t k = 0; k < one->nnz; ++k)
            all->col_ind[j * one->nnz + k] =
                (int32_t)(j * one->rows + one->col_ind[k]);
    }
    all->row_ptr[all->rows] = all->nnz;
}

static enum lcl_status make_matrix(struct set_up *a, const struct lcl_kron *K,
                                   const struct lcl_log *log)
{
    const int s = K->stages;
    const size_t block = (size_t)lcl_block_values(K->M);
    enum lcl_status st = lcl_pairs_pattern(&a->one, K->M, K->L,
                                           lcl_pairs_count(K->M, K->L), log);
    if (st < 0)
        return st;
    const int64_t rows = s * a->one.rows, nnz = s * a->one.nnz;
    a->all = (struct lcl_bsr){
        .rows = rows,
        .cols = rows,
        .nnz = nnz,
        .block_size = K->M->block_size,
        .row_ptr = lcl_malloc((size_t)rows + 1, sizeof *a->all.row_ptr),
        .col_ind = lcl_malloc((size_t)nnz, sizeof *a->all.col_ind),
        .val = lcl_malloc((size_t)nnz, block * sizeof *a->all.val),
    };
    if (!a->all.row_ptr || !a->all.col_ind || !a->all.val)
        return lcl_fail_memory(log, "the matrix of stages");
    repeat_pattern(&a->all, &a->one, s);
    fill_values(a->all.val, K, a->one.row_ptr);
    return LCL_OK;
}

// ------------------------------------------------------------------- parts

// Sums the couplings of all stages, if METIS uses weights.
static enum lcl_status make_norms(struct set_up *a, int stages,
                                  const struct lcl_partition_params *params,
                                  const struct lcl_log *log)
{
    const int size = lcl_block_values(&a->all);
    if (!lcl_partition_weighs(params))
        return LCL_OK;
    a->norms = lcl_calloc((size_t)a->one.nnz, sizeof *a->norms);
    if (!a->norms)
        return lcl_fail_memory(log, "the norms of blocks");
    for (int j = 0; j < stages; ++j)
        for (int64_t k = 0; k < a->one.nnz; ++k)
            a->norms[k] +=
                lcl_block_norm(a->all.val + (j * a->one.nnz + k) * size, size);
    return LCL_OK;
}

static enum lcl_status repeat_labels(struct set_up *a, int stages,
                                     const struct lcl_log *log)
{
    const struct lcl_partition *P = &a->partition;
    a->repeated = lcl_malloc((size_t)a->all.rows, sizeof *a->repeated);
    if (!a->repeated)
        return lcl_fail_memory(log, "labels");
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            for (int j = 0; j < stages; ++j)
                a->repeated[j * P->n + P->perm[i]] =
                    (int32_t)(j * P->parts + p);
    return LCL_OK;
}

static enum lcl_status partition(struct set_up *a, lcl_context *ctx, int stages,
                                 const struct lcl_partition_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr graph = lcl_bsr_pattern(&a->one);
    enum lcl_status st = make_norms(a, stages, params, log);
    if (st < 0)
        return st;
    graph.val = a->norms;
    st = lcl_packed_partition(&a->partition, ctx, &graph, a->one.block_size,
                              params);
    return st < 0 ? st : repeat_labels(a, stages, log);
}

// ------------------------------------------------------------------- creation

static enum lcl_status make_inner(struct lcl_precond *M, const struct set_up *a,
                                  const struct lcl_precond_params *params)
{
    struct stages *S = M->method;
    struct lcl_precond_params own = *params;
    lcl_precond *inner = S->inner = lcl_calloc(1, sizeof *inner);
    if (!inner)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a preconditioner");
    inner->ctx = M->ctx;
    inner->ops = &lcl_precond_ilu;
    inner->info = (struct lcl_precond_info){
        .type = M->info.type,
        .rows = M->info.rows,
        .block_size = M->info.block_size,
        .coarse = LCL_COARSE_NONE,
        .stages = 1,
        .form = "",
    };
    own.partition = (struct lcl_partition_params){
        .type = LCL_PARTITION_LABELS,
        .labels = a->repeated,
        .labels_count = a->all.rows,
    };
    if (own.coarse == LCL_COARSE_AUTO)
        own.coarse = LCL_COARSE_NONE;
    return inner->ops->create(inner, &a->all, &own);
}

// Row r of stage j is element j N + r of the block-diagonal matrix before
// reordering.
static void compose(uint32_t *map, const int32_t *perm,
                    const struct lcl_precond *M)
{
    const bool together = lcl_kron_ops_of(M->info.kron)->stages_innermost;
    const int64_t b = M->info.block_size, s = M->info.stages;
    const int64_t rows = M->info.rows / s;
    for (int64_t k = 0; k < s * rows; ++k) {
        const int64_t row = perm[k / b] * b + k % b;
        map[k] = (uint32_t)(together ? row % rows * s + row / rows : row);
    }
}

static enum lcl_status upload_map(struct lcl_precond *M)
{
    struct stages *S = M->method;
    const int64_t n = M->info.rows, block_rows = n / M->info.block_size;
    const size_t bytes = (size_t)block_rows * sizeof(int32_t);
    int32_t *perm = lcl_malloc(bytes, 1);
    uint32_t *map = lcl_malloc((size_t)n, sizeof *map);
    enum lcl_status st;
    if (!perm || !map)
        st = lcl_fail_memory(lcl_context_log(M->ctx), "a permutation");
    else if ((st = lcl_buffer_read(S->inner->system.perm, perm, bytes)) ==
             LCL_OK) {
        compose(map, perm, M);
        st = lcl_buffer_create_from(&S->map, M->ctx, map, n, sizeof *map,
                                    "permutation");
    }
    lcl_free(perm);
    lcl_free(map);
    return st;
}

static enum lcl_status make_vectors(struct lcl_precond *M)
{
    struct stages *S = M->method;
    const int64_t n = M->info.rows;
    enum lcl_status st;
    lcl_buffer_destroy(&S->inner->system.vector_in_a); // unused here
    if ((st = lcl_vector_ops_init(&S->vector, M->ctx, 1)) < 0 ||
        (st = upload_map(M)) < 0 ||
        (st = lcl_buffer_create(&S->b, M->ctx, n, sizeof(double), "vector")) <
            0)
        return st;
    return lcl_buffer_create(&S->x, M->ctx, n, sizeof(double), "vector");
}

static enum lcl_status prepare(struct set_up *a, lcl_context *ctx,
                               const struct lcl_kron *K,
                               const struct lcl_precond_params *params)
{
    lcl_phase_enter(ctx, LCL_PHASE_PARTITION);
    enum lcl_status st = make_matrix(a, K, lcl_context_log(ctx));
    if (st == LCL_OK)
        st = partition(a, ctx, K->stages, &params->partition);
    lcl_phase_leave(ctx);
    return st;
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_kron *K,
                              const struct lcl_precond_params *params)
{
    struct set_up a = {.norms = NULL};
    enum lcl_status st;
    struct stages *S = M->method = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a preconditioner");
    if ((st = prepare(&a, M->ctx, K, params)) == LCL_OK &&
        (st = make_inner(M, &a, params)) == LCL_OK &&
        (st = make_vectors(M)) == LCL_OK) {
        S->fresh = true;
        S->weighted = a.partition.weighted;
        S->row_ptr = a.one.row_ptr;
        a.one.row_ptr = NULL;
    }
    set_up_finish(&a);
    return st;
}

// ------------------------------------------------------------------- factors

// Reports the properties of the inner system, whose rows before reordering are
// the caller's.
static void describe(struct lcl_precond *M)
{
    const struct stages *S = M->method;
    const struct lcl_precond_info own = M->info;
    M->info = S->inner->info;
    M->info.nnz = own.nnz;
    M->info.kron = own.kron;
    M->info.stages = own.stages;
    M->info.spmv_bytes = own.spmv_bytes;
    M->info.weighted = S->weighted;
    M->info.launches += 2;
}

// Names the stages among the first repaired rows.
static void name_stages(const struct lcl_precond *M)
{
    const struct lcl_precond_info *info = &M->info;
    const int64_t rows = info->rows / info->stages;
    int64_t last = -1;
    for (int k = 0; k < 8 && k < info->pivots_repaired; ++k) {
        const int64_t stage = info->repaired_rows[k] / rows;
        if (stage != last)
            lcl_warn(lcl_context_log(M->ctx),
                     "stage %lld: a_jj M + tau b_jj L has a zero or tiny pivot "
                     "in its row %lld",
                     (long long)stage + 1,
                     (long long)(info->repaired_rows[k] - stage * rows) + 1);
        last = stage;
    }
}

static enum lcl_status update(struct lcl_precond *M)
{
    const struct stages *S = M->method;
    const enum lcl_status st = S->inner->ops->update(S->inner);
    describe(M);
    if (st == LCL_OK || st == LCL_EPIVOT)
        name_stages(M);
    return st;
}

// If the solve has stopped, x receives the inner system's previous result:
// harmless, since only kernels that check the same stopping flag read x.
static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    const struct stages *S = M->method;
    const int64_t n = M->info.rows;
    enum lcl_status st;
    if ((st = lcl_gather(&S->vector, n, S->map, b, S->b)) < 0 ||
        (st = S->inner->ops->apply(S->inner, S->b, S->x, stop, at)) < 0)
        return st;
    return lcl_scatter(&S->vector, n, S->map, S->x, x);
}

static void destroy(struct lcl_precond *M)
{
    struct stages *S = M->method;
    if (!S)
        return;
    lcl_precond_destroy(&S->inner);
    lcl_buffer_destroy(&S->map);
    lcl_buffer_destroy(&S->b);
    lcl_buffer_destroy(&S->x);
    lcl_free(S->row_ptr);
    lcl_free(S);
}

static const struct lcl_precond_ops ops = {
    .update = update,
    .apply = apply,
    .destroy = destroy,
};

const struct lcl_kron_method lcl_kron_stages = {
    .ops = &ops,
    .create = create,
    .take = take,
};
