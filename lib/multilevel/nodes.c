// SPDX-License-Identifier: BSD-3-Clause
// Nodes of several consecutive rows.
#include "lib/multilevel/nodes.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/storage/row_lengths.h"
#include "lib/storage/to_blocks.h"

static enum lcl_status get_kernel_of(lcl_kernel **out, lcl_context *ctx,
                                     int block, const char *name, int group)
{
    const struct lcl_spec spec = {
        .source = "nodes.cl",
        .kernel = name,
        .group = group,
        .block = block > 1 ? block : 0,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx, int block,
                                  const char *name)
{
    return get_kernel_of(out, ctx, block, name,
                         lcl_vector_group(lcl_context_caps(ctx)));
}

// ------------------------------------------------------------------- graph

// Replaces the values of the blocks by their norms.
static enum lcl_status take_norms(struct lcl_device_matrix *blocks,
                                  lcl_context *ctx)
{
    lcl_buffer *norm = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, ctx, blocks->block, "node_norms")) < 0 ||
        (st = lcl_buffer_create(&norm, ctx, blocks->blocks, sizeof(double),
                                "norms of blocks")) < 0 ||
        (st = LCL_LAUNCH(kernel, blocks->groups, lcl_arg_long(blocks->blocks),
                         lcl_arg_buffer(blocks->val), lcl_arg_buffer(norm))) <
            0) {
        lcl_buffer_destroy(&norm);
        return st;
    }
    lcl_buffer_destroy(&blocks->val);
    blocks->val = norm;
    blocks->n = blocks->block_rows;
    blocks->block = 1;
    return LCL_OK;
}

enum lcl_status lcl_nodes_init(struct lcl_nodes *N, lcl_context *ctx,
                               const struct lcl_device_matrix *A, int block)
{
    enum lcl_status st;
    *N = (struct lcl_nodes){.ctx = ctx, .block = block};
    if ((st = lcl_to_blocks(&N->graph, &N->place, ctx, A, block)) < 0 ||
        (st = lcl_to_blocks_values(&N->graph, ctx, A, N->place)) < 0 ||
        (st = take_norms(&N->graph, ctx)) < 0)
        lcl_nodes_finish(N);
    return st;
}

void lcl_nodes_finish(struct lcl_nodes *N)
{
    lcl_device_matrix_finish(&N->graph);
    lcl_buffer_destroy(&N->place);
}

// ------------------------------------------------------------------- filter

static enum lcl_status count(lcl_buffer *counts, const struct lcl_nodes *N,
                             const struct lcl_device_matrix *A,
                             const struct lcl_strength *S)
{
    lcl_kernel *kernel;
    const enum lcl_status st =
        get_kernel(&kernel, N->ctx, N->block, "count_filtered");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->n),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_buffer(N->place), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(counts));
}

static enum lcl_status fill(const struct lcl_device_matrix *F,
                            const struct lcl_nodes *N,
                            const struct lcl_device_matrix *A,
                            const struct lcl_strength *S,
                            const lcl_buffer *lambda)
{
    const int width = lcl_context_caps(N->ctx)->width;
    lcl_kernel *kernel;
    const enum lcl_status st =
        get_kernel_of(&kernel, N->ctx, N->block, "fill_filtered", width);
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, lcl_wave_groups(N->ctx, A->n),
                            lcl_arg_long(A->n), lcl_arg_buffer(A->row_ptr),
                            lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                            lcl_arg_buffer(N->place), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(lambda), lcl_arg_buffer(F->row_ptr),
                            lcl_arg_buffer(F->col), lcl_arg_buffer(F->val));
}

enum lcl_status lcl_nodes_filter(struct lcl_device_matrix *F,
                                 const struct lcl_nodes *N,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_strength *S,
                                 const lcl_buffer *lambda)
{
    const struct lcl_bsr shape = {.rows = A->n, .cols = A->n, .block_size = 1};
    lcl_buffer *counts = NULL;
    enum lcl_status st;
    *F = lcl_device_matrix_shape(&shape);
    F->groups = A->groups;
    if ((st = lcl_buffer_create(&counts, N->ctx, A->n, sizeof(uint32_t),
                                "lengths of rows")) == LCL_OK &&
        (st = count(counts, N, A, S)) == LCL_OK &&
        (st = lcl_device_matrix_counted(F, N->ctx, counts, A->blocks + A->n)) ==
            LCL_OK)
        st = fill(F, N, A, S, lambda);
    lcl_buffer_destroy(&counts);
    if (st < 0)
        lcl_device_matrix_finish(F);
    return st;
}

enum lcl_status lcl_unit_diagonal(lcl_context *ctx,
                                  const struct lcl_device_matrix *A)
{
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, 1, "unit_diagonal");
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->n),
                               lcl_arg_buffer(A->row_ptr),
                               lcl_arg_buffer(A->col), lcl_arg_buffer(A->val));
}
