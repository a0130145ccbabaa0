// SPDX-License-Identifier: BSD-3-Clause
// CG as published in Gogusdere's report on row-binned CG (METU, MMI713, section
// IV.A): the host computes the scalars and reads each dot product when it needs
// it. The listing divides by <p, A p> for beta; this code uses the correct
// divisor, the last <r, r>. The kernels are in cl/krylov/cg_published.cl.
#include "lib/krylov/methods.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/cg_vectors.h"

#include <math.h>

struct published {
    struct lcl_cg_vectors vectors;
    lcl_buffer *p, *v; // v = A p
};

static enum lcl_status create(struct lcl_solver *S)
{
    struct published *K = S->state;
    const struct lcl_caps *caps = lcl_context_caps(S->ctx);
    if (lcl_cg_vectors_add(caps, false) == LCL_ATOMIC_ADD_NONE)
        return lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                        "cg_published needs 64-bit atomics, which %s does not "
                        "support; use cg",
                        caps->name);
    return lcl_cg_vectors_init(&K->vectors, S->ctx, S->A->range.n, false);
}

static void destroy(struct lcl_solver *S)
{
    struct published *K = S->state;
    lcl_cg_vectors_finish(&K->vectors);
}

static enum lcl_status dot(const struct lcl_solver *S, const lcl_buffer *a,
                           const lcl_buffer *b, double *result)
{
    const struct published *K = S->state;
    const enum lcl_status st = lcl_cg_dot(&K->vectors, a, b, result);
    return st < 0 ? st : lcl_space_sum(&S->A->range, result, 1);
}

// Stop reasons derived from the dot products of a step.
static enum lcl_stop judge_curvature(double pv)
{
    return !isfinite(pv) ? LCL_STOP_NOT_FINITE
           : pv > 0      ? LCL_STOP_NONE
                         : LCL_STOP_INDEFINITE_MATRIX;
}

static enum lcl_status judge_residual(struct lcl_solver *S, double rr)
{
    S->stop = !isfinite(rr)                          ? LCL_STOP_NOT_FINITE
              : rr <= S->target                      ? LCL_STOP_RTOL
              : S->iterations == S->params.max_iters ? LCL_STOP_MAX_ITERS
                                                     : LCL_STOP_NONE;
    return S->stop == LCL_STOP_NONE ? lcl_krylov_watch(S) : LCL_OK;
}

// One iteration, from *rr = <r, r>. Updates x only after the sum that may not
// be finite has been checked.
static enum lcl_status step(struct lcl_solver *S, double *rr)
{
    const struct published *K = S->state;
    const struct lcl_cg_vectors *V = &K->vectors;
    const struct lcl_operands v = {
        .x = K->p, .y = K->v, .stop = lcl_context_no_stop(S->ctx)};
    double pv, next, residual;
    enum lcl_status st;
    if ((st = lcl_apply(S->A, LCL_APPLY, &v)) < 0 ||
        (st = dot(S, K->p, K->v, &pv)) < 0)
        return st;
    S->stop = judge_curvature(pv);
    if (S->stop != LCL_STOP_NONE)
        return LCL_OK;
    const double alpha = *rr / pv;
    if ((st = lcl_cg_combine(V, V->axpy, lcl_arg_double(-alpha), K->v, S->r)) <
            0 ||
        (st = dot(S, S->r, S->r, &next)) < 0)
        return st;
    residual = next;
    if ((isfinite(next) &&
         (st = lcl_norm_measure(&S->norm, S->r, &residual)) < 0) ||
        (st = lcl_krylov_note(S, S->iterations + 1, residual)) < 0 ||
        (st = judge_residual(S, residual)) < 0)
        return st;
    if (S->stop == LCL_STOP_NOT_FINITE)
        return LCL_OK;
    if ((st = lcl_cg_combine(V, V->axpy, lcl_arg_double(alpha), K->p, S->x)) <
        0)
        return st;
    const double beta = next / *rr;
    *rr = next;
    if ((st = lcl_best_offer(S, residual)) < 0)
        return st;
    return lcl_cg_combine(V, V->scale_add, lcl_arg_double(beta), S->r, K->p);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    const struct published *K = S->state;
    double rr = S->r_dot_r;
    enum lcl_status st = lcl_buffer_copy(K->p, S->r);
    S->stop = S->rr <= S->target                     ? LCL_STOP_RTOL
              : S->iterations == S->params.max_iters ? LCL_STOP_MAX_ITERS
                                                     : LCL_STOP_NONE;
    while (st == LCL_OK && S->stop == LCL_STOP_NONE)
        st = step(S, &rr);
    return st;
}

#define AT(member) offsetof(struct published, member)

const struct lcl_krylov_method lcl_cg_published = {
    .facts = {.symmetric = true,
              .definite = true,
              .no_precond = true,
              .products = 1},
    .cost = {.vectors = 3, .passes = 12},
    .bytes = sizeof(struct published),
    .vectors = {AT(p), AT(v)},
    .launches = 5,
    .products = {LCL_APPLY},
    .create = create,
    .destroy = destroy,
    .cycle = cycle,
};
