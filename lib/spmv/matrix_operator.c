// SPDX-License-Identifier: BSD-3-Clause
// Operators with a matrix on the device. The product is created at its first
// use, when the numbering is final.
#include "lib/spmv/matrix_operator.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/pairs.h"
#include "lib/operator/judge.h"
#include "lib/spmv/autotune.h"
#include "lib/spmv/caller_entries.h"
#include "lib/spmv/csr_columns.h"
#include "lib/spmv/hec.h"
#include "lib/spmv/transpose_values.h"
#include "lib/storage/values.h"

#include <levelcl/published.h>

#include <string.h>

struct given {
    struct lcl_device_matrix matrix;
    struct lcl_values values;
    enum lcl_spmv_type wanted;
    struct lcl_spmv product;
};

// ------------------------------------------------------------------- product

void lcl_operator_describe(lcl_operator *A)
{
    const struct given *G = A->state;
    const struct lcl_spmv *S = &G->product;
    A->info.spmv = S->ops ? S->type : G->wanted;
    const struct lcl_transposed *T = &A->transposed;
    A->info.bytes =
        lcl_device_matrix_bytes(&G->matrix) + lcl_values_bytes(&G->values) +
        lcl_numbering_bytes(&A->own) + S->bytes + lcl_buffer_bytes(T->map[0]) +
        (T->op ? T->op->info.bytes : 0);
    A->info.traffic = S->traffic;
}

static enum lcl_status study(struct lcl_spmv *S, const lcl_operator *A)
{
    const struct given *G = A->state;
    lcl_context *ctx = A->range.ctx;
    return G->wanted == LCL_SPMV_HEC
               ? lcl_hec_study(S, ctx, &G->matrix, A->hec_width)
               : lcl_spmv_study(S, G->wanted, ctx, &G->matrix);
}

static enum lcl_status make_product(struct lcl_spmv *S, const lcl_operator *A)
{
    const struct given *G = A->state;
    if (G->wanted == LCL_SPMV_DEFAULT)
        return lcl_spmv_autotune(S, A->range.ctx, &G->matrix);
    const enum lcl_status st = study(S, A);
    return st < 0 ? st : lcl_spmv_create(S);
}

static enum lcl_status prepare(lcl_operator *A)
{
    struct given *G = A->state;
    if (G->product.ops)
        return LCL_OK;
    lcl_task_enter(A->range.ctx, LCL_TASK_PRODUCT);
    const enum lcl_status st = make_product(&G->product, A);
    if (G->product.bytes > 0)
        lcl_task_bytes(A->range.ctx,
                       lcl_device_matrix_bytes(&G->matrix) + G->product.bytes);
    lcl_task_leave(A->range.ctx);
    if (st < 0)
        lcl_spmv_finish(&G->product);
    lcl_operator_describe(A);
    return st;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct given *G = A->state;
    const enum lcl_status st = prepare(A);
    return st < 0 ? st : lcl_multiply(&G->product, mode, v);
}

static enum lcl_status judge(lcl_operator *A, const struct lcl_judged *v)
{
    return lcl_judge_matrix(A->range.ctx, A->matrix, v);
}

static enum lcl_status apply_many(lcl_operator *A, const struct lcl_columns *v,
                                  int64_t vectors)
{
    const struct given *G = A->state;
    const enum lcl_status st = prepare(A);
    return st < 0 ? st : lcl_multiply_many(&G->product, v, vectors);
}

static enum lcl_status interleave(lcl_operator *out, lcl_operator *A,
                                  int columns)
{
    return lcl_csr_columns_init(out, A->matrix, columns);
}

// ------------------------------------------------------------------- values

static const struct lcl_operator_ops ops;

static void values_are_new(lcl_operator *A)
{
    A->looked = false;
    ++A->version;
    lcl_operator_describe(A);
}

static enum lcl_status values_changed(lcl_operator *A)
{
    struct given *G = A->state;
    values_are_new(A);
    return lcl_spmv_update(&G->product);
}

enum lcl_status lcl_operator_place_values(lcl_operator *A, lcl_buffer **to)
{
    struct given *G = A->state;
    lcl_buffer **staging;
    const enum lcl_status st =
        lcl_values_staging(&G->values, &G->matrix, &staging);
    *to = *staging;
    return st;
}

