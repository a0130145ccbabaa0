// SPDX-License-Identifier: BSD-3-Clause
// Batches of steps, and the mapped window through which the host reads them.
#include "lib/krylov/pipeline.h"

#include "host/runtime.h"
#include "lib/krylov/best.h"

static const enum lcl_stop reasons[] = {
    [0] = LCL_STOP_NONE,
    [KRYLOV_CONVERGED] = LCL_STOP_RTOL,
    [KRYLOV_BREAKDOWN_RHO] = LCL_STOP_BREAKDOWN_RHO,
    [KRYLOV_BREAKDOWN_ALPHA] = LCL_STOP_BREAKDOWN_ALPHA,
    [KRYLOV_BREAKDOWN_OMEGA] = LCL_STOP_BREAKDOWN_OMEGA,
    [KRYLOV_NOT_FINITE] = LCL_STOP_NOT_FINITE,
    [KRYLOV_INDEFINITE_A] = LCL_STOP_INDEFINITE_MATRIX,
    [KRYLOV_INDEFINITE_M] = LCL_STOP_INDEFINITE_PRECOND,
    [KRYLOV_BREAKDOWN_SPACE] = LCL_STOP_BREAKDOWN_KRYLOV,
};

// Batch sizes grow from a few steps, to limit wasted steps in short solves, to
// this; two batches and their overlap fit the ring of residuals. Steps after
// the last one still cost their launches: few of them are in flight, and a step
// of many launches is a batch. On a CPU, where a launch costs as much as a look
// at the state, batches stay small beside the steps so far. The state after two
// steps is the first that has been through an iteration.
enum {
    FIRST_BATCH = 4,
    CPU_FIRST_BATCH = 2,
    CPU_SHARE = 8, // later ones are this part of the steps so far
    LAST_BATCH = 16,
    BATCH_LAUNCHES = 80,
    MANY_LAUNCHES = 16,
};

static int last_batch(const struct lcl_solver *S)
{
    const int launches = S->launches > 0 ? S->launches : 1;
    const int steps = launches >= MANY_LAUNCHES ? 1 : BATCH_LAUNCHES / launches;
    const int every = S->params.monitor_every;
    const int most = every > 0 && every < LAST_BATCH ? every : LAST_BATCH;
    return steps < most ? steps : most;
}

// The batch after `it` steps, of which the last ones were `batch`.
static int next_batch(const struct lcl_solver *S, int it, int batch)
{
    const int first = S->eager ? CPU_FIRST_BATCH : FIRST_BATCH;
    const int later = S->eager ? 1 + it / CPU_SHARE : 2 * batch;
    const int next = it == 0 ? first : later;
    const int most = last_batch(S);
    return next < most ? next : most;
}

enum lcl_status lcl_pipeline_init(struct lcl_pipeline *B, lcl_context *ctx,
                                  const struct lcl_pipeline_ops *ops)
{
    enum lcl_status st;
    *B = (struct lcl_pipeline){.ops = ops};
    if ((st = lcl_buffer_create(&B->state, ctx, KRYLOV_OWN + ops->words,
                                sizeof(double), "Krylov state")) < 0 ||
        (st = lcl_buffer_create(&B->stop, ctx, ops->stops, sizeof(int32_t),
                                "stop flags")) < 0)
        return st;
    return lcl_window_create(&B->window, B->state);
}

void lcl_pipeline_finish(struct lcl_pipeline *B)
{
    lcl_window_destroy(&B->window);
    lcl_buffer_destroy(&B->state);
    lcl_buffer_destroy(&B->stop);
}

enum lcl_status lcl_pipeline_norm(const struct lcl_pipeline *B,
                                  const struct lcl_solver *S, int at)
{
    return lcl_norm_post(&S->norm, S->r, B->state, B->stop, at);
}

// ------------------------------------------------------------------- window

