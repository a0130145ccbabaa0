// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned CG (Hestenes and Stiefel 1952) without a blocking read per
// iteration. The kernels are in cl/krylov/cg.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/cg.cl.h"
#include "host/launch.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"

struct cg {
    struct lcl_pipeline pipeline;
    lcl_kernel *p_kernel, *r_kernel;
    lcl_buffer *p, *v;
    lcl_buffer *z;    // NULL: M = I, z is r
    lcl_buffer *dots; // partial sums of <p, v>
    int first;        // iteration from which the cycle counts
};

static enum lcl_status enqueue_p(struct lcl_solver *S, int it, bool plain,
                                 const lcl_buffer *z)
{
    const struct cg *K = S->state;
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
    const struct cg *K = S->state;
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
    const struct cg *K = S->state;
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
    const struct cg *K = S->state;
    const struct lcl_space *V = &S->A->range;
    const struct lcl_dots dots[] = {lcl_dot(S->r, K->z), lcl_dot(S->r, S->r)};
    const int first = K->z ? 0 : 1;
    return lcl_space_reduce_dots(V, S->sums, first, dots + first, 2 - first,
                                 V->groups);
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    const struct cg *K = S->state;
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

static enum lcl_status begin(struct lcl_solver *S)
{
    struct cg *K = S->state;
    K->first = S->iterations;
    lcl_patience_begin(&S->patience, K->first);
    return LCL_OK;
}

// Reports by how much the steps of this cycle have reduced the error.
static enum lcl_status look(struct lcl_solver *S, const double *state)
{
    const struct cg *K = S->state;
    lcl_patience_note(&S->patience, K->first + (int)state[KRYLOV_STEPS],
                      state[CG_ENERGY], S->params.stagnation);
    return LCL_OK;
}

#define AT(member) offsetof(struct cg, member)

const struct lcl_krylov_method lcl_cg = {
    .facts = {.symmetric = true, .definite = true, .products = 1},
    .names_dots = true,
    .columns = true,
    .cost = {.vectors = 4, .passes = 12},
    .bytes = sizeof(struct cg),
    .source = "cg.cl",
    .kernels = {{"cg_p", AT(p_kernel)}, {"cg_r", AT(r_kernel)}},
    .vectors = {AT(p), AT(v)},
    .precond_vectors = {AT(z)},
    .dots = AT(dots),
    .launches = 2,
    .products = {LCL_APPLY_DOT},
    .applications = LCL_APPLY_DOT,
    .steps = {CG_STOPS, CG_WORDS, enqueue_step, enqueue_last, look},
    .begin = begin,
};