enum lcl_status lcl_operator_compare_values(lcl_operator *A, bool *changed)
{
    struct given *G = A->state;
    struct lcl_values *V = &G->values;
    const struct lcl_given_arrays given =
        lcl_given_array(&V->sources, V->staged ? V->staged : V->spare);
    return lcl_values_compare(V, &G->matrix, &given, changed);
}

enum lcl_status lcl_operator_commit_values(lcl_operator *A)
{
    struct given *G = A->state;
    if (!G->values.staged)
        lcl_buffer_swap(&G->matrix.val, &G->values.spare);
    return lcl_operator_commit_staged(A);
}

static enum lcl_status update_if_changed(lcl_operator *A)
{
    bool changed;
    const enum lcl_status st = lcl_operator_compare_values(A, &changed);
    return st < 0 || !changed ? st : lcl_operator_commit_values(A);
}

static enum lcl_status update(lcl_operator *A, const double *val)
{
    const struct given *G = A->state;
    const size_t bytes = (size_t)G->values.entries * sizeof *val;
    lcl_buffer *to;
    enum lcl_status st;
    if ((st = lcl_operator_place_values(A, &to)) < 0 ||
        (st = lcl_buffer_write(to, val, bytes)) < 0)
        return st;
    return update_if_changed(A);
}

static enum lcl_status enqueue_values(struct given *G,
                                      const struct lcl_given_arrays *given)
{
    struct lcl_values *V = &G->values;
    const struct lcl_spmv_ops *product = G->product.ops;
    if (product && product->update_from && !V->sources.of) {
        const struct lcl_new_values val = {given->a, V->map, V->flag};
        return product->update_from(&G->product, &val);
    }
    const enum lcl_status st = lcl_values_write(V, &G->matrix, given);
    return st < 0 ? st : lcl_spmv_update(&G->product);
}

// Enqueues all work before the only wait; restores the old values if the new
// ones are not finite.
static enum lcl_status write_changed(lcl_operator *A,
                                     const struct lcl_given_arrays *given)
{
    struct given *G = A->state;
    lcl_buffer **other;
    bool bad;
    enum lcl_status st;
    if ((st = lcl_values_begin(&G->values, &G->matrix, &other)) < 0)
        return st;
    lcl_buffer_swap(&G->matrix.val, other);
    if ((st = enqueue_values(G, given)) == LCL_OK)
        st = lcl_values_end(&G->values, &bad);
    if (st == LCL_OK && !bad) {
        values_are_new(A);
        return LCL_OK;
    }
    lcl_buffer_swap(&G->matrix.val, other);
    if (st < 0 || (st = lcl_spmv_update(&G->product)) < 0)
        return st;
    return LCL_EFORMAT;
}

static enum lcl_status update_values(lcl_operator *A,
                                     const struct lcl_given_arrays *given)
{
    struct given *G = A->state;
    bool changed;
    const enum lcl_status st =
        lcl_values_compare(&G->values, &G->matrix, given, &changed);
    return st < 0 || !changed ? st : write_changed(A, given);
}

static enum lcl_status update_buffer(lcl_operator *A, const lcl_buffer *val)
{
    const struct given *G = A->state;
    const struct lcl_given_arrays given =
        lcl_given_array(&G->values.sources, val);
    return update_values(A, &given);
}

const int64_t *lcl_operator_parts(const lcl_operator *A)
{
    const struct given *G = A->ops == &ops ? A->state : NULL;
    return G && G->values.part[0] > 0 ? G->values.part : NULL;
}

enum lcl_status lcl_operator_update_parts(lcl_operator *A,
                                          const double *const *val)
{
    const struct given *G = A->state;
    lcl_buffer *to;
    enum lcl_status st;
    if ((st = lcl_operator_place_values(A, &to)) < 0 ||
        (st = lcl_values_write_parts(&G->values, to, val)) < 0)
        return st;
    return update_if_changed(A);
}

