// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned CG (Hestenes and Stiefel 1952) without a blocking read per
// iteration. The kernels are in cl/krylov/cg.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/cg.cl.h"
#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"

struct cg {
    struct lcl_pipeline pipeline;
    lcl_kernel *p_kernel, *r_kernel;
    lcl_buffer *p, *v;
    lcl_buffer *z;    // NULL: M = I, z is r
    lcl_buffer *dots; // partial sums of <p, v>
};

static enum lcl_status enqueue_p(struct lcl_solver *S, int it, bool plain,
                                 const lcl_buffer *z)
{
    const struct cg *K = S->method;
    const int groups = S->A->range.groups;
    const enum lcl_status st = lcl_pipeline_norm(&K->pipeline, S, CG_STOP_R);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->p_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_double(S->target), lcl_arg_int(groups), lcl_arg_int(plain),
        lcl_arg_buffer(S->sums), lcl_arg_buffer(z), lcl_arg_buffer(K->p),
        lcl_arg_buffer(S->x), lcl_arg_buffer(K->pipeline.state),
        lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_r(struct lcl_solver *S, int it)
{
    const struct cg *K = S->method;
    const int groups = S->A->range.groups;
    return LCL_LAUNCH(
        K->r_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_int(groups), lcl_arg_buffer(K->dots), lcl_arg_buffer(K->v),
        lcl_arg_buffer(S->r), lcl_arg_buffer(S->sums),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

// z = M^-1 r and partial sums of <r, z>.
static enum lcl_status enqueue_z(struct lcl_solver *S)
{
    const struct cg *K = S->method;
    const struct lcl_operands v = {.x = S->r,
                                   .w = S->r,
                                   .y = K->z,
                                   .sums = S->sums,
                                   .stop = K->pipeline.stop,
                                   .at = CG_STOP_R};
    return lcl_apply(S->M, LCL_APPLY_DOT, &v);
}

// Over the ranks: <r, r> and, preconditioned, <r, z>.
static enum lcl_status reduce(struct lcl_solver *S)
{
    const struct cg *K = S->method;
    const struct lcl_space *V = &S->A->range;
    const struct lcl_dots dots[] = {lcl_dot(S->r, K->z), lcl_dot(S->r, S->r)};
    const int first = K->z ? 0 : 1;
    return lcl_space_reduce_dots(V, S->sums, first, dots + first, 2 - first,
                                 V->groups);
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    const struct cg *K = S->method;
    const struct lcl_space *V = &S->A->range;
    const lcl_buffer *stop = K->pipeline.stop, *z = K->z ? K->z : S->r;
    const struct lcl_operands v = {.x = K->p,
                                   .w = K->p,
                                   .y = K->v,
                                   .sums = K->dots,
                                   .stop = stop,
                                   .at = CG_STOP_P};
    const struct lcl_dots pv = lcl_dot(K->p, K->v);
    enum lcl_status st;
    if (K->z && (st = enqueue_z(S)) < 0)
        return st;
    if ((st = reduce(S)) < 0 || (st = enqueue_p(S, it, !K->z, z)) < 0 ||
        (st = lcl_best_checkpoint(S, it, K->pipeline.state, stop, CG_STOP_P)) <
            0 ||
        (st = lcl_apply(S->A, LCL_APPLY_DOT, &v)) < 0 ||
        (st = lcl_space_reduce_dots(V, K->dots, 0, &pv, 1, V->groups)) < 0)
        return st;
    return enqueue_r(S, it);
}

// Computes the last residual and its x; the direction after that is unused.
static enum lcl_status enqueue_last(struct lcl_solver *S, int it)
{
    const struct lcl_space *V = &S->A->range;
    const struct lcl_dots rr = lcl_dot(S->r, S->r);
    const enum lcl_status st =
        lcl_space_reduce_dots(V, S->sums, 1, &rr, 1, V->groups);
    return st < 0 ? st : enqueue_p(S, it, true, S->r);
}

static const struct lcl_pipeline_ops pipeline_ops = {
    .stops = CG_STOPS,
    .words = CG_WORDS,
    .step = enqueue_step,
    .last = enqueue_last,
};

static enum lcl_status create(struct lcl_solver *S)
{
    struct cg *K = S->method = lcl_calloc(1, sizeof *K);
    if (!K)
        return lcl_fail_memory(lcl_context_log(S->ctx), "CG");
    const bool plain = S->M->identity;
    lcl_buffer **const vectors[] = {&K->p, &K->v, &K->z};
    const struct lcl_kernel_plan kernels[] = {{&K->p_kernel, "cg_p"},
                                              {&K->r_kernel, "cg_r"}};
    const struct lcl_spec spec = {.source = "cg.cl"};
    enum lcl_status st;
    if ((!plain && (st = lcl_operator_prepare(S->M, LCL_APPLY_DOT)) < 0) ||
        (S->additive &&
         (st = lcl_operator_prepare(S->additive, LCL_APPLY_DOT)) < 0) ||
        (st = lcl_krylov_kernels(S->ctx, spec, kernels, 2)) < 0 ||
        (st = lcl_krylov_vectors(S, vectors, plain ? 2 : 3)) < 0 ||
        (st = lcl_space_sums(&K->dots, &S->A->range)) < 0)
        return st;
    S->launches = 2 + lcl_operator_launches(S->A, LCL_APPLY_DOT);
    if (!plain)
        S->launches += lcl_operator_launches(S->M, LCL_APPLY_DOT);
    return lcl_pipeline_init(&K->pipeline, S->ctx, &pipeline_ops);
}

static void destroy(struct lcl_solver *S)
{
    struct cg *K = S->method;
    if (!K)
        return;
    lcl_pipeline_finish(&K->pipeline);
    lcl_buffer **const buffers[] = {&K->p, &K->v, &K->z, &K->dots};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(K);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    struct cg *K = S->method;
    return lcl_pipeline_run(&K->pipeline, S);
}

const struct lcl_krylov_ops lcl_cg = {
    .create = create,
    .cycle = cycle,
    .destroy = destroy,
    .names_dots = true,
    .symmetric = true,
};
