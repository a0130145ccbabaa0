// SPDX-License-Identifier: BSD-3-Clause
// Stagewise preconditioner of Kronecker systems: incomplete factors of the
// block-diagonal operator D of all a_jj M + tau b_jj L, on the same subdomains
// in each stage.
#include "lib/precond/kron_values.h"
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/pairs.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/coarse.h"
#include "lib/trisolve/packed.h"

struct stages {
    lcl_precond *inner; // of D
    struct lcl_kron_values values;
    enum lcl_partition_type type; // of the subdomains of one stage
    bool weighted;
};

// State of the set-up.
struct set_up {
    struct lcl_bsr M, L;   // patterns of the operator's terms
    struct lcl_bsr one;    // their union, the pattern of one stage
    struct lcl_bsr all;    // D
    uint32_t *of_m, *of_l; // blocks of the union in M and in L
    double *norms;         // of the blocks of one stage, summed over stages
    struct lcl_subdomains subdomains; // of one stage
    int32_t *repeated;                // labels of all stages
};

static void set_up_finish(struct set_up *a)
{
    lcl_bsr_finish(&a->M);
    lcl_bsr_finish(&a->L);
    lcl_bsr_finish(&a->one);
    lcl_bsr_finish(&a->all);
    lcl_free(a->of_m);
    lcl_free(a->of_l);
    lcl_free(a->norms);
    lcl_subdomains_finish(&a->subdomains);
    lcl_free(a->repeated);
}

// ------------------------------------------------------------------- pattern

// of[k] = the block of A at the place of block k of the union.
static void find_blocks(uint32_t *of, const struct lcl_bsr *one,
                        const struct lcl_bsr *A)
{
    for (int64_t i = 0; i < one->rows; ++i) {
        int64_t at = A->row_ptr[i];
        for (int64_t k = one->row_ptr[i]; k < one->row_ptr[i + 1]; ++k) {
            const bool same =
                at < A->row_ptr[i + 1] && A->col_ind[at] == one->col_ind[k];
            of[k] = same ? (uint32_t)at++ : LCL_NO_BLOCK;
        }
    }
}

static enum lcl_status merge(struct set_up *a, const struct lcl_log *log)
{
    const int64_t blocks = lcl_pairs_count(&a->M, &a->L);
    const enum lcl_status st =
        lcl_pairs_pattern(&a->one, &a->M, &a->L, blocks, log);
    if (st < 0)
        return st;
    a->of_m = lcl_malloc((size_t)blocks, sizeof *a->of_m);
    a->of_l = lcl_malloc((size_t)blocks, sizeof *a->of_l);
    if (!a->of_m || !a->of_l)
        return lcl_fail_memory(log, "patterns of M and L");
    find_blocks(a->of_m, &a->one, &a->M);
    find_blocks(a->of_l, &a->one, &a->L);
    return LCL_OK;
}

static enum lcl_status read_pattern(struct set_up *a, lcl_context *ctx,
                                    const struct lcl_kron_operator *K)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    if (K->paired)
        return lcl_device_matrix_read(&a->one, &K->term[0], false, log);
    if ((st = lcl_device_matrix_read(&a->M, &K->term[0], false, log)) < 0 ||
        (st = lcl_device_matrix_read(&a->L, &K->term[1], false, log)) < 0)
        return st;
    return merge(a, log);
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

static enum lcl_status make_matrix(struct set_up *a, int stages,
                                   const struct lcl_log *log)
{
    const struct lcl_bsr *one = &a->one;
    const int64_t rows = stages * one->rows, nnz = stages * one->nnz;
    a->all = (struct lcl_bsr){
        .rows = rows,
        .cols = rows,
        .nnz = nnz,
        .block_size = one->block_size,
        .row_ptr = lcl_malloc((size_t)rows + 1, sizeof *a->all.row_ptr),
        .col_ind = lcl_malloc((size_t)nnz, sizeof *a->all.col_ind),
        .val = lcl_calloc((size_t)nnz,
                          (size_t)lcl_block_values(one) * sizeof *a->all.val),
    };
    if (!a->all.row_ptr || !a->all.col_ind || !a->all.val)
        return lcl_fail_memory(log, "the matrix of stages");
    repeat_pattern(&a->all, one, stages);
    return LCL_OK;
}

static enum lcl_status update_values(lcl_precond *M)
{
    const struct stages *S = M->op.state;
    const enum lcl_status st =
        lcl_kron_stage_values(&S->values, lcl_operator_staging(M->matrix));
    return st < 0 ? st : lcl_operator_commit_staged(M->matrix);
}

// Creates D, M's own operator, with its values.
static enum lcl_status make_operator(lcl_precond *M, const struct set_up *a)
{
    static const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    struct stages *S = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    lcl_operator *D;
    enum lcl_status st =
        lcl_matrix_operator_create_bsr(&D, ctx, &a->all, &params);
    if (st < 0)
        return st;
    M->matrix = D;
    st = lcl_kron_values_init(&S->values, ctx, lcl_kron_of(M->A), a->one.nnz,
                              a->of_m, a->of_l);
    return st < 0 ? st : update_values(M);
}

// ------------------------------------------------------------------- parts