enum lcl_status lcl_operator_update_part_buffers(lcl_operator *A,
                                                 lcl_buffer *const *val)
{
    const struct given *G = A->state;
    const int64_t *part = G->values.part;
    const struct lcl_given_arrays given = {
        .second = part[0],
        .third = part[0] + part[1],
        .a = val[0],
        .b = val[1] ? val[1] : val[0],
        .c = val[2] ? val[2] : val[0],
    };
    return update_values(A, &given);
}

enum lcl_status lcl_operator_entries(struct lcl_csr *out, const lcl_operator *A)
{
    const struct given *G = A->state;
    return lcl_caller_entries(out, A, &G->values);
}

lcl_buffer *lcl_operator_staging(const lcl_operator *A)
{
    const struct given *G = A->state;
    return G->values.staged ? G->values.staged : G->matrix.val;
}

enum lcl_status lcl_operator_commit_staged(lcl_operator *A)
{
    struct given *G = A->state;
    const enum lcl_status st = lcl_values_gather(&G->values, &G->matrix);
    return st < 0 ? st : values_changed(A);
}

static void destroy(lcl_operator *A)
{
    struct given *G = A->state;
    if (!G)
        return;
    lcl_spmv_finish(&G->product);
    lcl_values_finish(&G->values);
    lcl_device_matrix_finish(&G->matrix);
    lcl_free(G);
}

// ------------------------------------------------------------------ transpose

static enum lcl_status transpose_values(const lcl_operator *A)
{
    const struct lcl_transposed *T = &A->transposed;
    const enum lcl_status st = lcl_transposed_fill(
        T, 0, A->range.ctx, A->matrix, lcl_operator_staging(T->op));
    return st < 0 ? st : lcl_operator_commit_staged(T->op);
}

static enum lcl_status transpose(lcl_operator *A)
{
    static const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    const int64_t size = (int64_t)A->matrix->block * A->matrix->block;
    struct lcl_transposed *T = &A->transposed;
    lcl_context *ctx = A->range.ctx;
    struct lcl_blocked B = {.entries = A->matrix->blocks * size};
    enum lcl_status st;
    if ((st = lcl_transposed_kernel(T, ctx, A->matrix->block, 1)) == LCL_OK &&
        (st = lcl_transposed_pattern(&B.A, &T->map[0], ctx, A->matrix)) ==
            LCL_OK &&
        (st = lcl_buffer_create(&B.A.val, ctx, B.entries, sizeof(double),
                                "values")) == LCL_OK &&
        (st = lcl_transposed_fill(T, 0, ctx, A->matrix, B.A.val)) == LCL_OK)
        st = lcl_matrix_operator_create(&T->op, ctx, &B, &params);
    lcl_blocked_finish(&B);
    if (st == LCL_OK)
        lcl_operator_describe(A);
    return st;
}

// ------------------------------------------------------------------- creation

static const struct lcl_operator_ops ops = {
    .prepare = prepare,
    .apply = apply,
    .judge = judge,
    .apply_many = apply_many,
    .interleave = interleave,
    .update = update,
    .update_buffer = update_buffer,
    .transpose = transpose,
    .transpose_values = transpose_values,
    .destroy = destroy,
};

// Checks early that the type of product suits the matrix.
static enum lcl_status check_type(lcl_operator *A)
{
    const struct given *G = A->state;
    struct lcl_spmv S;
    if (G->wanted == LCL_SPMV_DEFAULT)
        return LCL_OK;
    const enum lcl_status st = study(&S, A);
    lcl_spmv_finish(&S);
    return st;
}

static enum lcl_status adopt_matrix(lcl_operator *A, struct lcl_blocked *B,
                                    const struct lcl_operator_params *params)
{
    struct given *G = A->state = lcl_calloc(1, sizeof *G);
    lcl_context *ctx = A->range.ctx;
    if (!G)
        return lcl_fail_memory(lcl_context_log(ctx), "an operator");
    G->wanted = params->spmv;
    A->hec_width = params->hec_width;
    lcl_values_init(&G->values, ctx, B);
    G->matrix = B->A;
    B->A = (struct lcl_device_matrix){.row_ptr = NULL};
    return check_type(A);
}

