// SPDX-License-Identifier: BSD-3-Clause
// Matrices in device buffers of the caller.
#include "lib/storage/device_csr.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name, bool wide)
{
    const struct lcl_spec spec = {
        .source = "check_csr.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = wide,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

// ------------------------------------------------------------------- check

static enum lcl_status check_size(const lcl_buffer *buffer, int64_t count,
                                  size_t size, const char *what,
                                  const struct lcl_log *log)
{
    const size_t bytes = lcl_buffer_bytes(buffer);
    if (lcl_buffer_fits(count, size, bytes))
        return LCL_OK;
    return lcl_fail(log, LCL_EINVAL,
                    "buffer %s has %zu bytes, expected at least %lld elements "
                    "of %zu bytes",
                    what, bytes, (long long)count, size);
}

static enum lcl_status check_sizes(const struct lcl_device_csr *A,
                                   const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = check_size(A->row_ptr, A->rows + 1, sizeof(int64_t), "row_ptr",
                         log)) < 0 ||
        (st = check_size(A->col_ind, A->nnz, sizeof(int32_t), "col_ind", log)) <
            0)
        return st;
    return check_size(A->val, A->nnz, sizeof(double), "val", log);
}

// A matrix without entries may lack columns and values: passes an array that
// the kernel does not read.
static enum lcl_status launch_check(const struct lcl_device_csr *A,
                                    lcl_context *ctx, lcl_buffer *bad)
{
    const lcl_buffer *col = A->nnz > 0 ? A->col_ind : A->row_ptr;
    const lcl_buffer *val = A->nnz > 0 ? A->val : A->row_ptr;
    const int shift = lcl_row_shift(ctx, A->nnz / A->rows);
    const int groups = lcl_vector_groups(lcl_context_caps(ctx));
    lcl_kernel *kernel;
    const enum lcl_status st =
        get_kernel(&kernel, ctx, "check_csr", !A->narrow);
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, groups, lcl_arg_long(A->rows),
                               lcl_arg_long(A->cols), lcl_arg_long(A->nnz),
                               lcl_arg_int(shift), lcl_arg_buffer(A->row_ptr),
                               lcl_arg_buffer(col), lcl_arg_buffer(val),
                               lcl_arg_buffer(bad));
}

enum lcl_status lcl_device_csr_inspect(bool *sound,
                                       const struct lcl_device_csr *A,
                                       lcl_context *ctx)
{
    lcl_buffer *bad;
    int32_t word = 0;
    *sound = false;
    enum lcl_status st =
        lcl_buffer_create_from(&bad, ctx, &word, 1, sizeof word, "a flag");
    if (st < 0)
        return st;
    if ((st = launch_check(A, ctx, bad)) == LCL_OK)
        st = lcl_buffer_read(bad, &word, sizeof word);
    lcl_buffer_destroy(&bad);
    *sound = st == LCL_OK && word == 0;
    return st;
}

// Reads `count` elements through a copy: the host may have no access to buffers
// of the caller.
static enum lcl_status download_array(void *data, lcl_context *ctx,
                                      const lcl_buffer *from, int64_t count,
                                      size_t size)
{
    lcl_buffer *copy;
    enum lcl_status st;
    if (count == 0)
        return LCL_OK;
    if ((st = lcl_buffer_create(&copy, ctx, count, size,
                                "a copy of the matrix")) < 0)
        return st;
    if ((st = lcl_buffer_copy(copy, from)) == LCL_OK)
        st = lcl_buffer_read(copy, data, (size_t)count * size);
    lcl_buffer_destroy(&copy);
    return st;
}

static enum lcl_status download(struct lcl_csr *H, lcl_context *ctx,
                                const struct lcl_device_csr *A)
{
    const size_t n = (size_t)A->rows + 1, nnz = (size_t)A->nnz;
    enum lcl_status st;
    *H = (struct lcl_csr){
        .rows = A->rows,
        .cols = A->cols,
        .nnz = A->nnz,
        .row_ptr = lcl_malloc(n, sizeof *H->row_ptr),
        .col_ind = lcl_malloc(nnz, sizeof *H->col_ind),
        .val = lcl_malloc(nnz, sizeof *H->val),
    };
    if (!H->row_ptr || !H->col_ind || !H->val)
        return lcl_fail_memory(lcl_context_log(ctx), "a copy of the matrix");
    if ((st = download_array(H->row_ptr, ctx, A->row_ptr, A->rows + 1,
                             sizeof *H->row_ptr)) < 0 ||
        (st = download_array(H->col_ind, ctx, A->col_ind, A->nnz,
                             sizeof *H->col_ind)) < 0)
        return st;
    return download_array(H->val, ctx, A->val, A->nnz, sizeof *H->val);
}

// Finds the first offending row on the host and names it.
static enum lcl_status name_fault(const struct lcl_device_csr *A,
                                  lcl_context *ctx)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr H;
    enum lcl_status st = download(&H, ctx, A);
    if (st == LCL_OK && (st = lcl_csr_check(&H, log)) == LCL_OK)
        st = lcl_fail(log, LCL_EFORMAT,
                      "the buffers of the matrix changed during the check");
    lcl_csr_finish(&H);
    return st;
}

enum lcl_status lcl_device_csr_check(const struct lcl_device_csr *A,
                                     lcl_context *ctx)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_csr counts = {
        .rows = A->rows, .cols = A->cols, .nnz = A->nnz};
    bool sound;
    enum lcl_status st;
    if ((st = lcl_csr_check_counts(&counts, "matrix", log)) < 0 ||
        (st = check_sizes(A, log)) < 0 ||
        (st = lcl_device_csr_inspect(&sound, A, ctx)) < 0)
        return st;
    return sound ? LCL_OK : name_fault(A, ctx);
}

// ------------------------------------------------------------------- copy

static enum lcl_status copy_row_ptr(struct lcl_device_matrix *D,
                                    lcl_context *ctx,
                                    const struct lcl_device_csr *A)
{
    lcl_kernel *kernel;
    if (D->wide)
        return lcl_buffer_copy(D->row_ptr, A->row_ptr);
    const enum lcl_status st = get_kernel(&kernel, ctx, "narrow", true);
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, D->groups, lcl_arg_long(A->rows),
                               lcl_arg_buffer(A->row_ptr),
                               lcl_arg_buffer(D->row_ptr));
}

static enum lcl_status copy_entries(struct lcl_device_matrix *D,
                                    const struct lcl_device_csr *A)
{
    if (A->nnz == 0)
        return LCL_OK;
    const enum lcl_status st = lcl_buffer_copy(D->col, A->col_ind);
    return st < 0 ? st : lcl_buffer_copy(D->val, A->val);
}

enum lcl_status lcl_device_csr_copy(struct lcl_device_matrix *D,
                                    lcl_context *ctx,
                                    const struct lcl_device_csr *A)
{
    const struct lcl_bsr shape = {
        .rows = A->rows, .cols = A->cols, .nnz = A->nnz, .block_size = 1};
    enum lcl_status st;
    *D = lcl_device_matrix_shape(&shape);
    D->groups = lcl_vector_groups(lcl_context_caps(ctx));
    const struct lcl_buffer_plan all[] = {
        {&D->row_ptr, A->rows + 1,
         D->wide ? sizeof(uint64_t) : sizeof(uint32_t), "row pointers"},
        {&D->col, A->nnz, sizeof(int32_t), "columns"},
        {&D->val, A->nnz, sizeof(double), "values"},
    };
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = copy_row_ptr(D, ctx, A)) < 0 || (st = copy_entries(D, A)) < 0)
        lcl_device_matrix_finish(D);
    return st;
}
