// SPDX-License-Identifier: BSD-3-Clause
// Patterns and values of transposed matrices: cl/spmv/transpose_values.cl.
#include "lib/spmv/transpose_values.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "lib/storage/transpose.h"

enum lcl_status lcl_transposed_kernel(struct lcl_transposed *T,
                                      lcl_context *ctx, int block, int numbers)
{
    struct lcl_spec spec = {
        .source = "transpose_values.cl",
        .kernel = "transpose_values",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = block > 1 ? block : 0,
    };
    if (numbers > 1)
        lcl_spec_set(&spec, "NUMBERS", numbers);
    return lcl_kernel_get(&T->values, ctx, &spec);
}

enum lcl_status lcl_transposed_pattern(struct lcl_device_matrix *B,
                                       lcl_buffer **map, lcl_context *ctx,
                                       const struct lcl_device_matrix *A)
{
    struct lcl_device_matrix blocks = *A;
    blocks.n = blocks.block_rows;
    blocks.block = 1;
    blocks.val = NULL;
    const enum lcl_status st = lcl_transpose_init(B, map, ctx, &blocks);
    B->block = A->block;
    B->n = B->block_rows * B->block;
    return st;
}

enum lcl_status lcl_transposed_fill(const struct lcl_transposed *T, int term,
                                    lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    lcl_buffer *val)
{
    return LCL_LAUNCH(T->values, lcl_vector_groups(lcl_context_caps(ctx)),
                      lcl_arg_long(A->blocks), lcl_arg_buffer(T->map[term]),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(val));
}
