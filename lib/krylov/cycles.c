// SPDX-License-Identifier: BSD-3-Clause
// Cycles of a method from one true residual to the next, until that tells the
// end; the history of what the recurrence says meanwhile.
#include "lib/krylov/cycles.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/precond/symmetric.h"

#include <math.h>

// The recurrence ends at the tolerance; its rounding may leave the true
// residual this much above.
#define ACCEPT 1.1
// A restart must have gained this much for another one to be worth it.
#define GAIN 0.9

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

enum lcl_stop lcl_krylov_watch(struct lcl_solver *S)
{
    const struct lcl_progress_info info = {
        .iteration = S->iterations,
        .residual = S->history[S->history_count - 1],
        .seconds = lcl_now() - S->start,
    };
    if (S->params.monitor && !S->params.monitor(S->params.monitor_user, &info))
        return LCL_STOP_MONITOR;
    return S->iterations - S->best_at > S->params.stagnation
               ? LCL_STOP_STAGNATION
               : LCL_STOP_NONE;
}

// ------------------------------------------------------------------- cycles

// r = b - A x; *norm2 = ||r||^2, added up in a fixed order.
static enum lcl_status true_residual(lcl_solver *S, double *norm2)
{
    const struct lcl_system *sys = &S->M->system;
    const int groups = sys->matrix.groups;
    enum lcl_status st = lcl_multiply(
        &sys->product, LCL_PRODUCT_RESIDUAL,
        &(struct lcl_operands){S->x, S->b, S->r, S->sums, sys->never, 0});
    if (st < 0)
        return st;
    st = lcl_buffer_read(S->sums, S->host_sums,
                         2 * (size_t)groups * sizeof *S->host_sums);
    *norm2 = 0;
    for (int g = 0; g < groups && st == LCL_OK; ++g)
        *norm2 += S->host_sums[groups + g];
    return st;
}

enum lcl_status lcl_krylov_measure_b(struct lcl_solver *S)
{
    double bb;
    enum lcl_status st = lcl_buffer_fill(S->x, 0);
    if (st < 0 || (st = true_residual(S, &bb)) < 0)
        return st;
    S->norm_b = sqrt(bb);
    return LCL_OK;
}

static void begin(lcl_solver *S)
{
    S->start = lcl_now();
    S->stop = LCL_STOP_NONE;
    S->iterations = S->restarts = S->history_count = S->best_at = 0;
    S->exhausted = false;
    S->best = INFINITY;
    const double r = S->params.rtol * S->norm_b, a = S->params.atol;
    S->target = r > a ? r * r : a * a;
}

static bool is_breakdown(enum lcl_stop stop)
{
    return stop == LCL_STOP_BREAKDOWN_RHO || stop == LCL_STOP_BREAKDOWN_ALPHA ||
           stop == LCL_STOP_BREAKDOWN_OMEGA || stop == LCL_STOP_NOT_FINITE ||
           stop == LCL_STOP_INDEFINITE_PRECOND ||
           stop == LCL_STOP_BREAKDOWN_KRYLOV;
}

// What the true residual says about why a cycle ended: the end, or (NONE) a
// restart from here because it gained something.
static enum lcl_stop judge(const lcl_solver *S, double before)
{
    const double limit = ACCEPT * ACCEPT * S->target;
    const bool gained = S->rr <= GAIN * GAIN * before;
    if (!isfinite(S->rr))
        return LCL_STOP_NOT_FINITE;
    if (S->rr <= limit)
        return S->rr <= ACCEPT * ACCEPT * S->params.rtol * S->params.rtol *
                            S->norm_b * S->norm_b
                   ? LCL_STOP_RTOL
                   : LCL_STOP_ATOL;
    if (S->stop == LCL_STOP_RTOL)
        return gained ? LCL_STOP_NONE : LCL_STOP_STAGNATION;
    if (is_breakdown(S->stop) && gained && S->iterations < S->params.max_iters)
        return LCL_STOP_NONE;
    return S->stop;
}

// What the method needs of x before it runs, unless x is a solution already.
static enum lcl_status start(lcl_solver *S)
{
    bool changed = false;
    enum lcl_status st = LCL_OK;
    if (S->ops->start && S->rr > S->target &&
        (st = S->ops->start(S, &changed)) < 0)
        return st;
    return changed ? true_residual(S, &S->rr) : LCL_OK;
}

static enum lcl_status iterate(lcl_solver *S)
{
    enum lcl_status st;
    if ((st = true_residual(S, &S->rr)) < 0 || (st = start(S)) < 0 ||
        (st = lcl_krylov_note(S, 0, S->rr)) < 0)
        return st;
    for (;;) {
        const double before = S->rr;
        if ((st = S->ops->cycle(S)) < 0 || (st = true_residual(S, &S->rr)) < 0)
            return st;
        S->stop = judge(S, before);
        if (S->stop != LCL_STOP_NONE)
            return LCL_OK;
        ++S->restarts;
        lcl_info(lcl_context_log(S->ctx),
                 "restart after %d iterations, true residual %.3e",
                 S->iterations, sqrt(S->rr) / S->norm_b);
        if ((st = start(S)) < 0)
            return st;
    }
}

enum lcl_status lcl_krylov_run(struct lcl_solver *S)
{
    enum lcl_status st;
    if (S->ops->symmetric && (st = lcl_precond_require_symmetric(
                                  S->M, lcl_solver_name(S->params.type))) < 0)
        return st;
    begin(S);
    if (S->norm_b > 0)
        return iterate(S);
    S->stop = LCL_STOP_ZERO_RHS;
    return lcl_buffer_fill(S->x, 0);
}
