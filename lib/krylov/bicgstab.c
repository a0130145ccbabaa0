// SPDX-License-Identifier: BSD-3-Clause
// Right-preconditioned BiCGSTAB (van der Vorst 1992) without a blocking read
// per iteration. The kernels are in cl/krylov/bicgstab.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/bicgstab.cl.h"
#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"

struct bicgstab {
    struct lcl_pipeline pipeline;
    lcl_kernel *p_kernel, *s_kernel, *x_kernel;
    lcl_buffer *r0, *p, *v, *t, *y, *z;
    lcl_buffer *dots; // partial sums from the products
};

// Iteration `it` of the cycle, up to the point where its residual is known.
static enum lcl_status enqueue_p(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const int groups = S->A->range.groups;
    const struct lcl_dots dots[] = {lcl_dot(K->r0, S->r), lcl_dot(S->r, S->r)};
    const int first = it == 0 ? 1 : 0; // <r, r> alone, or also <r0, r>
    enum lcl_status st = lcl_space_reduce_dots(&S->A->range, S->sums, first,
                                               dots + first, 2 - first, groups);
    if (st < 0 ||
        (st = lcl_pipeline_norm(&K->pipeline, S, BICGSTAB_STOP_X)) < 0)
        return st;
    return LCL_LAUNCH(
        K->p_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_double(S->r_dot_r), lcl_arg_double(S->target),
        lcl_arg_int(groups), lcl_arg_buffer(S->sums), lcl_arg_buffer(S->r),
        lcl_arg_buffer(K->v), lcl_arg_buffer(K->p),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_s(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const int groups = S->A->range.groups;
    return LCL_LAUNCH(K->s_kernel, groups, lcl_arg_int(it),
                      lcl_arg_long(S->A->range.n), lcl_arg_int(groups),
                      lcl_arg_buffer(K->dots), lcl_arg_buffer(K->v),
                      lcl_arg_buffer(S->r), lcl_arg_buffer(K->pipeline.state),
                      lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_x(struct lcl_solver *S)
{
    const struct bicgstab *K = S->method;
    const int groups = S->A->range.groups;
    return LCL_LAUNCH(
        K->x_kernel, groups, lcl_arg_long(S->A->range.n), lcl_arg_int(groups),
        lcl_arg_buffer(K->dots), lcl_arg_buffer(K->y), lcl_arg_buffer(K->z),
        lcl_arg_buffer(K->t), lcl_arg_buffer(K->r0), lcl_arg_buffer(S->x),
        lcl_arg_buffer(S->r), lcl_arg_buffer(S->sums),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const struct lcl_space *V = &S->A->range;
    const lcl_buffer *stop = K->pipeline.stop;
    const struct lcl_operands v = {K->y,    K->r0, K->v,
                                   K->dots, stop,  BICGSTAB_STOP_P};
    const struct lcl_operands t = {K->z,    S->r, K->t,
                                   K->dots, stop, BICGSTAB_STOP_S};
    const struct lcl_dots r0_v = lcl_dot(K->r0, K->v);
    const struct lcl_dots of_t[] = {lcl_dot(K->t, S->r), lcl_dot(K->t, K->t)};
    enum lcl_status st;
    if ((st = enqueue_p(S, it)) < 0 ||
        (st = lcl_best_checkpoint(S, it, K->pipeline.state, stop,
                                  BICGSTAB_STOP_P)) < 0 ||
        (st = lcl_krylov_precondition(S, K->p, K->y, stop, BICGSTAB_STOP_P)) <
            0 ||
        (st = lcl_apply(S->A, LCL_APPLY_DOT, &v)) < 0 ||
        (st = lcl_space_reduce_dots(V, K->dots, 0, &r0_v, 1, V->groups)) < 0 ||
        (st = enqueue_s(S, it)) < 0 ||
        (st = lcl_krylov_precondition(S, S->r, K->z, stop, BICGSTAB_STOP_S)) <
            0 ||
        (st = lcl_apply(S->A, LCL_APPLY_DOT_NORM, &t)) < 0 ||
        (st = lcl_space_reduce_dots(V, K->dots, 0, of_t, 2, V->groups)) < 0)
        return st;
    return enqueue_x(S);
}

static const struct lcl_pipeline_ops pipeline_ops = {
    .stops = BICGSTAB_STOPS,
    .words = BICGSTAB_WORDS,
    .step = enqueue_step,
    .last = enqueue_p,
};

static enum lcl_status create(struct lcl_solver *S)
{
    struct bicgstab *K = S->method = lcl_calloc(1, sizeof *K);
    if (!K)
        return lcl_fail_memory(lcl_context_log(S->ctx), "BiCGSTAB");
    lcl_buffer **const vectors[] = {&K->r0, &K->p, &K->v, &K->t, &K->y, &K->z};
    const struct lcl_kernel_plan kernels[] = {{&K->p_kernel, "bicgstab_p"},
                                              {&K->s_kernel, "bicgstab_s"},
                                              {&K->x_kernel, "bicgstab_x"}};
    const struct lcl_spec spec = {.source = "bicgstab.cl"};
    enum lcl_status st;
    if ((st = lcl_krylov_kernels(S->ctx, spec, kernels, 3)) < 0 ||
        (st = lcl_krylov_vectors(S, vectors, 6)) < 0 ||
        (st = lcl_space_sums(&K->dots, &S->A->range)) < 0)
        return st;
    S->launches = 3 + 2 * S->M->launches +
                  lcl_operator_launches(S->A, LCL_APPLY_DOT) +
                  lcl_operator_launches(S->A, LCL_APPLY_DOT_NORM);
    return lcl_pipeline_init(&K->pipeline, S->ctx, &pipeline_ops);
}

static void destroy(struct lcl_solver *S)
{
    struct bicgstab *K = S->method;
    if (!K)
        return;
    lcl_pipeline_finish(&K->pipeline);
    lcl_buffer **const buffers[] = {&K->r0, &K->p, &K->v,   &K->t,
                                    &K->y,  &K->z, &K->dots};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(K);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    struct bicgstab *K = S->method;
    const enum lcl_status st = lcl_buffer_copy(K->r0, S->r);
    return st < 0 ? st : lcl_pipeline_run(&K->pipeline, S);
}

const struct lcl_krylov_ops lcl_bicgstab = {
    .create = create,
    .cycle = cycle,
    .destroy = destroy,
    .names_dots = true,
};
