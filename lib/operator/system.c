// SPDX-License-Identifier: BSD-3-Clause
// The linear system on the device.
#include "lib/operator/system.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/operator/choose.h"

static enum lcl_status upload_numbering(struct lcl_system *S,
                                        const int32_t *perm, const int64_t *map)
{
    const struct lcl_device_matrix *A = &S->matrix;
    enum lcl_status st;
    if (A->wide)
        return lcl_refuse_wide(A->blocks, "reordering takes",
                               lcl_context_log(S->ctx));
    if ((st = lcl_vector_ops_init(&S->vector, S->ctx, A->block)) < 0 ||
        (st = lcl_vector_ops_init(&S->value, S->ctx, A->block * A->block)) <
            0 ||
        (st = lcl_buffer_create_narrow(&S->map, S->ctx, map, A->blocks,
                                       "map of entries")) < 0 ||
        (st = lcl_buffer_create_from(&S->perm, S->ctx, perm, A->block_rows,
                                     sizeof *perm, "permutation")) < 0 ||
        (st = lcl_buffer_create(&S->values, S->ctx, S->entries, sizeof(double),
                                "values")) < 0)
        return st;
    return lcl_buffer_create(&S->vector_in_a, S->ctx, S->n, sizeof(double),
                             "vector");
}

enum lcl_status lcl_system_init(struct lcl_system *S, lcl_context *ctx,
                                const struct lcl_bsr *B, const int32_t *perm,
                                const int64_t *map)
{
    static const int32_t zero = 0;
    enum lcl_status st;
    *S = (struct lcl_system){.ctx = ctx,
                             .n = B->rows * B->block_size,
                             .entries = B->nnz * lcl_block_values(B)};
    lcl_phase_enter(ctx, LCL_PHASE_UPLOAD);
    if ((st = lcl_device_matrix_init(&S->matrix, ctx, B)) < 0 ||
        (st = lcl_buffer_create_from(&S->never, ctx, &zero, 1, sizeof zero,
                                     "stop flag")) < 0 ||
        (perm && (st = upload_numbering(S, perm, map)) < 0))
        lcl_system_finish(S);
    lcl_phase_leave(ctx);
    return st;
}

static void take(lcl_buffer **to, lcl_buffer **from)
{
    lcl_buffer_destroy(to);
    *to = *from;
    *from = NULL;
}

// The uploaded values are in A's order.
enum lcl_status lcl_system_reorder(struct lcl_system *S,
                                   struct lcl_reordered *B)
{
    struct lcl_device_matrix *A = &S->matrix;
    lcl_buffer *val;
    enum lcl_status st;
    if ((st = lcl_vector_ops_init(&S->vector, S->ctx, A->block)) < 0 ||
        (st = lcl_vector_ops_init(&S->value, S->ctx, A->block * A->block)) <
            0 ||
        (st = lcl_buffer_create(&S->vector_in_a, S->ctx, S->n, sizeof(double),
                                "vector")) < 0 ||
        (st = lcl_buffer_create(&val, S->ctx, S->entries, sizeof(double),
                                "values")) < 0)
        return st;
    take(&S->perm, &B->perm);
    take(&S->map, &B->map);
    take(&A->row_ptr, &B->row_ptr);
    take(&A->col, &B->col);
    S->values = A->val;
    A->val = val;
    return lcl_gather(&S->value, A->blocks, S->map, S->values, A->val);
}

// to[k] = position of A's value place[k] in the reordered matrix.
static enum lcl_status reorder_places(const struct lcl_system *S, int64_t *to,
                                      const int64_t *place)
{
    const size_t blocks = (size_t)S->matrix.blocks;
    const int64_t size = (int64_t)S->matrix.block * S->matrix.block;
    uint32_t *map = lcl_malloc(blocks, sizeof *map);
    uint32_t *inverse = lcl_malloc(blocks, sizeof *inverse);
    enum lcl_status st;
    if (!map || !inverse) {
        st = lcl_fail_memory(lcl_context_log(S->ctx), "the map of entries");
        goto out;
    }
    if ((st = lcl_buffer_read(S->map, map, blocks * sizeof *map)) < 0)
        goto out;
    for (size_t k = 0; k < blocks; ++k)
        inverse[map[k]] = (uint32_t)k;
    for (int64_t k = 0; k < S->entries; ++k)
        to[k] = inverse[place[k] / size] * size + place[k] % size;
out:
    lcl_free(map);
    lcl_free(inverse);
    return st;
}

