// SPDX-License-Identifier: BSD-3-Clause
// Right-preconditioned BiCGSTAB (van der Vorst 1992) without a blocking read
// per iteration. The kernels are in cl/krylov/bicgstab.cl, those with complex
// inner products in bicgstab_pairs.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/bicgstab.cl.h"
#include "host/launch.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"

struct bicgstab {
    struct lcl_pipeline pipeline;
    lcl_kernel *p_kernel, *s_kernel, *x_kernel;
    lcl_buffer *r0, *p, *v, *t, *y, *z;
    lcl_buffer *dots; // partial sums from the products
    // Of a complex system in real form, else NULL: imaginary parts of <r0, r>,
    // and of the products' first sums.
    lcl_buffer *next_im, *dots_im;
    lcl_kernel *cross;
};

// The elements that a work-item takes at once.
static int64_t elements(const struct lcl_solver *S)
{
    const struct bicgstab *K = S->state;
    return K->cross ? S->A->range.n / 2 : S->A->range.n;
}

// dots_im = the imaginary part of <a, b>
static enum lcl_status enqueue_cross(const struct lcl_solver *S,
                                     const lcl_buffer *a, const lcl_buffer *b,
                                     int at)
{
    const struct bicgstab *K = S->state;
    return K->cross
               ? LCL_LAUNCH(K->cross, S->A->range.groups,
                            lcl_arg_long(elements(S)), lcl_arg_buffer(a),
                            lcl_arg_buffer(b), lcl_arg_buffer(K->dots_im),
                            lcl_arg_buffer(K->pipeline.stop), lcl_arg_int(at))
               : LCL_OK;
}

