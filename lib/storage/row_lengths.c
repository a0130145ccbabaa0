// SPDX-License-Identifier: BSD-3-Clause
// Allocates a matrix on the device for given row lengths.
#include "lib/storage/row_lengths.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"

static enum lcl_status sum_up(struct lcl_device_matrix *D, lcl_context *ctx,
                              const lcl_buffer *counts)
{
    const struct lcl_summands what = {.n = D->block_rows,
                                      .in = counts,
                                      .kind = LCL_SUM_NUMBERS,
                                      .n_of = -1,
                                      .total = -1};
    struct lcl_prefix_sum sums;
    uint32_t entries = 0;
    enum lcl_status st;
    if ((st = lcl_prefix_sum_init(&sums, ctx)) == LCL_OK &&
        (st = lcl_prefix_sum(&sums, &what, D->row_ptr)) == LCL_OK)
        st = lcl_buffer_read_at(D->row_ptr,
                                (size_t)D->block_rows * sizeof entries,
                                &entries, sizeof entries);
    lcl_prefix_sum_finish(&sums);
    D->blocks = entries;
    return st;
}

enum lcl_status lcl_device_matrix_counted(struct lcl_device_matrix *D,
                                          lcl_context *ctx,
                                          const lcl_buffer *counts,
                                          int64_t most)
{
    enum lcl_status st = lcl_buffer_create(&D->row_ptr, ctx, D->block_rows + 1,
                                           sizeof(uint32_t), "row pointers");
    if (st < 0 || (st = sum_up(D, ctx, counts)) < 0)
        return st;
    if (D->blocks > most)
        return lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                        "%s computes wrong results: %lld entries of a matrix "
                        "that has at most %lld",
                        lcl_context_caps(ctx)->name, (long long)D->blocks,
                        (long long)most);
    const struct lcl_buffer_plan entries[] = {
        {&D->col, D->blocks, sizeof(int32_t), "columns"},
        {&D->val, D->blocks, sizeof(double), "values"},
    };
    return lcl_buffers_create(ctx, entries, sizeof entries / sizeof *entries);
}
