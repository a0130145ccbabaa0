// SPDX-License-Identifier: BSD-3-Clause
// Operators from matrices in OpenCL buffers of the caller, and new values.
#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/spmv/matrix_operator.h"
#include "lib/storage/device_csr.h"

#include <levelcl/opencl.h>

static enum lcl_status take(lcl_buffer **out, lcl_context *ctx,
                            const struct lcl_array_cl *array, int64_t count,
                            size_t size, const char *what)
{
    return array->mem ? lcl_array_take(out, ctx, array, count, size, what)
                      : LCL_OK;
}

static enum lcl_status take_all(struct lcl_device_csr *D, lcl_context *ctx,
                                const struct lcl_csr_cl *A)
{
    const struct lcl_csr counts = {
        .rows = A->rows, .cols = A->cols, .nnz = A->nnz};
    enum lcl_status st;
    *D = (struct lcl_device_csr){
        .rows = A->rows, .cols = A->cols, .nnz = A->nnz};
    if ((st = lcl_csr_check_counts(&counts, "matrix", lcl_context_log(ctx))) <
            0 ||
        (st = take(&D->row_ptr, ctx, &A->row_ptr, A->rows + 1, sizeof(int64_t),
                   "row_ptr")) < 0 ||
        (st = take(&D->col_ind, ctx, &A->col_ind, A->nnz, sizeof(int32_t),
                   "col_ind")) < 0)
        return st;
    return take(&D->val, ctx, &A->val, A->nnz, sizeof(double), "val");
}

static enum lcl_status create(lcl_operator **out, lcl_context *ctx,
                              const struct lcl_device_csr *A,
                              const struct lcl_operator_params *params)
{
    const int block = lcl_entries_block_size(params);
    struct lcl_blocked B = {.entries = A->nnz};
    enum lcl_status st;
    if ((st = lcl_device_csr_check(A, ctx)) < 0 ||
        (block > 1 && (st = lcl_block_size_check(A->rows, A->cols, block,
                                                 lcl_context_log(ctx))) < 0))
        return st;
    if ((st = lcl_device_csr_copy(&B.A, ctx, A)) == LCL_OK &&
        (st = lcl_blocked_convert(&B, ctx, block)) == LCL_OK &&
        (st = lcl_context_wait(ctx)) == LCL_OK)
        st = lcl_matrix_operator_create(out, ctx, &B, params);
    lcl_blocked_finish(&B);
    return st;
}

enum lcl_status lcl_operator_create_cl(lcl_operator **out, lcl_context *ctx,
                                       const struct lcl_csr_cl *A,
                                       const struct lcl_operator_params *params,
                                       const struct lcl_events_cl *events)
{
    struct lcl_device_csr D;
    events = lcl_events_begin(events);
    enum lcl_status st =
        lcl_operator_begin(out, ctx, A, "lcl_operator_create_cl", &params);
    if (st < 0)
        return st;
    if (!A->row_ptr.mem || (A->nnz > 0 && (!A->col_ind.mem || !A->val.mem)))
        return lcl_misuse(lcl_context_log(ctx), "matrix: a buffer is NULL");
    if ((st = lcl_events_enter(ctx, events)) < 0)
        return st;
    if ((st = take_all(&D, ctx, A)) == LCL_OK &&
        (st = create(out, ctx, &D, params)) == LCL_OK &&
        (st = lcl_events_mark(ctx, events->done)) < 0)
        lcl_operator_destroy(out);
    lcl_buffer_destroy(&D.row_ptr);
    lcl_buffer_destroy(&D.col_ind);
    lcl_buffer_destroy(&D.val);
    return st;
}

static enum lcl_status update_values(lcl_operator *A,
                                     const struct lcl_array_cl *val)
{
    lcl_context *ctx = A->range.ctx;
    lcl_buffer *wrapped;
    enum lcl_status st = lcl_array_wrap(&wrapped, ctx, val, A->info.nnz,
                                        sizeof(double), LCL_ACCESS_READ, "val");
    if (st == LCL_OK && A->info.nnz > 0)
        st = A->ops->update_buffer(A, wrapped);
    lcl_buffer_destroy(&wrapped);
    return st == LCL_EFORMAT ? lcl_operator_refuse_values(A) : st;
}

enum lcl_status lcl_operator_update_cl(lcl_operator *A,
                                       const struct lcl_array_cl *val,
                                       const struct lcl_events_cl *events)
{
    static const char name[] = "lcl_operator_update_cl";
    lcl_context *ctx = A ? A->range.ctx : NULL;
    enum lcl_status st;
    events = lcl_events_begin(events);
    if (!A || lcl_array_is_missing(val))
        return lcl_misuse(ctx ? lcl_context_log(ctx) : NULL,
                          "%s: an argument is NULL", name);
    if (!A->ops->update_buffer)
        return lcl_misuse(lcl_context_log(ctx),
                          "%s: the operator has no matrix on one device", name);
    if ((st = lcl_context_expect_free(ctx, name)) < 0 ||
        (st = lcl_events_enter(ctx, events)) < 0 ||
        (st = update_values(A, val)) < 0)
        return st;
    return lcl_events_mark(ctx, events->done);
}
