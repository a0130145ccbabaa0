// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a matrix to blocks on the device.
#include "lib/storage/to_blocks.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"
#include "lib/vector/vector.h"

struct conversion {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_device_matrix *B;
    lcl_kernel *count, *place;
    int shift;
    int64_t items; // 2^shift per block row
};

static enum lcl_status get_kernels(struct conversion *c)
{
    const struct lcl_kernel_plan all[] = {
        {&c->count, "count_blocks"},
        {&c->place, "place_entries"},
    };
    const struct lcl_spec spec = {
        .source = "to_blocks.cl",
        .group = lcl_vector_group(lcl_context_caps(c->ctx)),
        .block = c->B->block > 1 ? c->B->block : 0,
        .wide = c->A->wide,
    };
    return lcl_kernels_get(c->ctx, &spec, all, sizeof all / sizeof *all);
}

// start[u] = number of blocks before the first block of item u
static enum lcl_status sum_up(struct conversion *c, const lcl_buffer *counts,
                              lcl_buffer *start)
{
    const struct lcl_device_matrix *A = c->A;
    const struct lcl_summands blocks = {.n = c->items, .in = counts};
    struct lcl_prefix_sum S;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(c->count, A->groups, lcl_arg_long(c->B->block_rows),
                         lcl_arg_int(c->shift), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(counts))) < 0)
        return st;
    if ((st = lcl_prefix_sum_init(&S, c->ctx)) == LCL_OK)
        st = lcl_prefix_sum(&S, &blocks, start);
    lcl_prefix_sum_finish(&S);
    return st;
}

static enum lcl_status find_starts(struct conversion *c, lcl_buffer **start)
{
    lcl_buffer *counts;
    const size_t size = sizeof(uint32_t);
    enum lcl_status st =
        lcl_buffer_create(&counts, c->ctx, c->items, size, "counts of blocks");
    if (st == LCL_OK &&
        (st = lcl_buffer_create(start, c->ctx, c->items + 1, size,
                                "counts of blocks")) == LCL_OK)
        st = sum_up(c, counts, *start);
    lcl_buffer_destroy(&counts);
    return st;
}

static enum lcl_status check_range(int64_t values, lcl_context *ctx)
{
    return values <= UINT32_MAX
               ? LCL_OK
               : lcl_fail(lcl_context_log(ctx), LCL_ERANGE,
                          "%lld values: the conversion to blocks "
                          "supports at most 2^32 - 1; use block "
                          "size 1",
                          (long long)values);
}

// A block has at least one entry of A and at most `values` / `blocks`.
static enum lcl_status check_blocks(const struct conversion *c, int64_t blocks,
                                    int64_t values)
{
    return blocks <= c->A->blocks && values >= c->A->blocks
               ? LCL_OK
               : lcl_fail(lcl_context_log(c->ctx), LCL_ESELFTEST,
                          "%s counts an impossible number of blocks: it "
                          "computes wrong results",
                          lcl_context_caps(c->ctx)->name);
}

static enum lcl_status fill(struct conversion *c, lcl_buffer **place,
                            const lcl_buffer *start)
{
    const struct lcl_device_matrix *A = c->A;
    struct lcl_device_matrix *B = c->B;
    uint32_t blocks;
    enum lcl_status st = lcl_buffer_read_at(
        start, (size_t)c->items * sizeof blocks, &blocks, sizeof blocks);
    if (st < 0)
        return st;
    const int64_t values = (int64_t)blocks * B->block * B->block;
    const struct lcl_buffer_plan all[] = {
        {&B->row_ptr, B->block_rows + 1, sizeof(uint32_t), "row pointers"},
        {&B->col, blocks, sizeof(int32_t), "columns"},
        {place, A->blocks, sizeof(uint32_t), "places of values"},
    };
    B->blocks = blocks;
    if ((st = check_blocks(c, blocks, values)) < 0 ||
        (st = check_range(values, c->ctx)) < 0 ||
        (st = lcl_buffers_create(c->ctx, all, sizeof all / sizeof *all)) < 0)
        return st;
    return LCL_LAUNCH(c->place, A->groups, lcl_arg_long(B->block_rows),
                      lcl_arg_int(c->shift), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(start),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(*place));
}

enum lcl_status lcl_to_blocks(struct lcl_device_matrix *B, lcl_buffer **place,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A, int block)
{
    struct conversion c = {.ctx = ctx, .A = A, .B = B};
    lcl_buffer *start = NULL;
    enum lcl_status st;
    *place = NULL;
    *B = (struct lcl_device_matrix){
        .n = A->n,
        .block = block,
        .block_rows = A->block_rows / block,
        .block_cols = A->block_cols / block,
        .groups = A->groups,
    };
    c.shift = lcl_row_shift(ctx, A->blocks / A->block_rows / block);
    c.items = B->block_rows << c.shift;
    if ((st = check_range(A->blocks, ctx)) == LCL_OK &&
        (st = get_kernels(&c)) == LCL_OK &&
        (st = find_starts(&c, &start)) == LCL_OK)
        st = fill(&c, place, start);
    lcl_buffer_destroy(&start);
    if (st < 0) {
        lcl_buffer_destroy(place);
        lcl_device_matrix_finish(B);
    }
    return st;
}

enum lcl_status lcl_to_blocks_values(struct lcl_device_matrix *B,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const lcl_buffer *place)
{
    const int64_t values = B->blocks * B->block * B->block;
    struct lcl_vector_ops ops;
    enum lcl_status st;
    if ((st = lcl_vector_ops_init(&ops, ctx, 1)) < 0 ||
        (st = lcl_buffer_create(&B->val, ctx, values, sizeof(double),
                                "values")) < 0 ||
        (values > A->blocks && (st = lcl_buffer_fill(B->val, 0)) < 0))
        return st;
    return lcl_scatter(&ops, A->blocks, place, A->val, B->val);
}
