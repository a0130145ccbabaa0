// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix of blocks to single entries on the device.
#include "lib/storage/to_entries.h"

#include "host/launch.h"
#include "host/runtime.h"

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *B,
                                  const char *name)
{
    const struct lcl_spec spec = {
        .source = "to_entries.cl",
        .kernel = name,
        .group = lcl_context_caps(ctx)->width,
        .block = B->block > 1 ? B->block : 0,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status fill_pattern(const struct lcl_device_matrix *E,
                                    lcl_context *ctx,
                                    const struct lcl_device_matrix *B)
{
    const struct lcl_arg rows = lcl_arg_long(B->block_rows);
    const struct lcl_arg row_ptr = lcl_arg_buffer(B->row_ptr);
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, ctx, B, "entry_rows")) < 0 ||
        (st = LCL_LAUNCH(kernel, B->groups, rows, row_ptr,
                         lcl_arg_buffer(E->row_ptr))) < 0 ||
        (st = get_kernel(&kernel, ctx, B, "entry_columns")) < 0)
        return st;
    return LCL_LAUNCH(kernel, lcl_wave_groups(ctx, B->block_rows), rows,
                      row_ptr, lcl_arg_buffer(B->col), lcl_arg_buffer(E->col));
}

enum lcl_status lcl_to_entries_update(const struct lcl_device_matrix *E,
                                      lcl_context *ctx,
                                      const struct lcl_device_matrix *B)
{
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, B, "entry_values");
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, lcl_wave_groups(ctx, B->block_rows),
                               lcl_arg_long(B->block_rows),
                               lcl_arg_buffer(B->row_ptr),
                               lcl_arg_buffer(B->val), lcl_arg_buffer(E->val));
}

enum lcl_status lcl_to_entries(struct lcl_device_matrix *E, lcl_context *ctx,
                               const struct lcl_device_matrix *B)
{
    const int64_t values = B->blocks * B->block * B->block;
    const struct lcl_bsr shape = {.rows = B->n,
                                  .cols = B->block_cols * B->block,
                                  .nnz = values,
                                  .block_size = 1};
    const struct lcl_buffer_plan all[] = {
        {&E->row_ptr, B->n + 1, sizeof(uint32_t), "row pointers"},
        {&E->col, values, sizeof(int32_t), "columns"},
        {&E->val, values, sizeof(double), "values"},
    };
    enum lcl_status st;
    *E = lcl_device_matrix_shape(&shape);
    E->groups = B->groups;
    if (E->wide)
        return lcl_refuse_wide(values, "conversion to single entries",
                               lcl_context_log(ctx));
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = fill_pattern(E, ctx, B)) < 0 ||
        (st = lcl_to_entries_update(E, ctx, B)) < 0)
        lcl_device_matrix_finish(E);
    return st;
}