// Iteration `it` of the cycle, up to the point where its residual is known.
static enum lcl_status enqueue_p(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->state;
    const int groups = S->A->range.groups;
    const struct lcl_dots dots[] = {lcl_dot(K->r0, S->r), lcl_dot(S->r, S->r)};
    const int first = it == 0 ? 1 : 0; // <r, r> alone, or also <r0, r>
    enum lcl_status st = lcl_space_reduce_dots(&S->A->range, S->sums, first,
                                               dots + first, 2 - first, groups);
    if (st < 0 ||
        (st = lcl_pipeline_norm(&K->pipeline, S, BICGSTAB_STOP_X)) < 0)
        return st;
    if (K->cross)
        return LCL_LAUNCH(K->p_kernel, groups, lcl_arg_int(it),
                          lcl_arg_long(elements(S)), lcl_arg_double(S->r_dot_r),
                          lcl_arg_double(S->target), lcl_arg_int(groups),
                          lcl_arg_buffer(S->sums), lcl_arg_buffer(K->next_im),
                          lcl_arg_buffer(S->r), lcl_arg_buffer(K->v),
                          lcl_arg_buffer(K->p),
                          lcl_arg_buffer(K->pipeline.state),
                          lcl_arg_buffer(K->pipeline.stop));
    return LCL_LAUNCH(
        K->p_kernel, groups, lcl_arg_int(it), lcl_arg_long(S->A->range.n),
        lcl_arg_double(S->r_dot_r), lcl_arg_double(S->target),
        lcl_arg_int(groups), lcl_arg_buffer(S->sums), lcl_arg_buffer(S->r),
        lcl_arg_buffer(K->v), lcl_arg_buffer(K->p),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_s(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->state;
    const int groups = S->A->range.groups;
    if (K->cross)
        return LCL_LAUNCH(K->s_kernel, groups, lcl_arg_int(it),
                          lcl_arg_long(elements(S)), lcl_arg_int(groups),
                          lcl_arg_buffer(K->dots), lcl_arg_buffer(K->dots_im),
                          lcl_arg_buffer(K->v), lcl_arg_buffer(S->r),
                          lcl_arg_buffer(K->pipeline.state),
                          lcl_arg_buffer(K->pipeline.stop));
    return LCL_LAUNCH(K->s_kernel, groups, lcl_arg_int(it),
                      lcl_arg_long(S->A->range.n), lcl_arg_int(groups),
                      lcl_arg_buffer(K->dots), lcl_arg_buffer(K->v),
                      lcl_arg_buffer(S->r), lcl_arg_buffer(K->pipeline.state),
                      lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_x(struct lcl_solver *S)
{
    const struct bicgstab *K = S->state;
    const int groups = S->A->range.groups;
    if (K->cross)
        return LCL_LAUNCH(
            K->x_kernel, groups, lcl_arg_long(elements(S)), lcl_arg_int(groups),
            lcl_arg_buffer(K->dots), lcl_arg_buffer(K->dots_im),
            lcl_arg_buffer(K->y), lcl_arg_buffer(K->z), lcl_arg_buffer(K->t),
            lcl_arg_buffer(K->r0), lcl_arg_buffer(S->x), lcl_arg_buffer(S->r),
            lcl_arg_buffer(S->sums), lcl_arg_buffer(K->next_im),
            lcl_arg_buffer(K->pipeline.state),
            lcl_arg_buffer(K->pipeline.stop));
    return LCL_LAUNCH(
        K->x_kernel, groups, lcl_arg_long(S->A->range.n), lcl_arg_int(groups),
        lcl_arg_buffer(K->dots), lcl_arg_buffer(K->y), lcl_arg_buffer(K->z),
        lcl_arg_buffer(K->t), lcl_arg_buffer(K->r0), lcl_arg_buffer(S->x),
        lcl_arg_buffer(S->r), lcl_arg_buffer(S->sums),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->state;
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
        (st = enqueue_cross(S, K->r0, K->v, BICGSTAB_STOP_P)) < 0 ||
        (st = enqueue_s(S, it)) < 0 ||
        (st = lcl_krylov_precondition(S, S->r, K->z, stop, BICGSTAB_STOP_S)) <
            0 ||
        (st = lcl_apply(S->A, LCL_APPLY_DOT_NORM, &t)) < 0 ||
        (st = lcl_space_reduce_dots(V, K->dots, 0, of_t, 2, V->groups)) < 0 ||
        (st = enqueue_cross(S, K->t, S->r, BICGSTAB_STOP_S)) < 0)
        return st;
    return enqueue_x(S);
}

static enum lcl_status begin(struct lcl_solver *S)
{
    const struct bicgstab *K = S->state;
    return lcl_buffer_copy(K->r0, S->r);
}

// ------------------------------------------------------------------- complex

// Whether numbers of the vectors are pairs, which M treats as complex numbers:
// not if it takes the blocks of A entry by entry.
static bool has_pairs(const struct lcl_solver *S)
{
    const struct lcl_operator *A = S->A;
    const int b = S->precond ? S->precond->info.block_size : 2;
    return A->info.is_complex && !A->range.comm && !A->range.segments &&
           A->matrix && A->matrix->block % 2 == 0 && b % 2 == 0;
}

static enum lcl_status create(struct lcl_solver *S)
{
    struct bicgstab *K = S->state;
    const struct lcl_spec spec = {.source = "bicgstab_pairs.cl"};
    const struct lcl_kernel_plan plan[] = {
        {&K->p_kernel, "bicgstab_pairs_p"},
        {&K->s_kernel, "bicgstab_pairs_s"},
        {&K->x_kernel, "bicgstab_pairs_x"},
        {&K->cross, "bicgstab_pairs_cross"},
    };
    const int groups = S->A->range.groups;
    enum lcl_status st;
    if (!has_pairs(S))
        return LCL_OK;
    S->launches += 2;
    if ((st = lcl_krylov_kernels(S->ctx, spec, plan, 4)) < 0 ||
        (st = lcl_buffer_create(&K->next_im, S->ctx, groups, sizeof(double),
                                "partial sums")) < 0)
        return st;
    return lcl_buffer_create(&K->dots_im, S->ctx, groups, sizeof(double),
                             "partial sums");
}

static void destroy(struct lcl_solver *S)
{
    struct bicgstab *K = S->state;
    lcl_buffer_destroy(&K->next_im);
    lcl_buffer_destroy(&K->dots_im);
}

#define AT(member) offsetof(struct bicgstab, member)

const struct lcl_krylov_method lcl_bicgstab = {
    .facts = {.products = 2},
    .names_dots = true,
    .cost = {.vectors = 6, .passes = 22},
    .bytes = sizeof(struct bicgstab),
    .source = "bicgstab.cl",
    .kernels = {{"bicgstab_p", AT(p_kernel)},
                {"bicgstab_s", AT(s_kernel)},
                {"bicgstab_x", AT(x_kernel)}},
    .vectors = {AT(r0), AT(p), AT(v), AT(t), AT(y), AT(z)},
    .dots = AT(dots),
    .launches = 3,
    .products = {LCL_APPLY_DOT, LCL_APPLY_DOT_NORM},
    .applications = LCL_APPLY,
    .steps = {BICGSTAB_STOPS, BICGSTAB_WORDS, enqueue_step, enqueue_p, NULL},
    .create = create,
    .destroy = destroy,
    .begin = begin,
};
