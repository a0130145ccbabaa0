// SPDX-License-Identifier: BSD-3-Clause
// IDR(s) (van Gijzen and Sonneveld 2011), preconditioned from the right or
// left, without a blocking read per iteration. An iteration is one product with
// A and one application of M. The kernels are in cl/krylov/idr.cl and
// cl/krylov/idr_step.cl.
#include "lib/krylov/pipeline.h"

#include "cl/krylov/idr_state.cl.h"
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"
#include "lib/vector/segments.h"

#include <math.h>

enum { MAX_S = LCL_IDR_MAX_S };

struct idr {
    struct lcl_pipeline pipeline;
    int s;      // shadow vectors; reduced for small systems
    int groups; // of the kernels in this file
    bool left;
    lcl_kernel *shadow_kernel, *v_kernel, *u_kernel, *dot_kernel, *step_kernel,
        *products_kernel, *omega_kernel, *last_kernel;
    lcl_buffer *words;         // the shadow vectors
    lcl_buffer *shadow[MAX_S]; // the same, if sums have segments
    lcl_buffer *G, *U;         // s vectors each
    lcl_buffer *v, *y, *u, *t;
    lcl_buffer *other; // from the left: b - A x during a cycle, whose S->r is
                       // M^-1 (b - A x)
    lcl_buffer *rows;  // partial sums: s + 1 rows, one sum per group
    lcl_buffer *norm;  // <r, r>, one partial sum per group
    lcl_buffer *products; // partial sums from the products
};

// ------------------------------------------------------------------- kernels

// Of the recurrence.
static double target_of(const struct lcl_solver *S)
{
    return S->target / S->kept.scale;
}

// Over the ranks: K->rows, P^T t and <t, t>.
static enum lcl_status reduce_rows(struct lcl_solver *S, const lcl_buffer *t)
{
    const struct idr *K = S->state;
    struct lcl_dots dots[MAX_S + 1];
    for (int j = 0; j < K->s; ++j)
        dots[j] = lcl_dot(K->shadow[j], t);
    dots[K->s] = lcl_dot(t, t);
    return lcl_space_reduce_dots(&S->A->range, K->rows, 0, dots, K->s + 1,
                                 K->groups);
}

// f = P^T r and <r, r>, at the start of the solver's cycle.
static enum lcl_status enqueue_dot(struct lcl_solver *S, const lcl_buffer *t,
                                   int at)
{
    const struct idr *K = S->state;
    const enum lcl_status st = LCL_LAUNCH(
        K->dot_kernel, K->groups, lcl_arg_long(S->A->range.n),
        lcl_arg_buffer(K->words), lcl_arg_buffer(t), lcl_arg_buffer(K->rows),
        lcl_arg_buffer(K->pipeline.stop), lcl_arg_int(at));
    return st < 0 ? st : reduce_rows(S, t);
}

static enum lcl_status enqueue_v(struct lcl_solver *S)
{
    const struct idr *K = S->state;
    return LCL_LAUNCH(K->v_kernel, K->groups, lcl_arg_long(S->A->range.n),
                      lcl_arg_int(K->groups), lcl_arg_buffer(K->rows),
                      lcl_arg_buffer(S->r), lcl_arg_buffer(K->G),
                      lcl_arg_buffer(K->v), lcl_arg_buffer(K->pipeline.state),
                      lcl_arg_buffer(K->pipeline.stop));
}

// Where the last kernel before step k of a cycle wrote <r, r>.
static const lcl_buffer *norm_before(const struct idr *K, int k, int *row)
{
    *row = k == 0 ? K->s : 0;
    return k == 0 ? K->rows : K->norm;
}

