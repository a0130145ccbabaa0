// SPDX-License-Identifier: BSD-3-Clause
// Two levels as one operator for interleaved columns: coarse_columns.cl.
#include "lib/multilevel/two_level.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/interleaved.h"

struct columns {
    const struct lcl_two_level *T;
    lcl_operator smoother; // interleaved; unused in COARSE
    lcl_kernel *restriction, *solve, *prolong;
    lcl_buffer *t, *e; // columns of coarse unknowns
    lcl_buffer *sums;  // for forms whose sums nobody asks for
};

// ------------------------------------------------------------------- steps

// E^-1 Z^T x, or E^-1 (Z^T x - W^T y)
static enum lcl_status correct(const struct columns *K,
                               const struct lcl_operands *v, bool deflate)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_coarse_pattern *P = &C->pattern;
    const struct lcl_gemv *G = &C->gemv;
    const enum lcl_status st = LCL_LAUNCH(
        K->restriction, C->aggregates, lcl_arg_buffer(P->agg_ptr),
        lcl_arg_buffer(P->agg_parts), lcl_arg_buffer(P->part_ptr),
        lcl_arg_buffer(P->col_ptr), lcl_arg_buffer(P->order),
        lcl_arg_buffer(P->run_row), lcl_arg_buffer(C->w), lcl_arg_buffer(v->x),
        lcl_arg_buffer(deflate ? v->y : NULL), lcl_arg_buffer(K->t),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->solve, C->groups, lcl_arg_long(G->n), lcl_arg_long(G->stride),
        lcl_arg_buffer(G->single ? G->single : G->matrix), lcl_arg_buffer(K->t),
        lcl_arg_buffer(K->e), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// y = y + Z e, and partial sums of <x, y>
static enum lcl_status prolong(const struct columns *K,
                               const struct lcl_operands *v)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(K->prolong, C->groups, lcl_arg_long(C->parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->part_agg),
                      lcl_arg_buffer(K->e), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums ? v->sums : K->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// The sums of APPLY_DOT are those with w = x.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct columns *K = A->state;
    const enum lcl_two_level_form form = K->T->form;
    const bool alone = form == LCL_TWO_LEVEL_COARSE;
    enum lcl_status st = alone ? lcl_buffer_fill(v->y, 0)
                               : lcl_apply(&K->smoother, LCL_APPLY, v);
    (void)mode;
    if (st < 0 || K->T->coarse->off ||
        (st = correct(K, v, form == LCL_TWO_LEVEL_DEFLATED)) < 0)
        return st;
    return prolong(K, v);
}

static void destroy(lcl_operator *A)
{
    struct columns *K = A->state;
    lcl_operator_finish(&K->smoother);
    lcl_buffer_destroy(&K->t);
    lcl_buffer_destroy(&K->e);
    lcl_buffer_destroy(&K->sums);
    lcl_free(K);
}

static const struct lcl_operator_ops ops = {
    .apply = apply,
    .destroy = destroy,
};

// ------------------------------------------------------------------- set-up

static enum lcl_status get_kernels(struct columns *K, int columns)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_kernel_plan all[] = {
        {&K->restriction, "columns_restrict"},
        {&K->solve, "columns_solve"},
        {&K->prolong, "columns_prolong"},
    };
    struct lcl_spec spec = {.source = "coarse_columns.cl",
                            .storage = C->gemv.single ? 2 : 0};
    return lcl_interleaved_spec(&spec, lcl_context_caps(C->ctx), columns)
               ? lcl_kernels_get(C->ctx, &spec, all, 3)
               : LCL_EUNSUPPORTED;
}

static enum lcl_status set_up(struct columns *K, lcl_operator *out, int columns)
{
    const struct lcl_two_level *T = K->T;
    const struct lcl_coarse_space *C = T->coarse;
    const struct lcl_buffer_plan all[] = {
        {&K->t, C->rows * columns, sizeof(double), "coarse vectors"},
        {&K->e, C->rows * columns, sizeof(double), "coarse vectors"},
        {&K->sums, C->groups * columns, sizeof(double), "partial sums"},
    };
    enum lcl_status st = LCL_OK;
    if (T->form != LCL_TWO_LEVEL_COARSE)
        st = lcl_operator_interleave(&K->smoother, T->smoother, columns);
    if (st < 0 || (st = get_kernels(K, columns)) < 0)
        return st;
    out->launches = 3 + (T->form != LCL_TWO_LEVEL_COARSE);
    if (T->form == LCL_TWO_LEVEL_DEFLATED && !C->off)
        out->modes |= LCL_MODE_BIT(LCL_APPLY_DOT);
    return lcl_buffers_create(C->ctx, all, 3);
}

enum lcl_status lcl_two_level_interleave(lcl_operator *out,
                                         const struct lcl_two_level *T,
                                         int columns)
{
    const struct lcl_coarse_space *C = T->coarse;
    if (C->block > 1 || C->shared || C->gemv.list ||
        C->gemv.method == LCL_GEMV_CLBLAST || T->form == LCL_TWO_LEVEL_MULT)
        return LCL_EUNSUPPORTED;
    struct columns *K = lcl_calloc(1, sizeof *K);
    if (!K)
        return lcl_fail_memory(lcl_context_log(C->ctx), "two levels");
    K->T = T;
    out->ops = &ops;
    out->state = K;
    return set_up(K, out, columns);
}
