// SPDX-License-Identifier: BSD-3-Clause
// Helpers shared by all Krylov methods: kernels and vectors, the history, the
// true residual.
#include "lib/krylov/krylov.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/clock.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/segments.h"

#include <math.h>

// ------------------------------------------------------------------- creating

enum lcl_status lcl_krylov_kernels(lcl_context *ctx, struct lcl_spec spec,
                                   const struct lcl_kernel_plan *all, int count)
{
    spec.group = lcl_vector_group(lcl_context_caps(ctx));
    return lcl_kernels_get(ctx, &spec, all, (size_t)count);
}

enum lcl_status lcl_krylov_vectors(const struct lcl_solver *S,
                                   lcl_buffer **const *all, int count)
{
    enum lcl_status st = LCL_OK;
    for (int i = 0; i < count && st == LCL_OK; ++i)
        st = lcl_space_vector(all[i], &S->A->range);
    return st;
}

enum lcl_status lcl_krylov_precondition(struct lcl_solver *S,
                                        const lcl_buffer *r, lcl_buffer *z,
                                        const lcl_buffer *stop, int at)
{
    const struct lcl_operands v = {.x = r, .y = z, .stop = stop, .at = at};
    return lcl_apply(S->M, LCL_APPLY, &v);
}

// Symmetric methods without preconditioner stay in the range of A, which is
// orthogonal to its null space.
void lcl_krylov_use(struct lcl_solver *S, lcl_operator *M)
{
    S->M = M;
    if (S->right_null.count == 0 || (M->identity && S->method->facts.symmetric))
        return;
    lcl_projected_attach(&S->projected, M);
    S->M = &S->projected.op;
}

// ------------------------------------------------------------------- history

enum lcl_status lcl_krylov_note(struct lcl_solver *S, int iteration, double rr)
{
    if (iteration < S->history_count)
        return LCL_OK;
    if (S->history_count == S->history_room) {
        const int room = S->history_room ? 2 * S->history_room : 256;
        double *longer = lcl_realloc(S->history, (size_t)room, sizeof *longer);
        if (!longer)
            return lcl_fail_memory(lcl_context_log(S->ctx), "the history");
        S->history = longer;
        S->history_room = room;
    }
    S->history[S->history_count++] = sqrt(rr) / S->norm_b;
    S->iterations = iteration;
    if (rr < S->best) {
        S->best = rr;
        S->best_at = iteration;
    }
    return LCL_OK;
}

static enum lcl_stop ask_caller(const struct lcl_solver_params *p,
                                const struct lcl_progress_info *info)
{
    if (p->monitor && !p->monitor(p->monitor_user, info))
        return LCL_STOP_MONITOR;
    switch (p->test ? p->test(p->test_user, info) : LCL_CONTINUE) {
    case LCL_CONTINUE:
        return LCL_STOP_NONE;
    case LCL_CONVERGED:
        return LCL_STOP_TEST;
    case LCL_GIVE_UP:
        break;
    }
    return LCL_STOP_MONITOR;
}

// The reason of this rank to stop; of the callbacks, those of rank 0 count.
static enum lcl_stop ask(lcl_solver *S, const struct lcl_progress_info *info)
{
    const double most = S->params.time_limit;
    if (lcl_krylov_consume_cancel(S))
        return LCL_STOP_CANCELLED;
    if (S->A->range.comm && S->A->range.comm->rank > 0)
        return LCL_STOP_NONE;
    if (most > 0 && info->seconds > most)
        return LCL_STOP_TIME_LIMIT;
    // a product of several ranks would be in the midst of another call of
    // theirs
    const struct lcl_guest before = lcl_guest_begin(
        S->ctx, S->A->range.comm ? LCL_GUEST_LOOKS : LCL_GUEST_APPLIES);
    const enum lcl_stop stop = ask_caller(&S->params, info);
    lcl_guest_end(S->ctx, &before);
    return stop;
}

// The same on all ranks, by one number: a failure before a success.
static enum lcl_status agree_on_stop(const lcl_solver *S, enum lcl_stop *stop)
{
    int64_t weight = *stop < 0 ? LCL_STOP_TEST - (int64_t)*stop : *stop;
    const enum lcl_status st = lcl_space_max(&S->A->range, &weight);
    *stop = (enum lcl_stop)(weight > LCL_STOP_TEST ? LCL_STOP_TEST - weight
                                                   : weight);
    return st;
}

enum lcl_status lcl_krylov_watch(struct lcl_solver *S)
{
    const struct lcl_progress_info info = {
        .iteration = S->iterations,
        .residual = S->history[S->history_count - 1],
        .seconds = lcl_now() - S->started,
        .column = S->column,
    };
    enum lcl_stop stop = ask(S, &info);
    const enum lcl_status st = agree_on_stop(S, &stop);
    if (st < 0 || stop != LCL_STOP_NONE)
        S->stop = stop;
    else if (info.residual > S->params.divergence * S->history[0])
        S->stop = LCL_STOP_DIVERGED;
    else if (lcl_patience_is_over(&S->patience, S->iterations - S->best_at,
                                  S->params.stagnation, S->history,
                                  S->history_count))
        S->stop = LCL_STOP_STAGNATION;
    return st;
}

// ------------------------------------------------------------------- residual

enum lcl_status lcl_krylov_sum_residual(lcl_solver *S, double *norm2)
{
    const struct lcl_space *V = &S->A->range;
    const struct lcl_dots rr = lcl_dot(S->r, S->r);
    const int groups = V->groups;
    if (V->segments)
        return lcl_segments_sum(V->segments, norm2, &rr, 0, 1);
    const enum lcl_status st = lcl_buffer_read(
        S->sums, S->host_sums, 2 * (size_t)groups * sizeof *S->host_sums);
    *norm2 = 0;
    for (int g = 0; g < groups && st == LCL_OK; ++g)
        *norm2 += S->host_sums[groups + g];
    return st < 0 ? st : lcl_space_sum(V, norm2, 1);
}

enum lcl_status lcl_krylov_true_residual(lcl_solver *S, double *norm2)
{
    const struct lcl_operands v = {
        .x = S->x,
        .w = S->b,
        .y = S->r,
        .sums = S->sums,
        .stop = lcl_context_no_stop(S->ctx),
    };
    enum lcl_status st =
        S->keeps ? lcl_projection_restore(&S->right_null, S->x) : LCL_OK;
    if (st < 0 || (st = lcl_apply(S->A, LCL_RESIDUAL, &v)) < 0 ||
        (st = lcl_krylov_sum_residual(S, norm2)) < 0)
        return st;
    S->r_dot_r = *norm2;
    return isfinite(*norm2) ? lcl_norm_measure(&S->norm, S->r, norm2) : LCL_OK;
}
