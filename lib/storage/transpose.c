// SPDX-License-Identifier: BSD-3-Clause
// Transposition of a matrix on the device.
#include "lib/storage/transpose.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"
#include "lib/vector/vector.h"

#include "cl/storage/transpose.cl.h"

struct transposition {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_device_matrix *T;
    lcl_buffer *map;
    lcl_kernel *count, *place, *sort, *sort_long;
    lcl_buffer *counts; // entries of each column of A
    lcl_buffer *list;   // long rows of T, with space for all
    lcl_buffer *listed; // their number
    int width;
    int64_t groups; // of one wave
};

static enum lcl_status get_kernels(struct transposition *t)
{
    const struct lcl_kernel_plan all[] = {
        {&t->count, "count_columns"},
        {&t->place, "place_rows"},
        {&t->sort, "sort_rows"},
    };
    struct lcl_spec spec = {
        .source = "transpose.cl",
        .group = t->width,
    };
    const enum lcl_status st =
        lcl_kernels_get(t->ctx, &spec, all, sizeof all / sizeof *all);
    if (st < 0)
        return st;
    spec.kernel = "sort_long";
    spec.group = lcl_vector_group(lcl_context_caps(t->ctx));
    lcl_spec_set(&spec, "LONG_ROWS", t->width > 1);
    return lcl_kernel_get(&t->sort_long, t->ctx, &spec);
}

static enum lcl_status create_buffers(struct transposition *t)
{
    const struct lcl_device_matrix *A = t->A;
    struct lcl_device_matrix *T = t->T;
    const struct lcl_buffer_plan all[] = {
        {&T->row_ptr, T->block_rows + 1, sizeof(uint32_t), "row pointers"},
        {&T->col, A->blocks, sizeof(int32_t), "columns"},
        {&t->map, A->blocks, sizeof(uint32_t), "maps of entries"},
        {&t->counts, T->block_rows, sizeof(uint32_t), "counts of entries"},
        {&t->list, T->block_rows, sizeof(int32_t), "lists of rows"},
        {&t->listed, 1, sizeof(uint32_t), "counts of rows"},
        {&T->val, A->blocks, sizeof(double), "values"},
    };
    const size_t buffers = sizeof all / sizeof *all;
    return lcl_buffers_create(t->ctx, all, A->val ? buffers : buffers - 1);
}

// A quarter to half as many lanes as entries in a row of average length.
static int sort_shift(const struct transposition *t)
{
    const int64_t rows = t->T->block_rows;
    const int64_t mean = rows > 0 ? (t->A->blocks + rows - 1) / rows : 0;
    const int shift = lcl_row_shift(t->ctx, mean);
    return shift > 0 && INT64_C(1) << shift < t->width ? shift - 1 : shift;
}

static enum lcl_status find_row_ptr(struct transposition *t)
{
    const struct lcl_device_matrix *A = t->A;
    const struct lcl_summands columns = {.n = t->T->block_rows,
                                         .in = t->counts};
    struct lcl_prefix_sum S;
    enum lcl_status st;
    if ((st = lcl_buffer_fill(t->counts, 0)) < 0 ||
        (st = LCL_LAUNCH(t->count, t->groups, lcl_arg_long(A->blocks),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(t->counts))) <
            0)
        return st;
    if ((st = lcl_prefix_sum_init(&S, t->ctx)) == LCL_OK)
        st = lcl_prefix_sum(&S, &columns, t->T->row_ptr);
    lcl_prefix_sum_finish(&S);
    return st;
}

static enum lcl_status place(struct transposition *t)
{
    const struct lcl_device_matrix *A = t->A;
    const int64_t rows = A->block_rows;
    const int shift = lcl_row_shift(t->ctx, rows > 0 ? A->blocks / rows : 0);
    return LCL_LAUNCH(t->place, t->groups, lcl_arg_long(rows),
                      lcl_arg_int(shift), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(t->T->row_ptr),
                      lcl_arg_buffer(t->counts), lcl_arg_buffer(t->T->col));
}

static enum lcl_status sort(struct transposition *t)
{
    const struct lcl_device_matrix *A = t->A, *T = t->T;
    enum lcl_status st;
    if ((st = lcl_buffer_fill(t->listed, 0)) < 0 ||
        (st = LCL_LAUNCH(t->sort, t->groups, lcl_arg_long(T->block_rows),
                         lcl_arg_int(sort_shift(t)), lcl_arg_buffer(T->row_ptr),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(T->col), lcl_arg_buffer(t->map),
                         lcl_arg_buffer(t->list), lcl_arg_buffer(t->listed))) <
            0)
        return st;
    return LCL_LAUNCH(t->sort_long, lcl_vector_groups(lcl_context_caps(t->ctx)),
                      lcl_arg_buffer(T->row_ptr), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(T->col),
                      lcl_arg_buffer(t->map), lcl_arg_buffer(t->list),
                      lcl_arg_buffer(t->listed));
}

static enum lcl_status gather_values(struct transposition *t)
{
    struct lcl_vector_ops ops;
    const enum lcl_status st = lcl_vector_ops_init(&ops, t->ctx, 1);
    return st < 0 || !t->A->val
               ? st
               : lcl_gather(&ops, t->A->blocks, t->map, t->A->val, t->T->val);
}

static enum lcl_status check(lcl_context *ctx,
                             const struct lcl_device_matrix *A)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    if (A->block != 1)
        return lcl_fail(log, LCL_EINVAL,
                        "a transpose of blocks of %d rows, expected 1",
                        A->block);
    return A->wide ? lcl_refuse_wide(A->blocks, "transpose", log) : LCL_OK;
}

static enum lcl_status transpose(struct transposition *t)
{
    enum lcl_status st;
    if ((st = check(t->ctx, t->A)) < 0 || (st = create_buffers(t)) < 0 ||
        (st = get_kernels(t)) < 0 || (st = find_row_ptr(t)) < 0 ||
        (st = place(t)) < 0 || (st = sort(t)) < 0)
        return st;
    return gather_values(t);
}

enum lcl_status lcl_transpose_init(struct lcl_device_matrix *T,
                                   lcl_buffer **map, lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct transposition t = {
        .ctx = ctx,
        .A = A,
        .T = T,
        .width = caps->width,
        .groups = (int64_t)lcl_vector_groups(caps) * lcl_vector_group(caps) /
                  caps->width,
    };
    *T = (struct lcl_device_matrix){
        .n = A->block_cols,
        .block = 1,
        .block_rows = A->block_cols,
        .block_cols = A->block_rows,
        .blocks = A->blocks,
        .groups = A->groups,
    };
    const enum lcl_status st = transpose(&t);
    lcl_buffer_destroy(&t.listed);
    lcl_buffer_destroy(&t.list);
    lcl_buffer_destroy(&t.counts);
    if (st < 0)
        lcl_device_matrix_finish(T);
    if (st < 0 || !map)
        lcl_buffer_destroy(&t.map);
    if (map)
        *map = t.map;
    return st;
}
