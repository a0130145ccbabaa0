// SPDX-License-Identifier: BSD-3-Clause
// The transpose of a sparse matrix on the device (cl/operator/transpose.cl).
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/spgemm.h"
#include "lib/vector/prefix_sum.h"
#include "lib/vector/vector.h"

struct transposition {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_device_matrix *T;
    lcl_kernel *count, *place, *sort;
    lcl_buffer *taken, *key, *map;
};

static enum lcl_status get_kernels(struct transposition *X)
{
    const struct lcl_caps *caps = lcl_context_caps(X->ctx);
    const struct lcl_kernel_plan all[] = {
        {&X->count, "transpose_count"},
        {&X->place, "transpose_place"},
    };
    struct lcl_spec spec = {.source = "transpose.cl",
                            .group = lcl_vector_group(caps)};
    const enum lcl_status st =
        lcl_kernels_get(X->ctx, &spec, all, sizeof all / sizeof *all);
    spec.kernel = "transpose_sort";
    spec.group = caps->width;
    return st < 0 ? st : lcl_kernel_get(&X->sort, X->ctx, &spec);
}

static enum lcl_status make_buffers(struct transposition *X)
{
    struct lcl_device_matrix *T = X->T;
    const struct lcl_buffer_plan all[] = {
        {&T->row_ptr, T->block_rows + 1, sizeof(uint32_t), "rows"},
        {&T->col, T->blocks, sizeof(int32_t), "columns"},
        {&T->val, T->blocks, sizeof(double), "values"},
        {&X->taken, T->block_rows, sizeof(uint32_t), "places in columns"},
        {&X->key, T->blocks, sizeof(uint64_t), "keys of entries"},
        {&X->map, T->blocks, sizeof(uint32_t), "map of entries"},
    };
    return lcl_buffers_create(X->ctx, all, sizeof all / sizeof *all);
}

// The row pointers of T.
static enum lcl_status count_columns(const struct transposition *X)
{
    struct lcl_prefix_sum S;
    const struct lcl_summands what = {.n = X->T->block_rows,
                                      .in = X->taken,
                                      .kind = LCL_SUM_NUMBERS,
                                      .n_of = -1,
                                      .total = -1};
    enum lcl_status st = lcl_prefix_sum_init(&S, X->ctx);
    if (st == LCL_OK && (st = lcl_buffer_fill(X->taken, 0)) == LCL_OK &&
        (st = LCL_LAUNCH(X->count, X->T->groups, lcl_arg_long(X->A->blocks),
                         lcl_arg_buffer(X->A->col),
                         lcl_arg_buffer(X->taken))) == LCL_OK)
        st = lcl_prefix_sum(&S, &what, X->T->row_ptr);
    lcl_prefix_sum_finish(&S);
    return st;
}

static enum lcl_status place_entries(const struct transposition *X)
{
    const struct lcl_device_matrix *A = X->A, *T = X->T;
    const struct lcl_caps *caps = lcl_context_caps(X->ctx);
    const int64_t groups =
        caps->width == 1 ? T->groups
                         : lcl_launch_groups(T->block_rows, 1, caps->width);
    enum lcl_status st = lcl_buffer_fill(X->taken, 0);
    if (st < 0 ||
        (st = LCL_LAUNCH(X->place, T->groups, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(T->row_ptr), lcl_arg_buffer(X->taken),
                         lcl_arg_buffer(X->key))) < 0)
        return st;
    return LCL_LAUNCH(X->sort, groups, lcl_arg_long(T->block_rows),
                      lcl_arg_buffer(T->row_ptr), lcl_arg_buffer(X->key),
                      lcl_arg_buffer(T->col), lcl_arg_buffer(X->map));
}

static enum lcl_status take_values(const struct transposition *X)
{
    struct lcl_vector_ops ops;
    const enum lcl_status st = lcl_vector_ops_init(&ops, X->ctx, 1);
    return st < 0
               ? st
               : lcl_gather(&ops, X->T->blocks, X->map, X->A->val, X->T->val);
}

enum lcl_status lcl_transpose(struct lcl_device_matrix *T, lcl_buffer **map,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A)
{
    const struct lcl_bsr shape = {.rows = A->block_cols,
                                  .cols = A->block_rows,
                                  .nnz = A->blocks,
                                  .block_size = 1};
    struct transposition X = {.ctx = ctx, .A = A, .T = T};
    enum lcl_status st;
    if (map)
        *map = NULL;
    *T = (struct lcl_device_matrix){.n = 0};
    if (A->block > 1 || A->wide)
        return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                        "a transpose requires single entries, fewer than 2^32");
    *T = lcl_device_matrix_shape(&shape);
    T->groups = lcl_vector_groups(lcl_context_caps(ctx));
    if ((st = get_kernels(&X)) == LCL_OK && (st = make_buffers(&X)) == LCL_OK &&
        (st = count_columns(&X)) == LCL_OK &&
        (st = place_entries(&X)) == LCL_OK)
        st = take_values(&X);
    lcl_buffer_destroy(&X.taken);
    lcl_buffer_destroy(&X.key);
    if (st < 0)
        lcl_device_matrix_finish(T);
    if (st < 0 || !map)
        lcl_buffer_destroy(&X.map);
    else
        *map = X.map;
    return st;
}