enum lcl_status lcl_matrix_operator_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_blocked *B,
    const struct lcl_operator_params *params)
{
    const int b = B->A.block;
    enum lcl_status st =
        lcl_operator_allocate(out, ctx, &ops, B->A.n, B->A.block_cols * b, b);
    if (st < 0)
        return st;
    if ((st = adopt_matrix(*out, B, params)) < 0) {
        lcl_operator_destroy(out);
        return st;
    }
    lcl_operator *A = *out;
    A->modes = LCL_MODE_BIT(LCL_PRODUCT_MODES) - 1;
    A->matrix = &((struct given *)A->state)->matrix;
    A->detected = B->detected;
    A->info.nnz = B->entries;
    A->info.is_complex = B->is_complex;
    lcl_operator_describe(A);
    return LCL_OK;
}

// Creates the operator if st is LCL_OK; finishes B in any case.
static enum lcl_status create_from(lcl_operator **out, lcl_context *ctx,
                                   struct lcl_blocked *B, enum lcl_status st,
                                   const struct lcl_operator_params *params)
{
    *out = NULL;
    if (st == LCL_OK)
        st = lcl_matrix_operator_create(out, ctx, B, params);
    lcl_blocked_finish(B);
    return st;
}

enum lcl_status lcl_operator_create(lcl_operator **out, lcl_context *ctx,
                                    const struct lcl_csr *A,
                                    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    enum lcl_status st =
        lcl_operator_begin(out, ctx, A, "lcl_operator_create", &params);
    if (st < 0)
        return st;
    st = lcl_blocked_from_csr(&B, ctx, A, lcl_entries_block_size(params));
    if (st == LCL_OK && params->is_complex) {
        B.is_complex = true;
        st = lcl_csr_check_pairs(A, lcl_context_log(ctx));
    }
    return create_from(out, ctx, &B, st, params);
}

enum lcl_status lcl_matrix_operator_create_own(
    lcl_operator **out, lcl_context *ctx, const struct lcl_own_entries *A,
    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    const enum lcl_status st =
        lcl_blocked_from_own(&B, ctx, A, lcl_entries_block_size(params));
    return create_from(out, ctx, &B, st, params);
}

enum lcl_status lcl_matrix_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    const enum lcl_status st =
        lcl_blocked_from_bsr(&B, ctx, A, params->block_size);
    return create_from(out, ctx, &B, st, params);
}

enum lcl_status lcl_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params)
{
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, A, "lcl_operator_create_bsr",
                                 &params)) < 0 ||
        (st = lcl_bsr_check(A, lcl_context_log(ctx))) < 0)
        return st;
    return lcl_matrix_operator_create_bsr(out, ctx, A, params);
}

// ------------------------------------------------------------------- numbering

static void move_buffer(lcl_buffer **to, lcl_buffer **from)
{
    lcl_buffer_destroy(to);
    *to = *from;
    *from = NULL;
}

enum lcl_status lcl_operator_renumber(lcl_operator *A, struct lcl_reordered *B)
{
    struct given *G = A->state;
    struct lcl_numbering next;
    enum lcl_status st;
    lcl_numbering_init(&next, A->range.ctx, A->own.n, A->own.block);
    if ((st = lcl_numbering_adopt(&next, &B->perm)) < 0 ||
        (st = lcl_values_reorder(&G->values, &G->matrix, &B->map)) < 0) {
        lcl_numbering_finish(&next);
        return st;
    }
    A->own = next;
    ++A->renumbered;
    move_buffer(&G->matrix.row_ptr, &B->row_ptr);
    move_buffer(&G->matrix.col, &B->col);
    lcl_spmv_finish(&G->product);
    lcl_operator_describe(A);
    return LCL_OK;
}

// ------------------------------------------------------------------- copies

enum lcl_status lcl_operator_download(const lcl_operator *A,
                                      struct lcl_bsr *out, bool values)
{
    const enum lcl_status st = lcl_device_matrix_read(
        out, A->matrix, values, lcl_context_log(A->range.ctx));
    if (st < 0)
        lcl_bsr_finish(out);
    return st;
}

