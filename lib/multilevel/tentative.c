// SPDX-License-Identifier: BSD-3-Clause
// Tentative prolongator of an aggregation of nodes.
#include "lib/multilevel/tentative.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/storage/row_lengths.h"
#include "lib/storage/transpose.h"

// ------------------------------------------------------------------- members

struct work {
    lcl_context *ctx;
    const struct lcl_aggregates *G;
    const struct lcl_near_null *B;
    // Nodes with an aggregate: row I of `of` has the aggregate of node I, row q
    // of `members` the nodes of aggregate q.
    struct lcl_device_matrix of, members;
};

static enum lcl_status run(const struct work *w, const char *name,
                           const struct lcl_arg *args, int count)
{
    const struct lcl_caps *caps = lcl_context_caps(w->ctx);
    lcl_kernel *kernel;
    const enum lcl_status st = lcl_near_null_kernel(&kernel, w->ctx, w->B, name,
                                                    lcl_vector_group(caps));
    return st < 0 ? st
                  : lcl_launch(kernel, lcl_vector_groups(caps), args, count);
}

#define RUN(w, name, ...)                                                      \
 run((w), (name), (const struct lcl_arg[]){__VA_ARGS__},                       \
     (int)(sizeof((const struct lcl_arg[]){__VA_ARGS__}) /                     \
           sizeof(struct lcl_arg)))

static enum lcl_status find_members(struct work *w)
{
    const struct lcl_bsr shape = {
        .rows = w->G->n, .cols = w->G->aggregates, .block_size = 1};
    const struct lcl_arg nodes = lcl_arg_long(w->G->n);
    const struct lcl_arg aggregate = lcl_arg_buffer(w->G->aggregate);
    lcl_buffer *counts;
    enum lcl_status st = lcl_buffer_create(
        &counts, w->ctx, w->G->n, sizeof(uint32_t), "nodes with an aggregate");
    w->of = lcl_device_matrix_shape(&shape);
    w->of.groups = lcl_vector_groups(lcl_context_caps(w->ctx));
    if (st == LCL_OK &&
        (st = RUN(w, "count_members", nodes, aggregate,
                  lcl_arg_buffer(counts))) == LCL_OK &&
        (st = lcl_device_matrix_counted(&w->of, w->ctx, counts, w->G->n)) ==
            LCL_OK &&
        (st = RUN(w, "place_members", nodes, aggregate,
                  lcl_arg_buffer(w->of.row_ptr), lcl_arg_buffer(w->of.col))) ==
            LCL_OK) {
        lcl_buffer_destroy(&w->of.val);
        st = lcl_transpose_init(&w->members, NULL, w->ctx, &w->of);
    }
    lcl_buffer_destroy(&counts);
    return st;
}

// ------------------------------------------------------------------- T

static enum lcl_status allocate(struct lcl_device_matrix *T,
                                struct lcl_near_null *next,
                                const struct work *w)
{
    const int k = w->B->count;
    const struct lcl_bsr shape = {.rows = w->G->n * w->B->block,
                                  .cols = w->G->aggregates * k,
                                  .nnz = w->of.blocks * w->B->block * k,
                                  .block_size = 1};
    const struct lcl_buffer_plan all[] = {
        {&T->row_ptr, shape.rows + 1, sizeof(uint32_t), "row pointers"},
        {&T->col, shape.nnz, sizeof(int32_t), "columns"},
        {&T->val, shape.nnz, sizeof(double), "values"},
        {&next->vectors, shape.cols * k, sizeof(double), "near-null vectors"},
    };
    *T = lcl_device_matrix_shape(&shape);
    T->groups = w->of.groups;
    *next = (struct lcl_near_null){.block = k, .count = k};
    return T->wide
               ? lcl_refuse_wide(shape.nnz, "a prolongation of several vectors",
                                 lcl_context_log(w->ctx))
               : lcl_buffers_create(w->ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status orthonormalise(const struct lcl_device_matrix *T,
                                      const struct lcl_near_null *next,
                                      const struct work *w)
{
    const int width = lcl_context_caps(w->ctx)->width;
    const int64_t aggregates = w->G->aggregates;
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_near_null_kernel(&kernel, w->ctx, w->B, "orthonormalise", width);
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, lcl_wave_groups(w->ctx, aggregates),
                               lcl_arg_long(aggregates),
                               lcl_arg_buffer(w->members.row_ptr),
                               lcl_arg_buffer(w->members.col),
                               lcl_arg_buffer(w->of.row_ptr),
                               lcl_arg_buffer(T->val),
                               lcl_arg_buffer(next->vectors));
}

enum lcl_status lcl_tentative_init(struct lcl_device_matrix *T,
                                   struct lcl_near_null *next, lcl_context *ctx,
                                   const struct lcl_aggregates *G,
                                   const struct lcl_near_null *B)
{
    struct work w = {.ctx = ctx, .G = G, .B = B};
    enum lcl_status st;
    *T = (struct lcl_device_matrix){.n = 0};
    *next = (struct lcl_near_null){.count = 0};
    if ((st = find_members(&w)) == LCL_OK &&
        (st = allocate(T, next, &w)) == LCL_OK &&
        (st = RUN(&w, "tentative_rows", lcl_arg_long(G->n),
                  lcl_arg_buffer(G->aggregate), lcl_arg_buffer(w.of.row_ptr),
                  lcl_arg_buffer(B->vectors), lcl_arg_buffer(T->row_ptr),
                  lcl_arg_buffer(T->col), lcl_arg_buffer(T->val))) == LCL_OK)
        st = orthonormalise(T, next, &w);
    lcl_device_matrix_finish(&w.members);
    lcl_device_matrix_finish(&w.of);
    if (st < 0) {
        lcl_device_matrix_finish(T);
        lcl_near_null_finish(next);
    }
    return st;
}