// Whether the state is plausible; a faulty device may write any values.
static bool is_sound(const double *state, int most)
{
    const int known = sizeof reasons / sizeof *reasons;
    const double steps = state[KRYLOV_STEPS];
    const double reason = state[KRYLOV_REASON];
    return steps >= 0 && steps <= most && reason >= 0 && reason < known;
}

// Takes the oldest posted state; that of rank 0 counts.
static enum lcl_status fetch_state(struct lcl_pipeline *B,
                                   const struct lcl_solver *S,
                                   const void **state)
{
    const size_t words = (size_t)(KRYLOV_OWN + B->ops->words);
    const enum lcl_status st = lcl_window_fetch(B->window, state);
    return st < 0
               ? st
               : lcl_space_first(&S->A->range, state, words * sizeof(double));
}

// Reads the oldest posted state: records its residuals, sets S->stop.
static enum lcl_status look(struct lcl_pipeline *B, struct lcl_solver *S,
                            int first)
{
    const void *data;
    enum lcl_status st = fetch_state(B, S, &data);
    if (st < 0)
        return st;
    const double *state = data, *ring = state + KRYLOV_RING;
    if (!is_sound(state, S->params.max_iters - first)) {
        S->stop = LCL_STOP_NOT_FINITE;
        return LCL_OK;
    }
    lcl_best_look(&S->kept, state, first);
    if (B->ops->look && (st = B->ops->look(S, state)) < 0)
        return st;
    const int last = (int)state[KRYLOV_STEPS];
    int it = S->history_count - first;
    for (it = it < 0 ? 0 : it; it <= last && st == LCL_OK; ++it)
        st = lcl_krylov_note(S, first + it,
                             S->kept.scale * ring[it % KRYLOV_RING_SIZE]);
    if (st < 0)
        return st;
    S->stop = reasons[(int)state[KRYLOV_REASON]];
    return S->stop == LCL_STOP_NONE ? lcl_krylov_watch(S) : LCL_OK;
}

// ------------------------------------------------------------------- cycle

// Enqueues steps *it .. end-1, then posts the resulting state to the window.
static enum lcl_status enqueue(struct lcl_pipeline *B, struct lcl_solver *S,
                               int *it, int end, int most)
{
    enum lcl_status st = LCL_OK;
    for (; *it < end && st == LCL_OK; ++*it)
        st = B->ops->step(S, *it);
    if (st == LCL_OK && end == most)
        st = B->ops->last(S, end);
    return st < 0 ? st : lcl_window_post(B->window);
}

static enum lcl_status prepare(struct lcl_pipeline *B, struct lcl_solver *S)
{
    S->stop = LCL_STOP_NONE;
    const enum lcl_status st = lcl_buffer_fill(B->state, 0);
    return st < 0 ? st : lcl_buffer_fill(B->stop, 0);
}

enum lcl_status lcl_pipeline_run(struct lcl_pipeline *B, struct lcl_solver *S)
{
    const int first = S->iterations, most = S->params.max_iters - first;
    int it = 0, batch = next_batch(S, 0, 0), posted = 0;
    bool more = true;
    enum lcl_status st = prepare(B, S);
    while (st == LCL_OK && S->stop == LCL_STOP_NONE && (more || posted > 0)) {
        if (more) {
            const int end = most - it < batch ? most : it + batch;
            if ((st = enqueue(B, S, &it, end, most)) < 0)
                break;
            ++posted;
            more = it < most;
            batch = next_batch(S, it, batch);
        }
        if (posted == 2 || !more) {
            st = look(B, S, first);
            --posted;
        }
    }
    for (const void *rest; posted > 0; --posted) { // an error is not collective
        const enum lcl_status taken = st < 0
                                          ? lcl_window_fetch(B->window, &rest)
                                          : fetch_state(B, S, &rest);
        if (taken == LCL_OK)
            lcl_best_look(&S->kept, rest, first);
        st = st < 0 ? st : taken;
    }
    if (S->stop == LCL_STOP_NONE)
        S->stop = LCL_STOP_MAX_ITERS;
    return st;
}
