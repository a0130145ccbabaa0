// SPDX-License-Identifier: BSD-3-Clause
// Two levels as one operator.
#include "lib/multilevel/two_level.h"

#include "host/launch.h"

// ------------------------------------------------------------------- steps

static enum lcl_status coarse_solve(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v)
{
    const struct lcl_operands coarse = {
        .x = C->t, .y = C->e, .stop = v->stop, .at = v->at};
    return lcl_gemv_apply(&C->gemv, &coarse);
}

// e = E^-1 Z^T x
static enum lcl_status correct(const struct lcl_coarse_space *C,
                               const struct lcl_operands *v)
{
    const enum lcl_status st = lcl_coarse_restrict(C, v);
    return st < 0 ? st : coarse_solve(C, v);
}

// y = y + Z e
static enum lcl_status prolong(const struct lcl_coarse_space *C,
                               const struct lcl_operands *v)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_PROLONG], P->parts,
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->part_agg),
                      lcl_arg_buffer(C->e), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// y = y + Z e, and partial sums of <w, y>.
static enum lcl_status prolong_dot(const struct lcl_coarse_space *C,
                                   const struct lcl_operands *v)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_PROLONG_DOT], C->groups,
                      lcl_arg_long(P->parts), lcl_arg_buffer(P->part_ptr),
                      lcl_arg_buffer(P->part_agg), lcl_arg_buffer(C->e),
                      lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// ------------------------------------------------------------------- forms

// y = M^-1 r + Z e
static enum lcl_status smooth_and_add(const struct lcl_two_level *T,
                                      const lcl_buffer *r,
                                      const struct lcl_operands *v)
{
    const bool adds = lcl_operator_has(T->smoother, LCL_APPLY_ADD);
    const struct lcl_operands inner = {
        .x = r, .w = T->coarse->e, .y = v->y, .stop = v->stop, .at = v->at};
    const enum lcl_status st =
        lcl_apply(T->smoother, adds ? LCL_APPLY_ADD : LCL_APPLY, &inner);
    return st < 0 || adds ? st : prolong(T->coarse, v);
}

static enum lcl_status apply_add(const struct lcl_two_level *T,
                                 const struct lcl_operands *v)
{
    const enum lcl_status st = correct(T->coarse, v);
    return st < 0 ? st : smooth_and_add(T, v->x, v);
}

static enum lcl_status apply_mult(const struct lcl_two_level *T,
                                  const struct lcl_operands *v)
{
    enum lcl_status st;
    if ((st = correct(T->coarse, v)) < 0 ||
        (st = lcl_coarse_residual(T->coarse, v)) < 0)
        return st;
    return smooth_and_add(T, T->coarse->y, v);
}

static enum lcl_status apply_deflated(const struct lcl_two_level *T,
                                      enum lcl_mode mode,
                                      const struct lcl_operands *v)
{
    const struct lcl_coarse_space *C = T->coarse;
    enum lcl_status st;
    if ((st = lcl_apply(T->smoother, LCL_APPLY, v)) < 0 ||
        (st = lcl_coarse_deflate(C, v)) < 0 || (st = coarse_solve(C, v)) < 0)
        return st;
    return mode == LCL_APPLY_DOT ? prolong_dot(C, v) : prolong(C, v);
}

static enum lcl_status apply_coarse(const struct lcl_two_level *T,
                                    const struct lcl_operands *v)
{
    enum lcl_status st = lcl_buffer_fill(v->y, 0);
    if (st < 0 || T->coarse->off || (st = correct(T->coarse, v)) < 0)
        return st;
    return prolong(T->coarse, v);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_two_level *T = A->state;
    if (T->form == LCL_TWO_LEVEL_COARSE)
        return apply_coarse(T, v);
    if (T->coarse->off)
        return lcl_apply(T->smoother, mode, v);
    switch (T->form) {
    case LCL_TWO_LEVEL_ADD:
        return apply_add(T, v);
    case LCL_TWO_LEVEL_MULT:
        return apply_mult(T, v);
    case LCL_TWO_LEVEL_DEFLATED:
        return apply_deflated(T, mode, v);
    case LCL_TWO_LEVEL_COARSE:
        break;
    }
    return LCL_EINVAL;
}

static enum lcl_status prepare(lcl_operator *A)
{
    const struct lcl_two_level *T = A->state;
    return T->form == LCL_TWO_LEVEL_DEFLATED
               ? lcl_operator_prepare(T->smoother, LCL_APPLY_DOT)
               : LCL_OK;
}

static enum lcl_status interleave(lcl_operator *out, lcl_operator *A,
                                  int columns)
{
    return lcl_two_level_interleave(out, A->state, columns);
}

static const struct lcl_operator_ops ops = {
    .prepare = prepare,
    .apply = apply,
    .interleave = interleave,
};

// Launches besides the smoother's.
static int launches_of(const struct lcl_two_level *T)
{
    switch (T->form) {
    case LCL_TWO_LEVEL_ADD:
        return lcl_operator_has(T->smoother, LCL_APPLY_ADD) ? 2 : 3;
    case LCL_TWO_LEVEL_MULT:
        return lcl_operator_has(T->smoother, LCL_APPLY_ADD) ? 3 : 4;
    case LCL_TWO_LEVEL_DEFLATED:
    case LCL_TWO_LEVEL_COARSE:
        break;
    }
    return 3;
}

enum lcl_status lcl_two_level_init(struct lcl_two_level *T,
                                   struct lcl_coarse_space *C,
                                   lcl_operator *smoother,
                                   enum lcl_two_level_form form)
{
    const struct lcl_space V = lcl_space_of(C->ctx, C->n * C->block);
    *T =
        (struct lcl_two_level){.form = form, .coarse = C, .smoother = smoother};
    lcl_operator_init(&T->op, &ops, V, V);
    T->op.state = T;
    T->op.launches = launches_of(T);
    if (form != LCL_TWO_LEVEL_COARSE)
        T->op.launches += smoother->launches;
    if (form != LCL_TWO_LEVEL_DEFLATED)
        return LCL_OK;
    T->op.modes |= LCL_MODE_BIT(LCL_APPLY_DOT);
    return lcl_coarse_pattern_find_rows(&C->pattern, C->ctx);
}
