// SPDX-License-Identifier: BSD-3-Clause
// Right-preconditioned BiCGSTAB (van der Vorst 1992) without a blocking read in
// an iteration: the host enqueues batches and looks at the residuals of the
// batch before while the next one runs. The kernels are in cl/bicgstab.cl.
#include "lib/krylov/krylov.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

// stop[], state[] and reasons as in bicgstab.cl.
enum { STOP_P, STOP_S, STOP_X, STOPS };
enum { ITERATIONS = 4, REASON = 5, RING = 8, RING_SIZE = 256 };

static const enum lcl_stop reasons[] = {
    LCL_STOP_NONE,
    LCL_STOP_RTOL,
    LCL_STOP_BREAKDOWN_RHO,
    LCL_STOP_BREAKDOWN_ALPHA,
    LCL_STOP_BREAKDOWN_OMEGA,
    LCL_STOP_NOT_FINITE,
};

// Batches grow from a few iterations, so that a short solve is not overrun, to
// this; two of them and their overlap fit the ring of residuals.
enum { FIRST_BATCH = 4, LAST_BATCH = 16 };

struct bicgstab {
    lcl_kernel *p_kernel, *s_kernel, *x_kernel;
    lcl_buffer *r0, *p, *v, *t, *y, *z;
    lcl_buffer *dots; // partial sums that follow a product
    lcl_buffer *state, *stop;
    lcl_window *window;
};

