// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned pipelined CG (Ghysels and Vanroose 2014): one reduction per
// iteration, during which the device applies M^-1 and A. The kernels are in
// cl/krylov/cg_pipelined.cl. The recurrences lose more digits than those of CG;
// a cycle that ends above the tolerance is followed by another one from the
// true residual.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/cg_pipelined.cl.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"
#include "lib/vector/reduction.h"

struct pipelined {
    struct lcl_pipeline pipeline;
    lcl_kernel *kernel, *dots;
    lcl_buffer *v, *w, *z, *s, *p;
    lcl_buffer *u, *m, *q; // NULL: M = I
    // element it % 2 has the sums of iteration `it`
    struct lcl_reduction sums[2];
};

// Of M = I, for kernels that do not touch it.
static const lcl_buffer *any(const struct pipelined *K, const lcl_buffer *own)
{
    return own ? own : K->v;
}

// The kernel before iteration `it` sets this flag.
static int flag_before(int it)
{
    return (it + 1) % 2;
}

// m = M^-1 w, v = A m; the sums are sent once the device has M^-1 to do.
static enum lcl_status enqueue_products(struct lcl_solver *S, int it)
{
    struct pipelined *K = S->state;
    const struct lcl_operands product = {.x = K->m ? K->m : K->w,
                                         .y = K->v,
                                         .stop = K->pipeline.stop,
                                         .at = flag_before(it)};
    enum lcl_status st;
    if (K->m && ((st = lcl_krylov_precondition(S, K->w, K->m, K->pipeline.stop,
                                               flag_before(it))) < 0 ||
                 (st = lcl_reduction_send(&K->sums[it % 2])) < 0))
        return st;
    return lcl_apply(S->A, LCL_APPLY, &product);
}

static enum lcl_status enqueue_update(struct lcl_solver *S, int it)
{
    const struct pipelined *K = S->state;
    const struct lcl_reduction *now = &K->sums[it % 2];
    return LCL_LAUNCH(
        K->kernel, S->A->range.groups, lcl_arg_int(it),
        lcl_arg_long(S->A->range.n), lcl_arg_double(S->target),
        lcl_arg_int(now->count), lcl_arg_int(!K->m), lcl_arg_buffer(now->sums),
        lcl_arg_buffer(K->sums[(it + 1) % 2].sums), lcl_arg_buffer(K->v),
        lcl_arg_buffer(any(K, K->m)), lcl_arg_buffer(K->z),
        lcl_arg_buffer(any(K, K->q)), lcl_arg_buffer(K->s),
        lcl_arg_buffer(K->p), lcl_arg_buffer(S->x), lcl_arg_buffer(S->r),
        lcl_arg_buffer(any(K, K->u)), lcl_arg_buffer(K->w),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    struct pipelined *K = S->state;
    struct lcl_reduction *sums = &K->sums[it % 2];
    enum lcl_status st;
    if ((st = lcl_pipeline_norm(&K->pipeline, S, flag_before(it))) < 0 ||
        (st = lcl_reduction_begin(sums)) < 0)
        return st;
    if ((st = enqueue_products(S, it)) < 0) {
        lcl_reduction_cancel(sums);
        return st;
    }
    if ((st = lcl_reduction_end(sums)) < 0 || (st = enqueue_update(S, it)) < 0)
        return st;
    return lcl_best_checkpoint(S, it, K->pipeline.state, K->pipeline.stop,
                               it % 2);
}

// Computes the last residual and its x; the other vectors are unused from here
// on.
static enum lcl_status enqueue_last(struct lcl_solver *S, int it)
{
    struct pipelined *K = S->state;
    struct lcl_reduction *sums = &K->sums[it % 2];
    enum lcl_status st;
    if ((st = lcl_pipeline_norm(&K->pipeline, S, flag_before(it))) < 0 ||
        (st = lcl_reduction_begin(sums)) < 0 ||
        (st = lcl_reduction_end(sums)) < 0)
        return st;
    return enqueue_update(S, it);
}

static enum lcl_status create(struct lcl_solver *S)
{
    struct pipelined *K = S->state;
    const struct lcl_space *V = &S->A->range;
    const enum lcl_status st =
        lcl_reduction_init(&K->sums[0], V, CG_PIPELINED_SUMS);
    return st < 0 ? st : lcl_reduction_init(&K->sums[1], V, CG_PIPELINED_SUMS);
}

static void destroy(struct lcl_solver *S)
{
    struct pipelined *K = S->state;
    lcl_reduction_finish(&K->sums[0]);
    lcl_reduction_finish(&K->sums[1]);
}

// u = M^-1 r, w = A u and their sums.
static enum lcl_status enqueue_start(struct lcl_solver *S)
{
    const struct pipelined *K = S->state;
    const lcl_buffer *no_stop = lcl_context_no_stop(S->ctx);
    const struct lcl_operands product = {
        .x = K->u ? K->u : S->r, .y = K->w, .stop = no_stop};
    enum lcl_status st;
    if ((K->u &&
         (st = lcl_krylov_precondition(S, S->r, K->u, no_stop, 0)) < 0) ||
        (st = lcl_apply(S->A, LCL_APPLY, &product)) < 0)
        return st;
    return LCL_LAUNCH(K->dots, S->A->range.groups, lcl_arg_long(S->A->range.n),
                      lcl_arg_int(!K->u), lcl_arg_buffer(S->r),
                      lcl_arg_buffer(any(K, K->u)), lcl_arg_buffer(K->w),
                      lcl_arg_buffer(K->sums[0].sums));
}

static enum lcl_status begin(struct lcl_solver *S)
{
    struct pipelined *K = S->state;
    lcl_buffer *const directions[] = {K->p, K->s, K->z, K->q};
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < (K->q ? 4 : 3) && st == LCL_OK; ++k)
        st = lcl_buffer_fill(directions[k], 0);
    return st < 0 ? st : enqueue_start(S);
}

#define AT(member) offsetof(struct pipelined, member)

const struct lcl_krylov_method lcl_cg_pipelined = {
    .facts = {.symmetric = true, .definite = true, .products = 1},
    .drifts = true,
    .cost = {.vectors = 8, .passes = 20},
    .bytes = sizeof(struct pipelined),
    .source = "cg_pipelined.cl",
    .kernels = {{"cg_pipelined", AT(kernel)}, {"cg_pipelined_dots", AT(dots)}},
    .vectors = {AT(v), AT(w), AT(z), AT(s), AT(p)},
    .precond_vectors = {AT(u), AT(m), AT(q)},
    .launches = 1,
    .products = {LCL_APPLY},
    .applications = LCL_APPLY,
    .steps = {CG_PIPELINED_STOPS, CG_PIPELINED_WORDS, enqueue_step,
              enqueue_last, NULL},
    .create = create,
    .destroy = destroy,
    .begin = begin,
};
