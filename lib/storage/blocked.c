// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller on the device, in the block size in use.
#include "lib/storage/blocked.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/storage/device_csr.h"
#include "lib/storage/natural_block.h"
#include "lib/storage/to_blocks.h"

// ---------------------------------------------------------------- conversion

// B->val from the caller's values.
static enum lcl_status fill_values(struct lcl_blocked *B, lcl_context *ctx)
{
    const struct lcl_given_arrays x = lcl_given_array(&B->sources, B->staged);
    const enum lcl_status st = lcl_buffer_create(
        &B->A.val, ctx, B->sources.values, sizeof(double), "values");
    return st < 0 ? st : lcl_sources_gather(&B->sources, &x, B->A.val, NULL);
}

static enum lcl_status convert(struct lcl_blocked *B, lcl_context *ctx,
                               int block)
{
    struct lcl_device_matrix blocks;
    lcl_buffer *place;
    enum lcl_status st = lcl_to_blocks(&blocks, &place, ctx, &B->A, block);
    if (st < 0)
        return st;
    lcl_task_bytes(ctx,
                   lcl_device_matrix_bytes(&B->A) + lcl_buffer_bytes(place));
    st = lcl_sources_place(&B->sources, ctx, place, B->A.blocks,
                           blocks.blocks * block * block, block);
    lcl_buffer_destroy(&place);
    if (!B->staged) {
        B->staged = B->A.val;
        B->A.val = NULL;
    }
    lcl_device_matrix_finish(&B->A);
    B->A = blocks;
    if (st < 0 || (st = fill_values(B, ctx)) < 0)
        return st;
    lcl_task_bytes(ctx, lcl_device_matrix_bytes(&B->A));
    return lcl_context_wait(ctx);
}

enum lcl_status lcl_blocked_convert(struct lcl_blocked *B, lcl_context *ctx,
                                    int block_size)
{
    int block = block_size;
    enum lcl_status st = LCL_OK;
    lcl_task_enter(ctx, LCL_TASK_BLOCKS);
    if (block == 0)
        st = lcl_natural_block(&block, ctx, &B->A);
    if (st == LCL_OK && block > 1)
        st = convert(B, ctx, block);
    B->detected |= block > 1 && block_size == 0;
    lcl_task_leave(ctx);
    return st;
}

// ------------------------------------------------------------------- upload

// Has the device check columns and values.
static enum lcl_status inspect(bool *sound, const struct lcl_device_matrix *D,
                               lcl_context *ctx)
{
    const struct lcl_device_csr copy = {.rows = D->block_rows,
                                        .cols = D->block_cols,
                                        .nnz = D->blocks,
                                        .narrow = !D->wide,
                                        .row_ptr = D->row_ptr,
                                        .col_ind = D->col,
                                        .val = D->val};
    return lcl_device_csr_inspect(sound, &copy, ctx);
}

// If the device finds a fault, the host names the first one.
static enum lcl_status check_entries(const struct lcl_device_matrix *D,
                                     lcl_context *ctx,
                                     const struct lcl_view *rows)
{
    bool sound;
    const enum lcl_status st = inspect(&sound, D, ctx);
    return st < 0 || sound ? st
                           : lcl_view_name_fault(rows, lcl_context_log(ctx));
}

enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    const struct lcl_log *log = lcl_context_log(ctx);
    *B = (struct lcl_blocked){.entries = A->nnz};
    enum lcl_status st = lcl_context_is_cpu(ctx) ? lcl_csr_check(A, log)
                                                 : lcl_csr_check_rows(A, log);
    if (st < 0 ||
        (block_size > 1 &&
         (st = lcl_block_size_check(A->rows, A->cols, block_size, log)) < 0) ||
        (st = lcl_device_matrix_init(&B->A, ctx, &view)) < 0)
        return st;
    const struct lcl_view rows = lcl_view_of_csr(A);
    if (!lcl_context_is_cpu(ctx) && (st = check_entries(&B->A, ctx, &rows)) < 0)
        return st;
    if (lcl_context_is_cpu(ctx) && block_size == 0) {
        block_size = lcl_csr_natural_block(A);
        B->detected = block_size > 1;
    }
    return lcl_blocked_convert(B, ctx, block_size);
}

// Checks entries in own columns on the device, or all entries on the host.
static enum lcl_status check_own(const struct lcl_device_matrix *D,
                                 lcl_context *ctx, const struct lcl_view *rows)
{
    return rows->sound == LCL_VIEW_ALL ? LCL_OK
           : lcl_context_is_cpu(ctx)
               ? lcl_view_check_entries(rows, lcl_context_log(ctx))
               : check_entries(D, ctx, rows);
}