static enum lcl_status enqueue_u(struct lcl_solver *S, int it, int k)
{
    const struct idr *K = S->state;
    int row;
    const lcl_buffer *norm = norm_before(K, k, &row);
    return LCL_LAUNCH(
        K->u_kernel, K->groups, lcl_arg_int(it), lcl_arg_int(k),
        lcl_arg_long(S->A->range.n), lcl_arg_double(target_of(S)),
        lcl_arg_int(K->groups), lcl_arg_int(row), lcl_arg_buffer(norm),
        lcl_arg_buffer(K->left ? K->v : K->y), lcl_arg_buffer(K->U),
        lcl_arg_buffer(K->u), lcl_arg_buffer(K->pipeline.state),
        lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_step(struct lcl_solver *S, int k)
{
    const struct idr *K = S->state;
    const enum lcl_status st = LCL_LAUNCH(
        K->step_kernel, K->groups, lcl_arg_int(k), lcl_arg_long(S->A->range.n),
        lcl_arg_int(K->groups), lcl_arg_buffer(K->rows), lcl_arg_buffer(K->t),
        lcl_arg_buffer(K->u), lcl_arg_buffer(K->G), lcl_arg_buffer(K->U),
        lcl_arg_buffer(S->x), lcl_arg_buffer(S->r), lcl_arg_buffer(K->v),
        lcl_arg_buffer(K->norm), lcl_arg_buffer(K->pipeline.state),
        lcl_arg_buffer(K->pipeline.stop));
    const struct lcl_dots rr = lcl_dot(S->r, S->r);
    return st < 0 ? st
                  : lcl_space_reduce_dots(&S->A->range, K->norm, 0, &rr, 1,
                                          K->groups);
}

static enum lcl_status enqueue_omega(struct lcl_solver *S, int it)
{
    const struct idr *K = S->state;
    const enum lcl_status st = LCL_LAUNCH(
        K->omega_kernel, K->groups, lcl_arg_int(it),
        lcl_arg_long(S->A->range.n), lcl_arg_double(target_of(S)),
        lcl_arg_int(K->groups), lcl_arg_buffer(K->norm),
        lcl_arg_int(S->A->range.groups), lcl_arg_buffer(K->products),
        lcl_arg_buffer(K->words), lcl_arg_buffer(K->y), lcl_arg_buffer(K->t),
        lcl_arg_buffer(S->x), lcl_arg_buffer(S->r), lcl_arg_buffer(K->rows),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
    return st < 0 ? st : reduce_rows(S, S->r);
}

// ------------------------------------------------------------------- steps

// t = A u or M^-1 A u, from the left by way of K->y.
static enum lcl_status multiply(struct lcl_solver *S)
{
    const struct idr *K = S->state;
    const lcl_buffer *stop = K->pipeline.stop;
    const struct lcl_operands t = {K->u, K->u, K->left ? K->y : K->t,
                                   NULL, stop, IDR_STOP_U};
    const enum lcl_status st = lcl_apply(S->A, LCL_APPLY, &t);
    return st < 0 || !K->left
               ? st
               : lcl_krylov_precondition(S, K->y, K->t, stop, IDR_STOP_U);
}

static enum lcl_status inner_step(struct lcl_solver *S, int it, int k)
{
    const struct idr *K = S->state;
    enum lcl_status st;
    if ((it == 0 && (st = enqueue_dot(S, S->r, IDR_STOP_O)) < 0) ||
        (k == 0 && (st = enqueue_v(S)) < 0) ||
        (!K->left && (st = lcl_krylov_precondition(
                          S, K->v, K->y, K->pipeline.stop, IDR_STOP_R)) < 0) ||
        (st = lcl_pipeline_norm(&K->pipeline, S, IDR_STOP_R)) < 0 ||
        (st = enqueue_u(S, it, k)) < 0 ||
        (st = lcl_best_checkpoint(S, it, K->pipeline.state, K->pipeline.stop,
                                  IDR_STOP_U)) < 0 ||
        (st = multiply(S)) < 0 || (st = enqueue_dot(S, K->t, IDR_STOP_U)) < 0)
        return st;
    return enqueue_step(S, k);
}

// Sums of one device, in the rows that a product leaves.
static enum lcl_status enqueue_products(struct lcl_solver *S,
                                        const lcl_buffer *t, lcl_buffer *sums,
                                        const lcl_buffer *stop, int at)
{
    const struct idr *K = S->state;
    return LCL_LAUNCH(K->products_kernel, S->A->range.groups,
                      lcl_arg_long(S->A->range.n), lcl_arg_buffer(S->r),
                      lcl_arg_buffer(t), lcl_arg_buffer(sums),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}

// y = M^-1 r;  t = A y
static enum lcl_status multiply_right(struct lcl_solver *S)
{
    const struct idr *K = S->state;
    const struct lcl_space *V = &S->A->range;
    const struct lcl_operands t = {
        K->y, S->r, K->t, K->products, K->pipeline.stop, IDR_STOP_R};
    const struct lcl_dots dots[] = {lcl_dot(S->r, K->t), lcl_dot(K->t, K->t)};
    enum lcl_status st;
    if ((st = lcl_krylov_precondition(S, S->r, K->y, K->pipeline.stop,
                                      IDR_STOP_R)) < 0 ||
        (st = lcl_apply(S->A, LCL_APPLY_DOT_NORM, &t)) < 0)
        return st;
    return lcl_space_reduce_dots(V, K->products, 0, dots, 2, V->groups);
}

// y = r;  t = M^-1 A y, by way of K->u, which the next inner step sets
static enum lcl_status multiply_left(struct lcl_solver *S)
{
    const struct idr *K = S->state;
    const lcl_buffer *stop = K->pipeline.stop;
    const struct lcl_operands t = {K->y, K->y, K->u, NULL, stop, IDR_STOP_R};
    enum lcl_status st;
    if ((st = lcl_buffer_copy(K->y, S->r)) < 0 ||
        (st = lcl_apply(S->A, LCL_APPLY, &t)) < 0 ||
        (st = lcl_krylov_precondition(S, K->u, K->t, stop, IDR_STOP_R)) < 0)
        return st;
    return enqueue_products(S, K->t, K->products, stop, IDR_STOP_R);
}

static enum lcl_status outer_step(struct lcl_solver *S, int it)
{
    const struct idr *K = S->state;
    enum lcl_status st;
    if ((st = lcl_pipeline_norm(&K->pipeline, S, IDR_STOP_R)) < 0 ||
        (st = K->left ? multiply_left(S) : multiply_right(S)) < 0)
        return st;
    return enqueue_omega(S, it);
}

static enum lcl_status step(struct lcl_solver *S, int it)
{
    const struct idr *K = S->state;
    const int k = it % (K->s + 1);
    return k < K->s ? inner_step(S, it, k) : outer_step(S, it);
}

static enum lcl_status last(struct lcl_solver *S, int it)
{
    const struct idr *K = S->state;
    const int k = it % (K->s + 1);
    int row;
    const lcl_buffer *norm = norm_before(K, k, &row);
    const enum lcl_status st =
        lcl_pipeline_norm(&K->pipeline, S, k == 0 ? IDR_STOP_O : IDR_STOP_R);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->last_kernel, 1, lcl_arg_int(it), lcl_arg_double(target_of(S)),
        lcl_arg_int(K->groups), lcl_arg_int(row), lcl_arg_buffer(norm),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop),
        lcl_arg_int(k == 0 ? IDR_STOP_O : IDR_STOP_R));
}

// ------------------------------------------------------------------- creating

// Maximum number of shadow vectors for n rows: independent sign vectors need
// blocks of a power of two of rows, at least one block.
static int room_for(int64_t n, int s)
{
    int rows = 1;
    while (rows < s)
        rows *= 2;
    if (n >= rows)
        return s;
    while (rows > n)
        rows /= 2;
    return rows;
}

// Rows that some rank has at least: as many shadow vectors are independent.
static int64_t rows_of_each(const struct lcl_space *V)
{
    return V->comm ? V->total / V->comm->size : V->n;
}

// Number of groups that each sum s + 1 rows of partial sums: half as many as in
// other vector kernels, since every load here overlaps with others; at most
// enough to cover the vector.
static int groups_for(const struct lcl_caps *caps, int64_t n)
{
    const int group = lcl_vector_group(caps);
    const int64_t filled = (n + group - 1) / group;
    const int most = (lcl_vector_groups(caps) + 1) / 2;
    return filled < most ? (int)filled : most;
}

static enum lcl_status get_kernels(struct idr *K, lcl_context *ctx)
{
    const struct lcl_kernel_plan inner[] = {{&K->v_kernel, "idr_v"},
                                            {&K->u_kernel, "idr_u"},
                                            {&K->step_kernel, "idr_step"}};
    const struct lcl_kernel_plan others[] = {
        {&K->shadow_kernel, "idr_shadow"},     {&K->dot_kernel, "idr_dot"},
        {&K->products_kernel, "idr_products"}, {&K->omega_kernel, "idr_omega"},
        {&K->last_kernel, "idr_last"},
    };
    const struct lcl_spec steps = {.source = "idr_step.cl",
                                   .defines = {{"IDR_S", K->s}}};
    const struct lcl_spec shadow = {.source = "idr.cl",
                                    .defines = {{"IDR_S", K->s}}};
    const enum lcl_status st = lcl_krylov_kernels(ctx, steps, inner, 3);
    return st < 0 ? st : lcl_krylov_kernels(ctx, shadow, others, 5);
}

static enum lcl_status create_vectors(struct idr *K, const struct lcl_solver *S)
{
    const int64_t n = S->A->range.n;
    const int64_t products = 2 * (int64_t)S->A->range.groups;
    const struct lcl_buffer_plan others[] = {
        {&K->rows, (int64_t)(K->s + 1) * K->groups, sizeof(double),
         "partial sums"},
        {&K->norm, K->groups, sizeof(double), "partial sums"},
        {&K->products, products, sizeof(double), "partial sums"},
        {&K->G, K->s * n, sizeof(double), "IDR directions"},
        {&K->U, K->s * n, sizeof(double), "IDR directions"},
        {&K->words, n, sizeof(uint32_t), "shadow vectors"},
    };
    enum lcl_status st;
    if ((K->left && (st = lcl_space_vector(&K->other, &S->A->range)) < 0) ||
        (st = lcl_buffers_create(S->ctx, others,
                                 sizeof others / sizeof *others)) < 0)
        return st;
    return LCL_LAUNCH(K->shadow_kernel, K->groups, lcl_arg_long(n),
                      lcl_arg_buffer(K->words));
}

static enum lcl_status create(struct lcl_solver *S)
{
    struct idr *K = S->state;
    K->left = S->params.side == LCL_SIDE_LEFT;
    if (K->left && S->A->range.comm)
        return lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                        "IDR preconditions from the left on one device only");
    K->s = room_for(rows_of_each(&S->A->range), S->params.idr_s);
    K->groups = groups_for(lcl_context_caps(S->ctx), S->A->range.n);
    const enum lcl_status st = get_kernels(K, S->ctx);
    return st < 0 ? st : create_vectors(K, S);
}

static void destroy(struct lcl_solver *S)
{
    struct idr *K = S->state;
    lcl_buffer **const buffers[] = {&K->words, &K->G,        &K->U,    &K->rows,
                                    &K->norm,  &K->products, &K->other};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    for (int j = 0; j < K->s; ++j)
        lcl_buffer_destroy(&K->shadow[j]);
}

// Uniform in (-1, 1), from the number of a row and of a shadow vector.
static double entry_of_shadow(int64_t row, int j)
{
    uint64_t x = ((uint64_t)row * MAX_S + (uint64_t)j + 1) *
                 UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)(x ^ x >> 31) * 0x1p-63;
}

