// SPDX-License-Identifier: BSD-3-Clause
// The linear system as the device sees it.
#include "lib/precond/system.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

static enum lcl_status upload_map(struct lcl_system *S, const int64_t *map)
{
    const struct lcl_log *log = lcl_context_log(S->ctx);
    if (S->nnz > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%lld entries: reordering is limited to 2^32 - 1",
                        (long long)S->nnz);
    uint32_t *narrow = lcl_malloc((size_t)S->nnz, sizeof *narrow);
    if (!narrow)
        return lcl_fail_memory(log, "the map of entries");
    for (int64_t k = 0; k < S->nnz; ++k)
        narrow[k] = (uint32_t)map[k];
    const enum lcl_status st = lcl_buffer_create_from(
        &S->map, S->ctx, narrow, S->nnz, sizeof *narrow, "map of entries");
    lcl_free(narrow);
    return st;
}

static enum lcl_status upload_numbering(struct lcl_system *S,
                                        const int32_t *perm, const int64_t *map)
{
    enum lcl_status st;
    if ((st = upload_map(S, map)) < 0 ||
        (st = lcl_buffer_create_from(&S->perm, S->ctx, perm, S->n, sizeof *perm,
                                     "permutation")) < 0 ||
        (st = lcl_buffer_create(&S->values, S->ctx, S->nnz, sizeof(double),
                                "values")) < 0)
        return st;
    return lcl_buffer_create(&S->vector_in_a, S->ctx, S->n, sizeof(double),
                             "vector");
}

enum lcl_status lcl_system_init(struct lcl_system *S, lcl_context *ctx,
                                const struct lcl_csr *B, const int32_t *perm,
                                const int64_t *map)
{
    static const int32_t zero = 0;
    enum lcl_status st;
    *S = (struct lcl_system){.ctx = ctx, .n = B->rows, .nnz = B->nnz};
    lcl_phase_enter(ctx, LCL_PHASE_UPLOAD);
    if ((st = lcl_vector_ops_init(&S->vector, ctx)) < 0 ||
        (st = lcl_device_csr_init(&S->matrix, ctx, B)) < 0 ||
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

// The values that were uploaded are those in A's order.
enum lcl_status lcl_system_reorder(struct lcl_system *S,
                                   struct lcl_reordered *B)
{
    lcl_buffer *val;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&S->vector_in_a, S->ctx, S->n, sizeof(double),
                                "vector")) < 0 ||
        (st = lcl_buffer_create(&val, S->ctx, S->nnz, sizeof(double),
                                "values")) < 0)
        return st;
    take(&S->perm, &B->perm);
    take(&S->map, &B->map);
    take(&S->matrix.row_ptr, &B->row_ptr);
    take(&S->matrix.col, &B->col);
    S->values = S->matrix.val;
    S->matrix.val = val;
    return lcl_gather(&S->vector, S->nnz, S->map, S->values, S->matrix.val);
}

void lcl_system_finish(struct lcl_system *S)
{
    lcl_buffer_destroy(&S->never);
    lcl_buffer_destroy(&S->vector_in_a);
    lcl_buffer_destroy(&S->values);
    lcl_buffer_destroy(&S->map);
    lcl_buffer_destroy(&S->perm);
    lcl_device_csr_finish(&S->matrix);
}

enum lcl_status lcl_system_update(struct lcl_system *S, const double *val)
{
    const size_t bytes = (size_t)S->nnz * sizeof *val;
    if (!S->perm)
        return lcl_buffer_write(S->matrix.val, val, bytes);
    const enum lcl_status st = lcl_buffer_write(S->values, val, bytes);
    return st < 0 ? st
                  : lcl_gather(&S->vector, S->nnz, S->map, S->values,
                               S->matrix.val);
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
    return S->perm ? lcl_gather(&S->vector, S->n, S->perm, in_a, vector)
                   : lcl_buffer_copy(vector, in_a);
}

enum lcl_status lcl_system_export(const struct lcl_system *S,
                                  const lcl_buffer *vector, lcl_buffer *in_a)
{
    return S->perm ? lcl_scatter(&S->vector, S->n, S->perm, vector, in_a)
                   : lcl_buffer_copy(in_a, vector);
}
