// SPDX-License-Identifier: BSD-3-Clause
// CG as published in Gogusdere's report on row-binned CG (METU, MMI713, section
// IV.A): the host computes the scalars and reads each dot product when it needs
// it. The listing divides by <p, A p> for beta; this code uses the correct
// divisor, the last <r, r>. The kernels are in cl/krylov/cg_published.cl.
#include "lib/krylov/pipeline.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"

#include <math.h>

struct published {
    lcl_kernel *dot, *axpy, *scale_add;
    lcl_buffer *p, *v, *result; // v = A p; one double
    int64_t groups;
};

// The method of atomic addition in global memory on this device, or NONE.
static enum lcl_atomic_add global_add(const struct lcl_caps *caps)
{
    return caps->local_add == LCL_ATOMIC_ADD_NV_PTX ? LCL_ATOMIC_ADD_NV_PTX
           : caps->int64_atomics                    ? LCL_ATOMIC_ADD_CAS
                                                    : LCL_ATOMIC_ADD_NONE;
}

static enum lcl_status check(const struct lcl_solver *S)
{
    const struct lcl_log *log = lcl_context_log(S->ctx);
    const struct lcl_caps *caps = lcl_context_caps(S->ctx);
    if (!S->M->identity)
        return lcl_fail(
            log, LCL_EUNSUPPORTED,
            "cg_published supports no preconditioner; use precond=none");
    if (global_add(caps) == LCL_ATOMIC_ADD_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "cg_published needs 64-bit atomics, which %s does not "
                        "support; use cg",
                        caps->name);
    return LCL_OK;
}

static enum lcl_status create(struct lcl_solver *S)
{
    enum lcl_status st = check(S);
    if (st < 0)
        return st;
    struct published *K = S->method = lcl_calloc(1, sizeof *K);
    if (!K)
        return lcl_fail_memory(lcl_context_log(S->ctx), "CG");
    const struct lcl_caps *caps = lcl_context_caps(S->ctx);
    const int group = lcl_vector_group(caps);
    lcl_buffer **const vectors[] = {&K->p, &K->v};
    const struct lcl_kernel_plan kernels[] = {
        {&K->dot, "vector_dot"},
        {&K->axpy, "vector_axpy"},
        {&K->scale_add, "vector_scale_add"},
    };
    const struct lcl_spec spec = {.source = "cg_published.cl",
                                  .add = global_add(caps)};
    K->groups = group == 1 ? lcl_vector_groups(caps)
                           : (S->A->range.n + group - 1) / group;
    S->launches = 5 + S->A->launches;
    if ((st = lcl_krylov_kernels(S->ctx, spec, kernels, 3)) < 0 ||
        (st = lcl_krylov_vectors(S, vectors, 2)) < 0)
        return st;
    return lcl_buffer_create(&K->result, S->ctx, 1, sizeof(double),
                             "a dot product");
}

static void destroy(struct lcl_solver *S)
{
    struct published *K = S->method;
    if (!K)
        return;
    lcl_buffer_destroy(&K->p);
    lcl_buffer_destroy(&K->v);
    lcl_buffer_destroy(&K->result);
    lcl_free(K);
}

static enum lcl_status dot(const struct lcl_solver *S, const lcl_buffer *a,
                           const lcl_buffer *b, double *result)
{
    const struct published *K = S->method;
    enum lcl_status st;
    if ((st = lcl_buffer_fill(K->result, 0)) < 0 ||
        (st = LCL_LAUNCH(K->dot, K->groups, lcl_arg_long(S->A->range.n),
                         lcl_arg_buffer(a), lcl_arg_buffer(b),
                         lcl_arg_buffer(K->result))) < 0 ||
        (st = lcl_buffer_read(K->result, result, sizeof *result)) < 0)
        return st;
    return lcl_space_sum(&S->A->range, result, 1);
}

// y = y + alpha x, or with scale_add y = x + alpha y.
static enum lcl_status combine(const struct lcl_solver *S, lcl_kernel *kernel,
                               double alpha, const lcl_buffer *x, lcl_buffer *y)
{
    const struct published *K = S->method;
    return LCL_LAUNCH(kernel, K->groups, lcl_arg_long(S->A->range.n),
                      lcl_arg_double(alpha), lcl_arg_buffer(x),
                      lcl_arg_buffer(y));
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
    const struct published *K = S->method;
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
    if ((st = combine(S, K->axpy, -alpha, K->v, S->r)) < 0 ||
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
    if ((st = combine(S, K->axpy, alpha, K->p, S->x)) < 0)
        return st;
    const double beta = next / *rr;
    *rr = next;
    if ((st = lcl_best_offer(S, residual)) < 0)
        return st;
    return combine(S, K->scale_add, beta, S->r, K->p);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    const struct published *K = S->method;
    double rr = S->r_dot_r;
    enum lcl_status st = lcl_buffer_copy(K->p, S->r);
    S->stop = S->rr <= S->target                     ? LCL_STOP_RTOL
              : S->iterations == S->params.max_iters ? LCL_STOP_MAX_ITERS
                                                     : LCL_STOP_NONE;
    while (st == LCL_OK && S->stop == LCL_STOP_NONE)
        st = step(S, &rr);
    return st;
}

const struct lcl_krylov_ops lcl_cg_published = {
    .create = create,
    .cycle = cycle,
    .destroy = destroy,
    .symmetric = true,
};
