// SPDX-License-Identifier: BSD-3-Clause
// Right-preconditioned GMRES(m) and FGMRES(m) without a blocking read per
// iteration; an iteration is a product with A and an application of M. Restarts
// are enqueued like any other step: x is updated from the cycle and r is
// recomputed. The host adds the columns of the last cycle.
#include "lib/krylov/arnoldi.h"
#include "lib/krylov/pipeline.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"

struct gmres {
    struct lcl_pipeline pipeline;
    struct lcl_arnoldi basis;
    lcl_buffer *z, *u; // M^-1 v and V y; NULL: M = I
};

// ------------------------------------------------------------------- cycles

// x = x + M^-1 V y, or x + Z y, for the k columns computed so far.
static enum lcl_status add_columns(struct lcl_solver *S, int k,
                                   const lcl_buffer *stop, int at)
{
    const struct gmres *K = S->state;
    const struct lcl_arnoldi *A = &K->basis;
    const struct lcl_operands to_x = {
        .x = A->Z ? A->Z : A->V, .y = S->x, .stop = stop, .at = at};
    const struct lcl_operands to_u = {
        .x = A->V, .y = K->u, .stop = stop, .at = at};
    enum lcl_status st = lcl_arnoldi_solve(A, k, stop, at);
    if (st < 0)
        return st;
    if (!K->u)
        return lcl_arnoldi_combine(A, k, true, &to_x);
    if ((st = lcl_arnoldi_combine(A, k, false, &to_u)) < 0 ||
        (st = lcl_krylov_precondition(S, K->u, K->z, stop, at)) < 0)
        return st;
    return LCL_LAUNCH(A->add, A->groups, lcl_arg_long(A->n),
                      lcl_arg_buffer(K->z), lcl_arg_buffer(S->x),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}

// Starts a cycle from r, which is recomputed after the last column of a
// previous cycle.
static enum lcl_status begin(struct lcl_solver *S, int it)
{
    const struct gmres *K = S->state;
    const struct lcl_arnoldi *A = &K->basis;
    const struct lcl_space *V = &S->A->range;
    const lcl_buffer *stop = K->pipeline.stop;
    const struct lcl_operands r = {S->x,    S->b, S->r,
                                   S->sums, stop, GMRES_STOP_STEP};
    const struct lcl_dots rr = lcl_dot(S->r, S->r);
    enum lcl_status st;
    if (it > 0 && ((st = add_columns(S, A->m, stop, GMRES_STOP_STEP)) < 0 ||
                   (st = lcl_apply(S->A, LCL_RESIDUAL, &r)) < 0))
        return st;
    if ((st = lcl_space_reduce_dots(V, S->sums, 1, &rr, 1, V->groups)) < 0 ||
        (st = lcl_pipeline_norm(&K->pipeline, S, GMRES_STOP_STEP)) < 0 ||
        (st = lcl_arnoldi_begin(A, it, S->target, V->groups, S->sums, S->r)) <
            0)
        return st;
    return lcl_best_checkpoint(S, it, K->pipeline.state, stop,
                               GMRES_STOP_BEGIN);
}

static enum lcl_status step(struct lcl_solver *S, int it)
{
    const struct gmres *K = S->state;
    const struct lcl_arnoldi *A = &K->basis;
    const int j = it % A->m;
    const int before = j == 0 ? GMRES_STOP_BEGIN : GMRES_STOP_STEP;
    const lcl_buffer *stop = K->pipeline.stop, *z = K->z ? K->z : A->v;
    const struct lcl_operands w = {
        .x = z, .w = z, .y = A->w, .stop = stop, .at = before};
    enum lcl_status st;
    if ((j == 0 && (st = begin(S, it)) < 0) ||
        (K->z &&
         (st = lcl_krylov_precondition(S, A->v, K->z, stop, before)) < 0) ||
        (st = lcl_apply(S->A, LCL_APPLY, &w)) < 0)
        return st;
    return lcl_arnoldi_step(A, it, j, S->target, z, before, GMRES_STOP_STEP);
}

// Nothing to do: each step computes its residual.
static enum lcl_status last(struct lcl_solver *S, int it)
{
    (void)S, (void)it;
    return LCL_OK;
}

// Reads the method's own words of the state from the device.
static enum lcl_status finish_cycle(struct lcl_solver *S)
{
    const struct gmres *K = S->state;
    double state[KRYLOV_OWN + GMRES_WORDS];
    const void *first = state;
    enum lcl_status st;
    if ((st = lcl_buffer_read(K->pipeline.state, state, sizeof state)) < 0 ||
        (st = lcl_space_first(&S->A->range, &first, sizeof state)) < 0)
        return st;
    const double *own = first;
    const double restarts = own[GMRES_RESTARTS];
    const double columns = own[GMRES_COLUMNS];
    S->exhausted = own[GMRES_EXHAUSTED] == 1;
    if (restarts > 0 && restarts <= S->params.max_iters)
        S->restarts += (int)restarts;
    if (!(columns > 0 && columns <= K->basis.m))
        return LCL_OK;
    return add_columns(S, (int)columns, lcl_context_no_stop(S->ctx), 0);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    struct gmres *K = S->state;
    const enum lcl_status st = lcl_pipeline_run(&K->pipeline, S);
    return st < 0 ? st : finish_cycle(S);
}

// ------------------------------------------------------------------- creating

static enum lcl_status create(struct lcl_solver *S)
{
    struct gmres *K = S->state;
    const struct lcl_space *V = &S->A->range;
    const int m =
        V->total < S->params.restart ? (int)V->total : S->params.restart;
    const bool flexible = S->method == &lcl_fgmres && !S->M->identity;
    const enum lcl_orthogonalisation by = S->params.orthogonalisation;
    if (by == LCL_ORTHOGONALISATION_MGS)
        S->launches += m / 2;
    const enum lcl_status st =
        lcl_arnoldi_init(&K->basis, V, m, S->params.basis, by, flexible);
    K->basis.state = K->pipeline.state;
    K->basis.stop = K->pipeline.stop;
    return st;
}

static void destroy(struct lcl_solver *S)
{
    struct gmres *K = S->state;
    lcl_arnoldi_finish(&K->basis);
}

#define AT(member) offsetof(struct gmres, member)

// Launches of a step with one chunk of columns. GMRES reads half of its basis
// three times on average.
#define COMMON                                                                 \
 .names_dots = true, .estimates = true,                                        \
 .cost = {.vectors = 4, .passes = 4, .passes_each = 1.5},                      \
 .bytes = sizeof(struct gmres), .launches = 5, .products = {LCL_APPLY},        \
 .applications = LCL_APPLY,                                                    \
 .steps = {GMRES_STOPS, GMRES_WORDS, step, last, NULL}, .create = create,      \
 .destroy = destroy, .cycle = cycle

const struct lcl_krylov_method lcl_gmres = {
    .facts = {.restart = true, .products = 1},
    .precond_vectors = {AT(z), AT(u)},
    COMMON,
};

const struct lcl_krylov_method lcl_fgmres = {
    .facts = {.restart = true, .products = 1},
    .precond_vectors = {AT(z)},
    COMMON,
};