enum lcl_status lcl_blocked_from_own(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_own_entries *A,
                                     int block_size)
{
    const int64_t n = A->plan->rows;
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    *B = (struct lcl_blocked){.entries = A->plan->own};
    if ((block_size > 1 &&
         (st = lcl_block_size_check(n, n, block_size, log)) < 0) ||
        (st = lcl_own_matrix_init(&B->A, ctx, A)) < 0 ||
        (st = check_own(&B->A, ctx, &A->rows)) < 0)
        return st;
    return lcl_blocked_convert(B, ctx, block_size);
}

static enum lcl_status check_block(int block_size, int own,
                                   const struct lcl_log *log)
{
    return block_size == 0 || block_size == own
               ? LCL_OK
               : lcl_fail(log, LCL_EINVAL,
                          "block size %d: expected %d, as in the matrix, or 0",
                          block_size, own);
}

enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size)
{
    *B = (struct lcl_blocked){.entries = A->nnz * lcl_block_values(A)};
    const enum lcl_status st =
        check_block(block_size, A->block_size, lcl_context_log(ctx));
    return st < 0 ? st : lcl_device_matrix_init(&B->A, ctx, A);
}

// ------------------------------------------------------------------- layouts

static enum lcl_status upload_values(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_layout_arrays *given,
                                     int values)
{
    const size_t size = (size_t)values * sizeof(double);
    size_t at = 0;
    enum lcl_status st = lcl_buffer_create(&B->staged, ctx, B->entries,
                                           sizeof(double), "values");
    for (int p = 0; p < given->parts && st == LCL_OK; ++p) {
        const size_t bytes = (size_t)given->blocks[p] * size;
        st = bytes > 0
                 ? lcl_buffer_write_at(B->staged, at, given->val[p], bytes)
                 : LCL_OK;
        at += bytes;
    }
    return st;
}

static enum lcl_status upload_layout(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_composed *C,
                                     const struct lcl_layout_arrays *given,
                                     int values)
{
    enum lcl_status st;
    if ((st = lcl_device_pattern_init(&B->A, ctx, &C->pattern)) < 0 ||
        (st = lcl_sources_init(&B->sources, ctx, C)) < 0)
        return st;
    return upload_values(B, ctx, given, values);
}

// Entries that are converted to blocks get their values there.
static enum lcl_status make_values(struct lcl_blocked *B, lcl_context *ctx,
                                   int block_size)
{
    enum lcl_status st =
        B->A.block == 1 ? lcl_blocked_convert(B, ctx, block_size) : LCL_OK;
    if (st < 0 || B->A.val)
        return st;
    if (B->sources.of) {
        st = fill_values(B, ctx);
        return st < 0 ? st : lcl_context_wait(ctx);
    }
    B->A.val = B->staged;
    B->staged = NULL;
    return LCL_OK;
}

static enum lcl_status check_layout_block(const struct lcl_layout *L,
                                          int block_size,
                                          const struct lcl_log *log)
{
    const int b = lcl_layout_real_block(L);
    if (b > 1)
        return check_block(block_size, b, log);
    return block_size > 1 ? lcl_block_size_check(L->rows, lcl_layout_cols(L),
                                                 block_size, log)
                          : LCL_OK;
}

enum lcl_status lcl_blocked_from_layout(struct lcl_blocked *B, lcl_context *ctx,
                                        const struct lcl_layout *L,
                                        int block_size)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    const int values = lcl_layout_values(L);
    const struct lcl_layout_arrays given = lcl_layout_arrays(L);
    struct lcl_composed C;
    enum lcl_status st;
    *B = (struct lcl_blocked){.entries = lcl_layout_blocks(L) * values,
                              .detected = L->is_complex && block_size == 0 &&
                                          lcl_layout_block(L) == 1,
                              .is_complex = L->is_complex};
    for (int p = 0; given.parts > 1 && p < given.parts; ++p)
        B->part[p] = given.blocks[p] * values;
    if ((st = check_layout_block(L, block_size, log)) < 0)
        return st;
    if ((st = lcl_layout_compose(&C, L, log)) == LCL_OK)
        st = upload_layout(B, ctx, &C, &given, values);
    lcl_composed_finish(&C);
    return st < 0 ? st : make_values(B, ctx, block_size);
}

void lcl_blocked_finish(struct lcl_blocked *B)
{
    lcl_device_matrix_finish(&B->A);
    lcl_sources_finish(&B->sources);
    lcl_buffer_destroy(&B->staged);
}
