// SPDX-License-Identifier: BSD-3-Clause
// A matrix on the device.
#include "lib/storage/matrix.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"

static enum lcl_status upload_row_ptr(struct lcl_device_matrix *D,
                                      lcl_context *ctx, const struct lcl_bsr *A)
{
    const char *what = "row pointers";
    if (D->wide)
        return lcl_buffer_create_from(&D->row_ptr, ctx, A->row_ptr, A->rows + 1,
                                      sizeof(int64_t), what);
    return lcl_buffer_create_narrow(&D->row_ptr, ctx, A->row_ptr, A->rows + 1,
                                    what);
}

struct lcl_device_matrix lcl_device_matrix_shape(const struct lcl_bsr *A)
{
    return (struct lcl_device_matrix){
        .n = A->rows * A->block_size,
        .block = A->block_size,
        .block_rows = A->rows,
        .block_cols = A->cols,
        .blocks = A->nnz,
        .wide = lcl_needs_wide(A->nnz),
    };
}

enum lcl_status lcl_device_pattern_init(struct lcl_device_matrix *D,
                                        lcl_context *ctx,
                                        const struct lcl_bsr *A)
{
    enum lcl_status st;
    *D = lcl_device_matrix_shape(A);
    D->groups = lcl_vector_groups(lcl_context_caps(ctx));
    if ((st = upload_row_ptr(D, ctx, A)) < 0 ||
        (st = lcl_buffer_create_from(&D->col, ctx, A->col_ind, A->nnz,
                                     sizeof(int32_t), "columns")) < 0)
        lcl_device_matrix_finish(D);
    return st;
}

enum lcl_status lcl_device_matrix_init(struct lcl_device_matrix *D,
                                       lcl_context *ctx,
                                       const struct lcl_bsr *A)
{
    enum lcl_status st = lcl_device_pattern_init(D, ctx, A);
    if (st == LCL_OK && (st = lcl_buffer_create_from(
                             &D->val, ctx, A->val, A->nnz * lcl_block_values(A),
                             sizeof(double), "values")) < 0)
        lcl_device_matrix_finish(D);
    return st;
}

enum lcl_status lcl_device_pattern_copy(struct lcl_device_matrix *D,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *A)
{
    const struct lcl_bsr shape = {.rows = A->block_rows,
                                  .cols = A->block_cols,
                                  .nnz = A->blocks,
                                  .block_size = 1};
    const size_t pointer = A->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const struct lcl_buffer_plan all[] = {
        {&D->row_ptr, A->block_rows + 1, pointer, "row pointers"},
        {&D->col, A->blocks, sizeof(int32_t), "columns"},
        {&D->val, A->blocks, sizeof(double), "values"},
    };
    enum lcl_status st;
    *D = lcl_device_matrix_shape(&shape);
    D->wide = A->wide;
    D->groups = A->groups;
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_copy(D->row_ptr, A->row_ptr)) < 0 ||
        (st = lcl_buffer_copy(D->col, A->col)) < 0)
        lcl_device_matrix_finish(D);
    return st;
}

void lcl_device_matrix_finish(struct lcl_device_matrix *D)
{
    lcl_buffer_destroy(&D->val);
    lcl_buffer_destroy(&D->col);
    lcl_buffer_destroy(&D->row_ptr);
}

enum lcl_status lcl_device_row_ptr_read(int64_t *row_ptr,
                                        const struct lcl_device_matrix *D,
                                        const struct lcl_log *log)
{
    const size_t count = (size_t)D->block_rows + 1;
    if (D->wide)
        return lcl_buffer_read(D->row_ptr, row_ptr, count * sizeof *row_ptr);
    uint32_t *narrow = lcl_malloc(count, sizeof *narrow);
    if (!narrow)
        return lcl_fail_memory(log, "a copy of the matrix");
    const enum lcl_status st =
        lcl_buffer_read(D->row_ptr, narrow, count * sizeof *narrow);
    for (size_t i = 0; i < count && st == LCL_OK; ++i)
        row_ptr[i] = narrow[i];
    lcl_free(narrow);
    return st;
}

enum lcl_status lcl_device_matrix_read(struct lcl_bsr *out,
                                       const struct lcl_device_matrix *D,
                                       bool values, const struct lcl_log *log)
{
    const size_t rows = (size_t)D->block_rows, nnz = (size_t)D->blocks;
    const size_t size = (size_t)(D->block * D->block) * sizeof *out->val;
    enum lcl_status st;
    *out = (struct lcl_bsr){
        .rows = D->block_rows,
        .cols = D->block_cols,
        .nnz = D->blocks,
        .block_size = D->block,
        .row_ptr = lcl_malloc(rows + 1, sizeof *out->row_ptr),
        .col_ind = lcl_malloc(nnz, sizeof *out->col_ind),
        .val = values ? lcl_malloc(nnz, size) : NULL,
    };
    if (!out->row_ptr || !out->col_ind || (values && !out->val))
        return lcl_fail_memory(log, "a copy of the matrix");
    if ((st = lcl_device_row_ptr_read(out->row_ptr, D, log)) < 0 ||
        (st = lcl_buffer_read(D->col, out->col_ind,
                              nnz * sizeof *out->col_ind)) < 0)
        return st;
    return values ? lcl_buffer_read(D->val, out->val, nnz * size) : LCL_OK;
}

enum lcl_status lcl_refuse_wide(int64_t entries, const char *what,
                                const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "%s: %lld entries, expected at most %lld", what,
                    (long long)entries, (long long)LCL_NARROW_MOST);
}

int lcl_row_shift(const lcl_context *ctx, int64_t mean)
{
    const int width = lcl_context_caps(ctx)->width;
    const int64_t most = mean < width ? mean : width;
    int shift = 0;
    while (INT64_C(2) << shift <= most)
        ++shift;
    return shift;
}

int64_t lcl_wave_groups(const lcl_context *ctx, int64_t rows)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    return caps->width == 1 ? lcl_vector_groups(caps)
                            : lcl_launch_groups(rows, 1, caps->width);
}

uint64_t lcl_device_matrix_bytes(const struct lcl_device_matrix *D)
{
    return lcl_buffer_bytes(D->row_ptr) + lcl_buffer_bytes(D->col) +
           lcl_buffer_bytes(D->val);
}
