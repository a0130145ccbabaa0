// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned MINRES (Paige and Saunders 1975) without a blocking read per
// iteration. The kernels are in cl/krylov/minres.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/minres.cl.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"

// Element it % 2 of v, z and w belongs to iteration `it`.
struct minres {
    struct lcl_pipeline pipeline;
    lcl_kernel *v_kernel, *x_kernel;
    lcl_buffer *v[2], *w[2];
    lcl_buffer *z[2]; // NULL: M = I, z is v
    lcl_buffer *q;
    lcl_buffer *dots; // partial sums of <z, q>
};

static const lcl_buffer *z_of(const struct minres *K, int it)
{
    return K->z[it % 2] ? K->z[it % 2] : K->v[it % 2];
}

// Over the ranks: <z, q>; <v, z> and <r, r>, as far as the kernel reads them.
static enum lcl_status reduce_before_v(struct lcl_solver *S, int it)
{
    const struct minres *K = S->state;
    const struct lcl_space *V = &S->A->range;
    const bool plain = !K->z[0];
    const int first = it == 0 && !plain ? 0 : 1;
    const struct lcl_dots zq = lcl_dot(z_of(K, it), K->q);
    const struct lcl_dots dots[] = {lcl_dot(K->v[it % 2], z_of(K, it)),
                                    lcl_dot(S->r, S->r)};
    const enum lcl_status st =
        lcl_space_reduce_dots(V, K->dots, 0, &zq, 1, V->groups);
    if (st < 0 || (plain && it > 0))
        return st;
    return lcl_space_reduce_dots(V, S->sums, first, dots + first, 2 - first,
                                 V->groups);
}

// Iteration `it` of the cycle, up to the point where its residual is known.
static enum lcl_status enqueue_v(struct lcl_solver *S, int it)
{
    const struct minres *K = S->state;
    const int groups = S->A->range.groups, plain = !K->z[0];
    enum lcl_status st = reduce_before_v(S, it);
    if (st < 0 || (st = lcl_pipeline_norm(&K->pipeline, S, MINRES_STOP_X)) < 0)
        return st;
    return LCL_LAUNCH(
        K->v_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_double(S->target), lcl_arg_int(groups), lcl_arg_int(plain),
        lcl_arg_buffer(K->dots), lcl_arg_buffer(S->sums), lcl_arg_buffer(K->q),
        lcl_arg_buffer(K->v[it % 2]), lcl_arg_buffer(K->v[(it + 1) % 2]),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_x(struct lcl_solver *S, int it)
{
    const struct minres *K = S->state;
    const int groups = S->A->range.groups;
    const int no_r = !K->z[0] && S->norm.type == LCL_NORM_2;
    const struct lcl_dots vz = lcl_dot(K->v[(it + 1) % 2], z_of(K, it + 1));
    const enum lcl_status st =
        lcl_space_reduce_dots(&S->A->range, S->sums, 0, &vz, 1, groups);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->x_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_int(groups), lcl_arg_int(no_r), lcl_arg_buffer(S->sums),
        lcl_arg_buffer(z_of(K, it)), lcl_arg_buffer(K->v[(it + 1) % 2]),
        lcl_arg_buffer(K->w[it % 2]), lcl_arg_buffer(K->w[(it + 1) % 2]),
        lcl_arg_buffer(S->x), lcl_arg_buffer(S->r),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

// z = M^-1 v and partial sums of <v, z>, for iteration `it`.
static enum lcl_status enqueue_z(struct lcl_solver *S, int it,
                                 const lcl_buffer *stop, int at)
{
    const struct minres *K = S->state;
    const struct lcl_operands v = {.x = K->v[it % 2],
                                   .w = K->v[it % 2],
                                   .y = K->z[it % 2],
                                   .sums = S->sums,
                                   .stop = stop,
                                   .at = at};
    return K->z[0] ? lcl_apply(S->M, LCL_APPLY_DOT, &v) : LCL_OK;
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    const struct minres *K = S->state;
    const lcl_buffer *stop = K->pipeline.stop, *z = z_of(K, it);
    const struct lcl_operands v = {.x = z,
                                   .w = z,
                                   .y = K->q,
                                   .sums = K->dots,
                                   .stop = stop,
                                   .at = MINRES_STOP_X};
    enum lcl_status st;
    if ((st = lcl_apply(S->A, LCL_APPLY_DOT, &v)) < 0 ||
        (st = enqueue_v(S, it)) < 0 ||
        (st = lcl_best_checkpoint(S, it, K->pipeline.state, stop,
                                  MINRES_STOP_V)) < 0 ||
        (st = enqueue_z(S, it + 1, stop, MINRES_STOP_V)) < 0)
        return st;
    return enqueue_x(S, it);
}

// v and z of iteration 0; v and w of the iterations before are 0.
static enum lcl_status begin(struct lcl_solver *S)
{
    struct minres *K = S->state;
    enum lcl_status st;
    if ((st = lcl_buffer_copy(K->v[0], S->r)) < 0 ||
        (st = lcl_buffer_fill(K->v[1], 0)) < 0 ||
        (st = lcl_buffer_fill(K->w[0], 0)) < 0 ||
        (st = lcl_buffer_fill(K->w[1], 0)) < 0)
        return st;
    return enqueue_z(S, 0, lcl_context_no_stop(S->ctx), 0);
}

#define AT(member) offsetof(struct minres, member)

const struct lcl_krylov_method lcl_minres = {
    .facts = {.symmetric = true, .definite_precond = true, .products = 1},
    .names_dots = true,
    .cost = {.vectors = 7, .passes = 12},
    .bytes = sizeof(struct minres),
    .source = "minres.cl",
    .kernels = {{"minres_v", AT(v_kernel)}, {"minres_x", AT(x_kernel)}},
    .vectors = {AT(v[0]), AT(v[1]), AT(w[0]), AT(w[1]), AT(q)},
    .precond_vectors = {AT(z[0]), AT(z[1])},
    .dots = AT(dots),
    .launches = 2,
    .products = {LCL_APPLY_DOT},
    .applications = LCL_APPLY_DOT,
    .steps = {MINRES_STOPS, MINRES_WORDS, enqueue_step, enqueue_v, NULL},
    .begin = begin,
};