// Uploads `place` composed with the map, which is then no longer needed.
static enum lcl_status upload_places(struct lcl_system *S, const int64_t *place)
{
    enum lcl_status st;
    if (!S->map)
        return lcl_buffer_create_narrow(&S->place, S->ctx, place, S->entries,
                                        "map of entries");
    int64_t *to = lcl_malloc((size_t)S->entries, sizeof *to);
    if (!to)
        return lcl_fail_memory(lcl_context_log(S->ctx), "the map of entries");
    if ((st = reorder_places(S, to, place)) == LCL_OK)
        st = lcl_buffer_create_narrow(&S->place, S->ctx, to, S->entries,
                                      "map of entries");
    lcl_buffer_destroy(&S->map);
    lcl_free(to);
    return st;
}

enum lcl_status lcl_system_take_entries(struct lcl_system *S,
                                        const int64_t *place, int64_t entries)
{
    enum lcl_status st;
    if (!place)
        return LCL_OK;
    if (S->entries > UINT32_MAX)
        return lcl_fail(lcl_context_log(S->ctx), LCL_ERANGE,
                        "%lld values in blocks: at most 2^32 - 1 fit",
                        (long long)S->entries);
    S->entries = entries;
    lcl_phase_enter(S->ctx, LCL_PHASE_UPLOAD);
    lcl_buffer_destroy(&S->values);
    if ((st = lcl_vector_ops_init(&S->value, S->ctx, 1)) == LCL_OK &&
        (st = lcl_buffer_create(&S->values, S->ctx, entries, sizeof(double),
                                "values")) == LCL_OK)
        st = upload_places(S, place);
    lcl_phase_leave(S->ctx);
    return st;
}

enum lcl_status lcl_system_make_product(struct lcl_system *S,
                                        enum lcl_spmv_type type)
{
    return lcl_spmv_init(&S->product, type, S->ctx, &S->matrix);
}

void lcl_system_finish(struct lcl_system *S)
{
    lcl_spmv_finish(&S->product);
    lcl_buffer_destroy(&S->values);
    lcl_buffer_destroy(&S->place);
    lcl_buffer_destroy(&S->map);
    lcl_buffer_destroy(&S->vector_in_a);
    lcl_buffer_destroy(&S->perm);
    lcl_buffer_destroy(&S->never);
    lcl_device_matrix_finish(&S->matrix);
}

static enum lcl_status update_matrix(struct lcl_system *S, const double *val)
{
    const size_t bytes = (size_t)S->entries * sizeof *val;
    const struct lcl_device_matrix *A = &S->matrix;
    S->symmetry_known = false;
    if (!S->values)
        return lcl_buffer_write(A->val, val, bytes);
    const enum lcl_status st = lcl_buffer_write(S->values, val, bytes);
    if (st < 0)
        return st;
    return S->place
               ? lcl_scatter(&S->value, S->entries, S->place, S->values, A->val)
               : lcl_gather(&S->value, A->blocks, S->map, S->values, A->val);
}

enum lcl_status lcl_system_update(struct lcl_system *S, const double *val)
{
    const enum lcl_status st = update_matrix(S, val);
    return st < 0 ? st : lcl_spmv_update(&S->product);
}

enum lcl_status lcl_system_put(const struct lcl_system *S, const double *host,
                               lcl_buffer *vector)
{
    const size_t bytes = (size_t)S->n * sizeof *host;
    if (!S->perm)
        return lcl_buffer_write(vector, host, bytes);
    const enum lcl_status st = lcl_buffer_write(S->vector_in_a, host, bytes);
    return st < 0 ? st : lcl_system_import(S, S->vector_in_a, vector);
}

enum lcl_status lcl_system_get(const struct lcl_system *S,
                               const lcl_buffer *vector, double *host)
{
    const size_t bytes = (size_t)S->n * sizeof *host;
    if (!S->perm)
        return lcl_buffer_read(vector, host, bytes);
    const enum lcl_status st = lcl_system_export(S, vector, S->vector_in_a);
    return st < 0 ? st : lcl_buffer_read(S->vector_in_a, host, bytes);
}

enum lcl_status lcl_system_import(const struct lcl_system *S,
                                  const lcl_buffer *in_a, lcl_buffer *vector)
{
    return S->perm ? lcl_gather(&S->vector, S->matrix.block_rows, S->perm, in_a,
                                vector)
                   : lcl_buffer_copy(vector, in_a);
}

enum lcl_status lcl_system_export(const struct lcl_system *S,
                                  const lcl_buffer *vector, lcl_buffer *in_a)
{
    return S->perm ? lcl_scatter(&S->vector, S->matrix.block_rows, S->perm,
                                 vector, in_a)
                   : lcl_buffer_copy(in_a, vector);
}
