// SPDX-License-Identifier: BSD-3-Clause
// Matrices with rows of two others on the device.
#include "lib/storage/row_union.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/storage/row_lengths.h"
#include "lib/vector/vector.h"

// If a matrix is missing, passes arrays that the kernels do not read.
static const struct lcl_device_matrix *one_of(const struct lcl_device_matrix *a,
                                              const struct lcl_device_matrix *b)
{
    return a ? a : b;
}

static int64_t rows_of(const struct lcl_composition *from)
{
    return from->A ? from->A->n : 0;
}

static enum lcl_status find_lengths(lcl_buffer *length, lcl_context *ctx,
                                    int64_t rows,
                                    const struct lcl_composition *from)
{
    const struct lcl_device_matrix *A = one_of(from->A, from->B);
    const struct lcl_device_matrix *B = one_of(from->B, from->A);
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_vector_kernel(&kernel, ctx, "row_union.cl", "row_union_lengths");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, lcl_vector_groups(lcl_context_caps(ctx)),
                            lcl_arg_long(rows), lcl_arg_long(rows_of(from)),
                            lcl_arg_int((int32_t)from->limit),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_int(from->B != NULL),
                            lcl_arg_buffer(from->B ? from->place : A->row_ptr),
                            lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(length));
}

enum lcl_status lcl_compose_values(const struct lcl_device_matrix *C,
                                   lcl_context *ctx,
                                   const struct lcl_composition *from)
{
    const struct lcl_device_matrix *A = one_of(from->A, from->B);
    const struct lcl_device_matrix *B = one_of(from->B, from->A);
    const int shift = lcl_row_shift(ctx, lcl_row_values(C));
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_vector_kernel(&kernel, ctx, "row_union.cl", "row_union_rows");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, C->groups, lcl_arg_long(C->n),
                            lcl_arg_int(shift), lcl_arg_long(rows_of(from)),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_buffer(A->val),
                            lcl_arg_int(from->B != NULL),
                            lcl_arg_buffer(from->B ? from->place : A->row_ptr),
                            lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                            lcl_arg_buffer(B->val), lcl_arg_buffer(C->row_ptr),
                            lcl_arg_buffer(C->col), lcl_arg_buffer(C->val));
}

// Bound on the number of entries; rows of B may occur repeatedly.
static int64_t bound(int64_t rows, const struct lcl_composition *from)
{
    return (from->A ? from->A->blocks : 0) +
           (from->B ? rows * from->B->block_cols : 0);
}

static enum lcl_status check(lcl_context *ctx,
                             const struct lcl_composition *from)
{
    const int64_t entries =
        (from->A ? from->A->blocks : 0) + (from->B ? from->B->blocks : 0);
    return lcl_needs_wide(entries)
               ? lcl_refuse_wide(entries, "rows of two matrices",
                                 lcl_context_log(ctx))
               : LCL_OK;
}

enum lcl_status lcl_compose(struct lcl_device_matrix *C, lcl_context *ctx,
                            int64_t rows, int64_t cols,
                            const struct lcl_composition *from)
{
    const struct lcl_bsr shape = {.rows = rows, .cols = cols, .block_size = 1};
    lcl_buffer *length = NULL;
    enum lcl_status st;
    *C = lcl_device_matrix_shape(&shape);
    C->groups = lcl_vector_groups(lcl_context_caps(ctx));
    if ((st = check(ctx, from)) == LCL_OK &&
        (st = lcl_buffer_create(&length, ctx, rows, sizeof(uint32_t),
                                "lengths of rows")) == LCL_OK &&
        (st = find_lengths(length, ctx, rows, from)) == LCL_OK &&
        (st = lcl_device_matrix_counted(C, ctx, length, bound(rows, from))) ==
            LCL_OK)
        st = lcl_compose_values(C, ctx, from);
    lcl_buffer_destroy(&length);
    if (st < 0)
        lcl_device_matrix_finish(C);
    return st;
}

enum lcl_status lcl_place_rows(lcl_buffer **place, lcl_context *ctx,
                               int64_t rows, const int32_t *row, int64_t count)
{
    static const char what[] = "places of rows";
    struct lcl_vector_ops ops;
    lcl_buffer *list = NULL;
    enum lcl_status st;
    *place = NULL;
    if ((st = lcl_buffer_create(place, ctx, rows, sizeof *row, what)) < 0 ||
        (st = lcl_buffer_fill(*place, 0xff)) < 0 ||
        (st = lcl_vector_ops_init(&ops, ctx, 1)) < 0)
        return st;
    if ((st = lcl_buffer_create_from(&list, ctx, row, count, sizeof *row,
                                     what)) == LCL_OK)
        st = lcl_map_invert(&ops, count, list, *place);
    lcl_buffer_destroy(&list);
    return st;
}