// With segments, the shadow vectors P must depend on the caller's row numbers
// alone, which kernels do not have: the host computes them.
static enum lcl_status write_shadows(struct lcl_solver *S)
{
    struct idr *K = S->state;
    const struct lcl_space *V = &S->A->range;
    double *p = lcl_malloc((size_t)V->n, sizeof *p);
    enum lcl_status st =
        p ? LCL_OK : lcl_fail_memory(lcl_context_log(S->ctx), "shadow vectors");
    for (int j = 0; j < K->s && st == LCL_OK; ++j) {
        for (int64_t i = 0; i < V->n; ++i)
            p[i] = entry_of_shadow(lcl_segments_element(V->segments, i), j);
        if (!K->shadow[j])
            st = lcl_space_vector(&K->shadow[j], V);
        if (st == LCL_OK)
            st = lcl_numbering_write(S->A->numbering, p, K->shadow[j]);
    }
    lcl_free(p);
    return st;
}

// S->r = M^-1 r, r in K->other; sets the scale of its norm.
static enum lcl_status begin_left(struct lcl_solver *S)
{
    struct idr *K = S->state;
    const lcl_buffer *no_stop = lcl_context_no_stop(S->ctx);
    double rr;
    enum lcl_status st = lcl_krylov_precondition(S, S->r, K->other, no_stop, 0);
    if (st < 0)
        return st;
    lcl_buffer_swap(&S->r, &K->other);
    if ((st = enqueue_products(S, S->r, S->sums, no_stop, 0)) < 0 ||
        (st = lcl_krylov_sum_residual(S, &rr)) < 0 ||
        (st = lcl_norm_measure(&S->norm, S->r, &rr)) < 0)
        return st;
    const double scale = S->rr / rr;
    S->kept.scale = scale > 0 && isfinite(scale) ? scale : 1;
    return LCL_OK;
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    struct idr *K = S->state;
    enum lcl_status st;
    if ((st = lcl_buffer_fill(K->G, 0)) < 0 ||
        (st = lcl_buffer_fill(K->U, 0)) < 0 ||
        (S->A->range.segments && (st = write_shadows(S)) < 0))
        return st;
    if (!K->left)
        return lcl_pipeline_run(&K->pipeline, S);
    lcl_buffer *const r = S->r;
    if ((st = begin_left(S)) == LCL_OK)
        st = lcl_pipeline_run(&K->pipeline, S);
    if (S->r != r)
        lcl_buffer_swap(&S->r, &K->other);
    return st;
}

#define AT(member) offsetof(struct idr, member)

// Steps enqueue 3 - 1 / (s + 1) launches of this file.
const struct lcl_krylov_method lcl_idr = {
    .facts = {.idr_s = true, .products = 1},
    .names_dots = true,
    .cost = {.vectors = 4.5, .vectors_each = 2, .passes = 8, .passes_each = 3},
    .bytes = sizeof(struct idr),
    .vectors = {AT(v), AT(y), AT(u), AT(t)},
    .launches = 3,
    .products = {LCL_APPLY},
    .applications = LCL_APPLY,
    .steps = {IDR_STOPS, IDR_WORDS(MAX_S), step, last, NULL},
    .create = create,
    .destroy = destroy,
    .cycle = cycle,
};
