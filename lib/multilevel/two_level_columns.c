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
    lcl_kernel *owners, *restriction, *solve, *prolong;
    lcl_buffer *owner;            // aggregate of each row, int32
    lcl_buffer *s, *t, *e, *dots; // columns of coarse unknowns
    lcl_buffer *sums; // of the smoother, by subdomain; NULL: it has none
};

// ------------------------------------------------------------------- steps

// S = Z^T X, T = S - W^T Y or S, and <x, y> over each aggregate
static enum lcl_status restrict_columns(const struct columns *K, bool deflate,
                                        const struct lcl_operands *v)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_coarse_pattern *P = &C->pattern;
    const lcl_buffer *y = K->T->form == LCL_TWO_LEVEL_COARSE ? NULL : v->y;
    return LCL_LAUNCH(K->restriction, P->aggregates, lcl_arg_int(deflate),
                      lcl_arg_buffer(P->agg_ptr), lcl_arg_buffer(P->agg_parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->col_ptr),
                      lcl_arg_buffer(P->order), lcl_arg_buffer(P->run_row),
                      lcl_arg_buffer(C->w), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(y), lcl_arg_buffer(K->s),
                      lcl_arg_buffer(K->t), lcl_arg_buffer(K->dots),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at),
                      lcl_arg_long(P->parts), lcl_arg_buffer(K->sums));
}

// E = A^-1 T, and partial sums of <x, y + Z e>
static enum lcl_status solve_columns(const struct columns *K,
                                     const struct lcl_operands *v)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_gemv *G = &C->gemv;
    const bool alone = K->T->form == LCL_TWO_LEVEL_COARSE;
    return LCL_LAUNCH(
        K->solve, C->groups, lcl_arg_long(G->n), lcl_arg_long(G->stride),
        lcl_arg_buffer(G->single ? G->single : G->matrix), lcl_arg_buffer(K->t),
        lcl_arg_buffer(K->dots), lcl_arg_buffer(alone ? NULL : K->s),
        lcl_arg_buffer(K->e), lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
        lcl_arg_int(v->at));
}

static enum lcl_status correct(const struct columns *K,
                               const struct lcl_operands *v)
{
    const bool deflate = K->T->form == LCL_TWO_LEVEL_DEFLATED;
    const enum lcl_status st = restrict_columns(K, deflate, v);
    return st < 0 ? st : solve_columns(K, v);
}

static enum lcl_status prolong(const struct columns *K,
                               const struct lcl_operands *v)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    return LCL_LAUNCH(K->prolong, C->groups, lcl_arg_long(C->n),
                      lcl_arg_buffer(K->owner), lcl_arg_buffer(K->e),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// Except in COARSE, y lacks Z e: A->late.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct columns *K = A->state;
    const bool alone = K->T->form == LCL_TWO_LEVEL_COARSE;
    struct lcl_operands smooth = *v;
    enum lcl_status st = LCL_OK;
    (void)mode;
    smooth.sums = K->sums;
    if (!alone)
        st = lcl_apply(&K->smoother, K->sums ? LCL_APPLY_DOT : LCL_APPLY,
                       &smooth);
    if (st < 0 || K->T->coarse->off || (st = correct(K, v)) < 0)
        return st;
    return alone ? prolong(K, v) : LCL_OK;
}

static void destroy(lcl_operator *A)
{
    struct columns *K = A->state;
    lcl_operator_finish(&K->smoother);
    lcl_buffer_destroy(&K->owner);
    lcl_buffer_destroy(&K->s);
    lcl_buffer_destroy(&K->t);
    lcl_buffer_destroy(&K->e);
    lcl_buffer_destroy(&K->dots);
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
        {&K->owners, "columns_owners"},
        {&K->restriction, "columns_restrict"},
        {&K->solve, "columns_solve"},
        {&K->prolong, "columns_prolong"},
    };
    struct lcl_spec spec = {.source = "coarse_columns.cl",
                            .storage = C->gemv.single ? 2 : 0};
    return lcl_interleaved_spec(&spec, lcl_context_caps(C->ctx), columns)
               ? lcl_kernels_get(C->ctx, &spec, all, 4)
               : LCL_EUNSUPPORTED;
}

static enum lcl_status find_owners(const struct columns *K)
{
    const struct lcl_coarse_space *C = K->T->coarse;
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(K->owners, C->groups, lcl_arg_long(P->parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->part_agg),
                      lcl_arg_buffer(K->owner));
}

static enum lcl_status set_up(struct columns *K, lcl_operator *out, int columns)
{
    const struct lcl_two_level *T = K->T;
    const struct lcl_coarse_space *C = T->coarse;
    const int64_t unknowns = C->rows * columns;
    const int64_t sums = 2 * columns * C->pattern.parts;
    const struct lcl_buffer_plan all[] = {
        {&K->s, unknowns, sizeof(double), "coarse vectors"},
        {&K->t, unknowns, sizeof(double), "coarse vectors"},
        {&K->e, unknowns, sizeof(double), "coarse vectors"},
        {&K->dots, unknowns, sizeof(double), "coarse vectors"},
        {&K->owner, C->n, sizeof(int32_t), "aggregates of rows"},
    };
    const bool alone = T->form == LCL_TWO_LEVEL_COARSE;
    enum lcl_status st = LCL_OK;
    if (!alone)
        st = lcl_operator_interleave(&K->smoother, T->smoother, columns);
    if (st < 0 || (st = get_kernels(K, columns)) < 0 ||
        (st = lcl_buffers_create(C->ctx, all, 5)) < 0)
        return st;
    if (!alone && lcl_operator_has(&K->smoother, LCL_APPLY_DOT) &&
        (st = lcl_buffer_create(&K->sums, C->ctx, sums, sizeof(double),
                                "partial sums")) < 0)
        return st;
    out->launches = 3;
    out->range.groups = C->groups;
    if (!alone && !C->off) {
        out->modes = LCL_MODE_BIT(LCL_APPLY_DOT);
        out->late = (struct lcl_late){K->e, K->owner};
    }
    return find_owners(K);
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
