// SPDX-License-Identifier: BSD-3-Clause
// The residual of a verdict for Kronecker systems.
#include "lib/kron/judge.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/kron/kron.h"

// The matrices of a system, or of its boundary rows. If they are paired, both
// have the pattern and the values of the first.
struct terms {
    int64_t rows, n;
    const lcl_buffer *row; // rows in the list; NULL: all
    const lcl_buffer *ptr[2], *col[2], *val[2];
    bool paired, wide;
    int block, stages;
    const lcl_buffer *coef, *ghost; // NULL: no ghosts
    struct lcl_halo_layout own, far;
};

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct terms *T)
{
    const struct lcl_spec spec = {
        .source = "kron_judge.cl",
        .kernel = "kron_judge",
        .block = T->block > 1 ? T->block : 0,
        .wide = T->wide,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .defines = {{"STAGES", T->stages}, {"LISTED", T->row != NULL}},
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status judge(lcl_context *ctx, const struct terms *T,
                             const struct lcl_judged *v)
{
    const int groups = lcl_vector_groups(lcl_context_caps(ctx));
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, T);
    if (st < 0 || !v)
        return st;
    return LCL_LAUNCH(
        kernel, groups, lcl_arg_long(T->rows),
        lcl_arg_buffer(T->row ? T->row : T->col[0]), lcl_arg_buffer(T->ptr[0]),
        lcl_arg_buffer(T->col[0]), lcl_arg_buffer(T->val[0]),
        lcl_arg_buffer(T->ptr[1]), lcl_arg_buffer(T->col[1]),
        lcl_arg_buffer(T->val[1]), lcl_arg_long(T->paired ? 1 : 0),
        lcl_arg_long(T->paired ? 2 : 1), lcl_arg_buffer(T->coef),
        lcl_arg_long(T->n), lcl_arg_long(T->own.by_row),
        lcl_arg_long(T->own.by_stage), lcl_arg_buffer(v->x),
        lcl_arg_long(T->far.by_row), lcl_arg_long(T->far.by_stage),
        lcl_arg_buffer(T->ghost ? T->ghost : v->x), lcl_arg_buffer(v->b),
        lcl_arg_buffer(v->r), lcl_arg_buffer(v->backward));
}

static void set_term(struct terms *T, int k, const struct lcl_device_matrix *D)
{
    T->ptr[k] = D->row_ptr;
    T->col[k] = D->col;
    T->val[k] = D->val;
}

enum lcl_status lcl_kron_judge(lcl_operator *A, const struct lcl_judged *v)
{
    const struct lcl_kron_operator *K = lcl_kron_of(A);
    const struct lcl_device_matrix *M = &K->term[0];
    const struct lcl_device_matrix *L = &K->term[K->paired ? 0 : 1];
    const bool together = K->ops->stages_innermost;
    struct terms T = {.rows = M->block_rows,
                      .n = M->block_rows,
                      .paired = K->paired,
                      .wide = M->wide,
                      .block = K->block,
                      .stages = K->stages,
                      .coef = K->coef};
    T.own.by_row = together ? K->stages : 1;
    T.own.by_stage = together ? 1 : M->block_rows * K->block;
    if (M->wide != L->wide)
        return lcl_refuse_wide(M->blocks + L->blocks, "one of two matrices",
                               lcl_context_log(A->range.ctx));
    set_term(&T, 0, M);
    set_term(&T, 1, L);
    return judge(A->range.ctx, &T, v);
}

enum lcl_status lcl_kron_judge_boundary(const struct lcl_kron_boundary *B,
                                        const struct lcl_halo *H,
                                        const lcl_buffer *coef,
                                        const struct lcl_judged *v)
{
    const struct lcl_halo_plan *P = &H->plan;
    const struct terms T = {.rows = P->boundary,
                            .n = P->rows,
                            .row = B->row,
                            .ptr = {B->row_ptr, B->row_ptr},
                            .col = {B->col, B->col},
                            .val = {B->val, B->val},
                            .paired = true,
                            .block = H->layout.block,
                            .stages = H->layout.stages,
                            .coef = coef,
                            .ghost = H->ghost,
                            .own = H->layout,
                            .far = H->ghost_layout};
    return P->boundary > 0 ? judge(H->space.ctx, &T, v) : LCL_OK;
}