// Sums the couplings of all stages, if METIS uses weights.
static enum lcl_status make_norms(struct set_up *a, const lcl_precond *M,
                                  const struct lcl_log *log)
{
    const int size = lcl_block_values(&a->all), stages = M->A->info.stages;
    enum lcl_status st =
        lcl_buffer_read(lcl_operator_staging(M->matrix), a->all.val,
                        (size_t)(a->all.nnz * size) * sizeof *a->all.val);
    if (st < 0)
        return st;
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
    const struct lcl_subdomains *P = &a->subdomains;
    a->repeated = lcl_malloc((size_t)a->all.rows, sizeof *a->repeated);
    if (!a->repeated)
        return lcl_fail_memory(log, "labels");
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            for (int j = 0; j < stages; ++j)
                a->repeated[j * P->n + P->row[i]] = (int32_t)(j * P->parts + p);
    return LCL_OK;
}

static enum lcl_status partition(struct set_up *a, const lcl_precond *M,
                                 const struct lcl_partition_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr graph = lcl_bsr_pattern(&a->one);
    const struct lcl_packed_rows rows = {
        .A = &graph, .share = &M->A->share, .block = a->one.block_size};
    enum lcl_status st = LCL_OK;
    if (lcl_partition_weighs(params) && (st = make_norms(a, M, log)) < 0)
        return st;
    graph.val = a->norms;
    st = lcl_packed_partition(
        &a->subdomains, ctx, &rows, params,
        lcl_packed_rows_most(lcl_context_caps(ctx), a->one.block_size),
        lcl_coarse_most(&M->op.range, a->one.block_size));
    if (st < 0 || (st = lcl_subdomains_download(&a->subdomains, log)) < 0)
        return st;
    return repeat_labels(a, M->A->info.stages, log);
}

// ------------------------------------------------------------------- creation

static enum lcl_status prepare(lcl_precond *M, struct set_up *a,
                               const struct lcl_precond_params *params)
{
    const struct lcl_kron_operator *K = lcl_kron_of(M->A);
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st;
    lcl_task_enter(ctx, LCL_TASK_PARTITION);
    if ((st = read_pattern(a, ctx, K)) == LCL_OK &&
        (st = make_matrix(a, K->stages, lcl_context_log(ctx))) == LCL_OK &&
        (st = make_operator(M, a)) == LCL_OK)
        st = partition(a, M, &params->partition);
    lcl_task_leave(ctx);
    return st;
}

static enum lcl_status make_inner(lcl_precond *M, const struct set_up *a,
                                  const struct lcl_precond_params *params)
{
    struct stages *S = M->op.state;
    struct lcl_precond_params own = *params;
    own.partition = (struct lcl_partition_params){
        .type = LCL_PARTITION_LABELS,
        .labels = a->repeated,
        .labels_count = a->all.rows,
    };
    if (own.coarse == LCL_COARSE_AUTO)
        own.coarse = LCL_COARSE_NONE;
    S->type = a->subdomains.type;
    S->weighted = a->subdomains.weighted;
    return lcl_precond_analyse(&S->inner, M->matrix, &own);
}

// Reports the properties of the inner preconditioner, whose rows are the
// caller's.
static void describe(lcl_precond *M)
{
    const struct stages *S = M->op.state;
    const int64_t nnz = M->info.nnz;
    M->info = S->inner->info;
    M->info.nnz = nnz;
    M->info.factors.partition = S->type;
    M->info.factors.weighted = S->weighted;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    struct set_up a = {.norms = NULL};
    enum lcl_status st;
    struct stages *S = M->op.state = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a preconditioner");
    if ((st = prepare(M, &a, params)) == LCL_OK &&
        (st = make_inner(M, &a, params)) == LCL_OK) {
        M->additive = S->inner->additive;
        describe(M);
    }
    set_up_finish(&a);
    return st;
}

// ------------------------------------------------------------------- factors

// Warns about the stages of the first repaired rows.
static void name_stages(const lcl_precond *M)
{
    const struct lcl_precond_info *info = &M->info;
    const int64_t rows = info->rows / M->A->info.stages;
    int64_t last = -1;
    for (int k = 0; k < 8 && k < info->pivots_repaired; ++k) {
        const int64_t stage = info->repaired_rows[k] / rows;
        if (stage != last)
            lcl_warn(lcl_context_log(M->op.range.ctx),
                     "stage %lld: row %lld of a_jj M + tau b_jj L "
                     "has a zero or tiny pivot",
                     (long long)stage + 1,
                     (long long)(info->repaired_rows[k] - stage * rows) + 1);
        last = stage;
    }
}

static enum lcl_status update(lcl_precond *M)
{
    const struct stages *S = M->op.state;
    enum lcl_status st = update_values(M);
    if (st < 0)
        return st;
    st = S->inner->ops->update(S->inner);
    describe(M);
    if (st == LCL_OK || st == LCL_EPIVOT)
        name_stages(M);
    return st;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct stages *S = A->state;
    return lcl_apply(&S->inner->op, mode, v);
}

static void destroy(lcl_operator *A)
{
    struct stages *S = A->state;
    if (!S)
        return;
    lcl_precond_destroy(&S->inner);
    lcl_kron_values_finish(&S->values);
    lcl_free(S);
}

const struct lcl_precond_ops lcl_precond_kron_stages = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_OWN,
    .create = create,
    .update = update,
};