// The pattern of A's blocks in the caller's numbering; map[k] is the block of A
// at place k. lcl_csr_reorder() also moves values, which are unused here.
static enum lcl_status original_pattern(struct lcl_csr *pattern, int64_t **map,
                                        const lcl_operator *A,
                                        const struct lcl_bsr *B)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const size_t n = (size_t)B->rows;
    const struct lcl_csr now = lcl_bsr_pattern(B);
    int32_t *perm = lcl_malloc(n, sizeof *perm);
    int32_t *inverse = lcl_malloc(n, sizeof *inverse);
    enum lcl_status st;
    if (!perm || !inverse)
        st = lcl_fail_memory(log, "a permutation");
    else if ((st = lcl_buffer_read(A->own.perm, perm, n * sizeof *perm)) ==
             LCL_OK) {
        lcl_permutation_invert(inverse, perm, B->rows);
        st = lcl_csr_reorder(pattern, map, &now, inverse, log);
    }
    lcl_free(inverse);
    lcl_free(perm);
    return st;
}

static enum lcl_status copy_numbers(int64_t **map, int64_t count,
                                    const struct lcl_log *log)
{
    *map = lcl_malloc((size_t)count, sizeof **map);
    if (!*map)
        return lcl_fail_memory(log, "the map of entries");
    for (int64_t k = 0; k < count; ++k)
        (*map)[k] = k;
    return LCL_OK;
}

// Replaces B by A's matrix in the caller's numbering.
static enum lcl_status restore_order(struct lcl_bsr *B, int64_t **map,
                                     const lcl_operator *A)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const size_t size = (size_t)lcl_block_values(B) * sizeof *B->val;
    struct lcl_csr pattern;
    enum lcl_status st;
    if (!A->own.perm)
        return copy_numbers(map, B->nnz, log);
    double *val = lcl_malloc((size_t)B->nnz, size);
    if (!val)
        return lcl_fail_memory(log, "a copy of the matrix");
    if ((st = original_pattern(&pattern, map, A, B)) < 0) {
        lcl_free(val);
        return st;
    }
    for (int64_t k = 0; k < B->nnz; ++k)
        memcpy((char *)val + (size_t)k * size,
               (const char *)B->val + (size_t)(*map)[k] * size, size);
    struct lcl_bsr old = *B;
    B->row_ptr = pattern.row_ptr;
    B->col_ind = pattern.col_ind;
    B->val = val;
    lcl_free(pattern.val);
    lcl_bsr_finish(&old);
    return LCL_OK;
}

enum lcl_status lcl_operator_copy(lcl_operator **out, lcl_buffer **map,
                                  const lcl_operator *A)
{
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .hec_width = A->hec_width};
    lcl_context *ctx = A->range.ctx;
    struct lcl_bsr B;
    int64_t *from = NULL;
    enum lcl_status st;
    *out = NULL;
    *map = NULL;
    if ((st = lcl_operator_download(A, &B, true)) < 0)
        return st;
    if ((st = restore_order(&B, &from, A)) == LCL_OK &&
        (st = lcl_matrix_operator_create_bsr(out, ctx, &B, &params)) ==
            LCL_OK &&
        (st = lcl_buffer_create_narrow(map, ctx, from, B.nnz,
                                       "map of entries")) < 0)
        lcl_operator_destroy(out);
    lcl_free(from);
    lcl_bsr_finish(&B);
    return st;
}

enum lcl_status lcl_operator_restore(lcl_operator *A)
{
    struct given *G = A->state;
    struct lcl_device_matrix first;
    struct lcl_bsr B;
    int64_t *map = NULL;
    enum lcl_status st;
    if (!A->own.perm)
        return LCL_OK;
    if ((st = lcl_operator_download(A, &B, true)) < 0)
        return st;
    if ((st = restore_order(&B, &map, A)) == LCL_OK &&
        (st = lcl_device_matrix_init(&first, A->range.ctx, &B)) == LCL_OK) {
        st = lcl_values_restore(&G->values, &first, map);
        if (st < 0)
            lcl_device_matrix_finish(&first);
    }
    lcl_free(map);
    lcl_bsr_finish(&B);
    if (st < 0)
        return st;
    lcl_spmv_finish(&G->product);
    lcl_device_matrix_finish(&G->matrix);
    G->matrix = first;
    lcl_numbering_finish(&A->own);
    lcl_numbering_init(&A->own, A->range.ctx, A->range.n, first.block);
    ++A->renumbered;
    lcl_operator_describe(A);
    return LCL_OK;
}