static enum lcl_status get_kernels(struct bicgstab *K, lcl_context *ctx)
{
    lcl_kernel **const kernels[] = {&K->p_kernel, &K->s_kernel, &K->x_kernel};
    static const char *const names[] = {"bicgstab_p", "bicgstab_s",
                                        "bicgstab_x"};
    struct lcl_spec spec = {.source = "bicgstab.cl",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    enum lcl_status st = LCL_OK;
    for (int i = 0; i < 3 && st == LCL_OK; ++i) {
        spec.kernel = names[i];
        st = lcl_kernel_get(kernels[i], ctx, &spec);
    }
    return st;
}

static enum lcl_status create(struct lcl_solver *S)
{
    struct bicgstab *K = S->method = lcl_calloc(1, sizeof *K);
    if (!K)
        return lcl_fail_memory(lcl_context_log(S->ctx), "BiCGSTAB");
    lcl_buffer **const vectors[] = {&K->r0, &K->p, &K->v, &K->t, &K->y, &K->z};
    const int64_t n = S->M->system.n;
    enum lcl_status st = get_kernels(K, S->ctx);
    for (int i = 0; i < 6 && st == LCL_OK; ++i)
        st = lcl_buffer_create(vectors[i], S->ctx, n, sizeof(double), "vector");
    if (st < 0 ||
        (st =
             lcl_buffer_create(&K->dots, S->ctx, 2 * S->M->system.matrix.groups,
                               sizeof(double), "partial sums")) < 0 ||
        (st = lcl_buffer_create(&K->state, S->ctx, RING + RING_SIZE,
                                sizeof(double), "BiCGSTAB state")) < 0 ||
        (st = lcl_buffer_create(&K->stop, S->ctx, STOPS, sizeof(int32_t),
                                "stop flags")) < 0)
        return st;
    return lcl_window_create(&K->window, K->state);
}

static void destroy(struct lcl_solver *S)
{
    struct bicgstab *K = S->method;
    if (!K)
        return;
    lcl_window_destroy(&K->window);
    lcl_buffer **const buffers[] = {&K->r0, &K->p,    &K->v,     &K->t,   &K->y,
                                    &K->z,  &K->dots, &K->state, &K->stop};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(K);
}

// Iteration `it` of the cycle up to where its residual is known.
static enum lcl_status enqueue_p(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const int groups = S->M->system.matrix.groups;
    return LCL_LAUNCH(K->p_kernel, groups, lcl_arg_int(it),
                      lcl_arg_long(S->M->system.n), lcl_arg_double(S->rr),
                      lcl_arg_double(S->target), lcl_arg_int(groups),
                      lcl_arg_buffer(S->sums), lcl_arg_buffer(S->r),
                      lcl_arg_buffer(K->v), lcl_arg_buffer(K->p),
                      lcl_arg_buffer(K->state), lcl_arg_buffer(K->stop));
}

static enum lcl_status enqueue_s(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const int groups = S->M->system.matrix.groups;
    return LCL_LAUNCH(K->s_kernel, groups, lcl_arg_int(it),
                      lcl_arg_long(S->M->system.n), lcl_arg_int(groups),
                      lcl_arg_buffer(K->dots), lcl_arg_buffer(K->v),
                      lcl_arg_buffer(S->r), lcl_arg_buffer(K->state),
                      lcl_arg_buffer(K->stop));
}

static enum lcl_status enqueue_x(struct lcl_solver *S)
{
    const struct bicgstab *K = S->method;
    const int groups = S->M->system.matrix.groups;
    return LCL_LAUNCH(
        K->x_kernel, groups, lcl_arg_long(S->M->system.n), lcl_arg_int(groups),
        lcl_arg_buffer(K->dots), lcl_arg_buffer(K->y), lcl_arg_buffer(K->z),
        lcl_arg_buffer(K->t), lcl_arg_buffer(K->r0), lcl_arg_buffer(S->x),
        lcl_arg_buffer(S->r), lcl_arg_buffer(S->sums), lcl_arg_buffer(K->state),
        lcl_arg_buffer(K->stop));
}

static enum lcl_status enqueue_iteration(struct lcl_solver *S, int it)
{
    const struct bicgstab *K = S->method;
    const struct lcl_spmv *A = &S->M->system.product;
    lcl_precond *M = S->M;
    const struct lcl_operands v = {K->y, K->r0, K->v, K->dots, K->stop, STOP_P};
    const struct lcl_operands t = {K->z, S->r, K->t, K->dots, K->stop, STOP_S};
    enum lcl_status st;
    if ((st = enqueue_p(S, it)) < 0 ||
        (st = M->ops->apply(M, K->p, K->y, K->stop, STOP_P)) < 0 ||
        (st = lcl_multiply(A, LCL_PRODUCT_DOT, &v)) < 0 ||
        (st = enqueue_s(S, it)) < 0 ||
        (st = M->ops->apply(M, S->r, K->z, K->stop, STOP_S)) < 0 ||
        (st = lcl_multiply(A, LCL_PRODUCT_DOT_NORM, &t)) < 0)
        return st;
    return enqueue_x(S);
}

// Whether the device can have written this: a wrong one may write anything.
static bool is_sound(const double *state, int most)
{
    const int known = sizeof reasons / sizeof *reasons;
    return state[ITERATIONS] >= 0 && state[ITERATIONS] <= most &&
           state[REASON] >= 0 && state[REASON] < known;
}

// Looks at the oldest posted state: notes its residuals, sets S->stop.
static enum lcl_status look(struct lcl_solver *S, int first)
{
    const struct bicgstab *K = S->method;
    const void *data;
    enum lcl_status st = lcl_window_take(K->window, &data);
    if (st < 0)
        return st;
    const double *state = data;
    if (!is_sound(state, S->params.max_iters - first)) {
        S->stop = LCL_STOP_NOT_FINITE;
        return LCL_OK;
    }
    const int last = (int)state[ITERATIONS];
    int it = S->history_count - first;
    for (it = it < 0 ? 0 : it; it <= last && st == LCL_OK; ++it)
        st = lcl_krylov_note(S, first + it, state[RING + it % RING_SIZE]);
    if (st < 0)
        return st;
    S->stop = reasons[(int)state[REASON]];
    if (S->stop == LCL_STOP_NONE)
        S->stop = lcl_krylov_watch(S);
    return LCL_OK;
}

static enum lcl_status prepare(struct lcl_solver *S)
{
    struct bicgstab *K = S->method;
    enum lcl_status st;
    if ((st = lcl_buffer_copy(K->r0, S->r)) < 0 ||
        (st = lcl_buffer_fill(K->state, 0)) < 0)
        return st;
    return lcl_buffer_fill(K->stop, 0);
}

// Iterations *it .. end-1, then a look at the state from where they leave it.
// The residual of iteration `most`, the last, is known to one more first step.
static enum lcl_status enqueue_batch(struct lcl_solver *S, int *it, int end,
                                     int most)
{
    const struct bicgstab *K = S->method;
    enum lcl_status st = LCL_OK;
    for (; *it < end && st == LCL_OK; ++*it)
        st = enqueue_iteration(S, *it);
    if (st == LCL_OK && end == most)
        st = enqueue_p(S, end);
    return st < 0 ? st : lcl_window_post(K->window);
}

static enum lcl_status cycle(struct lcl_solver *S)
{
    const struct bicgstab *K = S->method;
    const int first = S->iterations, most = S->params.max_iters - first;
    int it = 0, batch = FIRST_BATCH, posted = 0;
    bool more = true;
    enum lcl_status st = prepare(S);
    S->stop = LCL_STOP_NONE;
    while (st == LCL_OK && S->stop == LCL_STOP_NONE && (more || posted > 0)) {
        if (more) {
            const int end = most - it < batch ? most : it + batch;
            if ((st = enqueue_batch(S, &it, end, most)) < 0)
                break;
            ++posted;
            more = it < most;
            batch = 2 * batch < LAST_BATCH ? 2 * batch : LAST_BATCH;
        }
        if (posted == 2 || !more) {
            st = look(S, first);
            --posted;
        }
    }
    for (const void *rest; posted > 0; --posted) {
        const enum lcl_status taken = lcl_window_take(K->window, &rest);
        st = st < 0 ? st : taken;
    }
    if (S->stop == LCL_STOP_NONE)
        S->stop = LCL_STOP_MAX_ITERS;
    return st;
}

const struct lcl_krylov_ops lcl_bicgstab = {create, cycle, destroy};
