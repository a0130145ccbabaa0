// SPDX-License-Identifier: BSD-3-Clause
// Runs cycles of a method from one true residual to the next, until the true
// residual ends the solve; the history holds the recurrence residuals in
// between.
#include "lib/krylov/cycles.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"
#include "lib/krylov/verify.h"
#include "lib/operator/modes.h"
#include "lib/storage/lone.h"

#include <float.h>
#include <math.h>

// If the recurrence ended a cycle at the tolerance and rounding left the true
// residual above it by at most this factor, one more cycle corrects it.
#define SLACK 1.1
// A restart is worthwhile only if the last cycle reduced the residual to this
// factor.
#define GAIN 0.9

// A consistent part of b below this part of the rest is rounding.
#define ROUNDING (16 * DBL_EPSILON)

// ------------------------------------------------------------------- cycles

// Removes from b the component that no A x has; twice, so that the rounding
// error of a large component does not matter beside a small rest; then measures
// b again.
static enum lcl_status make_consistent(lcl_solver *S)
{
    const lcl_buffer *no_stop = lcl_context_no_stop(S->ctx);
    const struct lcl_projection *P =
        S->left_null.count > 0 ? &S->left_null : &S->right_null;
    enum lcl_status st;
    S->keeps = false;
    S->norm_removed = 0;
    if (P->count == 0)
        return LCL_OK;
    if ((st = lcl_projection_norm(P, S->b, &S->norm_removed)) < 0 ||
        (st = lcl_projection_apply(P, S->b, no_stop, 0)) < 0)
        return st;
    st = lcl_projection_apply(P, S->b, no_stop, 0);
    return st < 0 ? st : lcl_verify_at_zero(S);
}

enum lcl_status lcl_krylov_measure_b(struct lcl_solver *S)
{
    enum lcl_status st = lcl_buffer_fill(S->x, 0);
    if (st < 0 || (st = lcl_verify_read_b(S)) < 0 ||
        (st = make_consistent(S)) < 0)
        return st;
    S->at_zero = true;
    S->norm_b = sqrt(S->rr);
    if (!isfinite(S->norm_b) || !isfinite(S->norm_removed))
        return lcl_fail(lcl_context_log(S->ctx), LCL_EFORMAT,
                        "the right-hand side contains NaN or Inf");
    if (S->norm_b <= ROUNDING * S->norm_removed)
        S->norm_b = 0;
    return LCL_OK;
}

// The square of a tolerance, minus possible rounding: a residual whose square
// is within it is itself within the tolerance.
static double square_within(double tolerance)
{
    return (1 - 16 * DBL_EPSILON) * tolerance * tolerance;
}

bool lcl_krylov_is_by_rows(const struct lcl_solver *S)
{
    const enum lcl_norm_type norm = S->params.norm;
    return norm == LCL_NORM_ROWS ||
           (norm == LCL_NORM_DEFAULT && S->A->looked && S->A->look.penalty);
}

void lcl_krylov_begin(struct lcl_solver *S)
{
    S->started = lcl_now();
    S->rows = lcl_krylov_is_by_rows(S);
    S->stop = LCL_STOP_NONE;
    S->iterations = S->restarts = S->history_count = S->best_at = 0;
    S->x_iteration = 0;
    S->exhausted = false;
    S->best = INFINITY;
    S->patience = (struct lcl_patience){0};
}

static double relative(const lcl_solver *S)
{
    switch (S->params.relative_to) {
    case LCL_RELATIVE_TO_R0:
        return sqrt(S->start_rr);
    case LCL_RELATIVE_TO_REFERENCE:
        return ldexp(S->params.reference, -S->unit);
    case LCL_RELATIVE_TO_DEFAULT:
    case LCL_RELATIVE_TO_B:
    case LCL_RELATIVE_TO_COUNT:
        break;
    }
    return S->norm_b;
}

void lcl_krylov_set_target(struct lcl_solver *S)
{
    const bool alone = S->params.norm == LCL_NORM_ROWS;
    const double to = alone ? S->norm_b : relative(S);
    const double atol = alone ? 0 : ldexp(S->params.atol, -S->unit);
    S->relative = square_within(S->params.rtol * to);
    S->absolute = square_within(atol);
    S->target = fmax(S->relative, S->absolute);
}

enum lcl_status lcl_krylov_choose_form(struct lcl_solver *S)
{
    if (!S->deflated)
        return LCL_OK;
    S->corrects = lcl_precond_is_current(S->precond, S->A);
    const enum lcl_status st = lcl_space_all(&S->A->range, &S->corrects);
    lcl_krylov_use(S, S->corrects ? S->deflated : S->additive);
    return st;
}

enum lcl_norm_type lcl_krylov_norm(const struct lcl_solver *S)
{
    const enum lcl_norm_type norm = S->params.norm;
    if (norm != LCL_NORM_DEFAULT)
        return norm;
    return S->rows && S->stop != LCL_STOP_ATOL ? LCL_NORM_ROWS : LCL_NORM_2;
}

static bool is_breakdown(const lcl_solver *S)
{
    const enum lcl_stop stop = S->stop;
    return (S->method->drifts && stop == LCL_STOP_INDEFINITE_MATRIX) ||
           stop == LCL_STOP_BREAKDOWN_RHO || stop == LCL_STOP_BREAKDOWN_ALPHA ||
           stop == LCL_STOP_BREAKDOWN_OMEGA || stop == LCL_STOP_NOT_FINITE ||
           stop == LCL_STOP_INDEFINITE_PRECOND ||
           stop == LCL_STOP_BREAKDOWN_KRYLOV;
}

// The tolerance that the last verdict meets; NONE: none.
static enum lcl_stop met(const lcl_solver *S)
{
    const bool alone = S->params.norm == LCL_NORM_ROWS;
    const bool rows =
        S->backward * S->backward <= square_within(S->params.rtol);
    if ((alone || S->rr <= S->relative) && (rows || !S->rows))
        return LCL_STOP_RTOL;
    return S->rr <= S->absolute && !alone ? LCL_STOP_ATOL : LCL_STOP_NONE;
}

// Whether another cycle from the true residual is worthwhile: the last one
// reduced it, or brought it to within rounding of the tolerance.
static bool is_worth_restart(const lcl_solver *S, double before)
{
    const double close = SLACK * SLACK * S->target;
    if (S->iterations >= S->params.max_iters)
        return false;
    if (S->stop == LCL_STOP_RTOL && S->rr <= close && before > close)
        return true;
    if (S->stop == LCL_STOP_RTOL && S->rows &&
        S->backward < GAIN * S->backward_before)
        return true;
    return (S->stop == LCL_STOP_RTOL || is_breakdown(S)) && S->rr < before &&
           S->rr <= GAIN * GAIN * before;
}

enum lcl_stop lcl_krylov_judge(const struct lcl_solver *S, double before)
{
    if (!isfinite(S->rr))
        return LCL_STOP_NOT_FINITE;
    if (met(S) != LCL_STOP_NONE)
        return met(S);
    if (S->stop == LCL_STOP_TEST)
        return S->stop;
    if (is_worth_restart(S, before))
        return LCL_STOP_NONE;
    if (S->stop != LCL_STOP_RTOL)
        return S->stop;
    return S->iterations >= S->params.max_iters ? LCL_STOP_MAX_ITERS
                                                : LCL_STOP_STAGNATION;
}

// Corrects x before a cycle, unless it is a solution already.
static enum lcl_status correct(lcl_solver *S)
{
    const lcl_buffer *no_stop = lcl_context_no_stop(S->ctx);
    const struct lcl_operands correction = {
        .x = S->r, .y = S->correction, .stop = no_stop};
    const struct lcl_operands sum = {
        .w = S->correction, .y = S->x, .stop = no_stop};
    enum lcl_status st;
    if (!S->corrects || S->rr <= S->target)
        return LCL_OK;
    if ((st = lcl_apply(S->start, LCL_APPLY, &correction)) < 0 ||
        (st = lcl_modes_complete(S->add, &S->A->range, LCL_APPLY_ADD, &sum)) <
            0)
        return st;
    return lcl_krylov_true_residual(S, &S->rr);
}

// In norms by rows: sets the ||r||_2 at which the next cycle may end, half of
// the value that meets the tolerance if all rows shrink alike.
static void tighten(lcl_solver *S)
{
    if (!S->rows || !(S->backward > 0) || S->rr > S->target)
        return;
    const double wanted = 0.5 * S->params.rtol / S->backward;
    S->target = S->rr * fmin(wanted * wanted, 0.25);
}

// The true residual after a cycle: a verdict unless the method only restarts.
static enum lcl_status measure(lcl_solver *S)
{
    enum lcl_status st = LCL_OK;
    if (S->stop == LCL_STOP_NONE)
        st = lcl_krylov_true_residual(S, &S->rr);
    return st == LCL_OK && (S->stop != LCL_STOP_NONE || !(S->rr > S->target))
               ? lcl_verify(S)
               : st;
}

// Solves for unknowns that their rows prescribe, without which A is symmetric.
static enum lcl_status prescribe(lcl_solver *S)
{
    enum lcl_status st;
    if (!S->method->facts.symmetric || !S->A->look.aside || S->rr <= S->target)
        return LCL_OK;
    S->at_zero = false;
    st = lcl_lone_solve(S->ctx, S->A->matrix, S->b, S->x);
    return st < 0 ? st : lcl_krylov_true_residual(S, &S->rr);
}

static enum lcl_status iterate(lcl_solver *S)
{
    enum lcl_status st;
    if (!S->at_zero && (st = lcl_verify(S)) < 0)
        return st;
    S->start_rr = S->rr;
    S->start_backward = S->backward;
    lcl_krylov_set_target(S);
    if ((st = prescribe(S)) < 0 || (st = correct(S)) < 0 ||
        (st = lcl_krylov_note(S, 0, S->rr)) < 0)
        return st;
    for (;;) {
        const double before = S->rr;
        S->backward_before = S->backward;
        if ((st = lcl_best_begin(S)) < 0 || (st = lcl_krylov_cycle(S)) < 0 ||
            (st = measure(S)) < 0)
            return st;
        S->stop = lcl_krylov_judge(S, before);
        S->x_iteration = S->iterations;
        if (S->stop != LCL_STOP_NONE)
            return S->stop < 0 ? lcl_best_restore(S) : LCL_OK;
        ++S->restarts;
        tighten(S);
        lcl_info(lcl_context_log(S->ctx),
                 "restart after %d iterations, true residual %.3e",
                 S->iterations, sqrt(S->rr) / S->norm_b);
        if ((st = correct(S)) < 0)
            return st;
    }
}

static enum lcl_status keep_component(lcl_solver *S)
{
    S->keeps = S->right_null.count > 0;
    return S->keeps ? lcl_projection_keep(&S->right_null, S->x) : LCL_OK;
}

// For b = 0: x = its component in the null space, if A maps that to 0 exactly.
static enum lcl_status keep_null_component(lcl_solver *S)
{
    enum lcl_status st = lcl_buffer_fill(S->x, 0);
    if (st < 0 || !S->keeps)
        return st;
    if ((st = lcl_buffer_fill(S->b, 0)) < 0 ||
        (st = lcl_projection_restore(&S->right_null, S->x)) < 0 ||
        (st = lcl_verify(S)) < 0)
        return st;
    return S->rr > 0 ? lcl_buffer_fill(S->x, 0) : LCL_OK;
}

enum lcl_status lcl_krylov_run(struct lcl_solver *S)
{
    enum lcl_status st;
    if (S->method->facts.symmetric &&
        (st = lcl_operator_require_symmetric(
             S->A, lcl_solver_name(S->params.type))) < 0)
        return st;
    lcl_krylov_begin(S);
    if ((st = lcl_krylov_choose_form(S)) < 0 || (st = keep_component(S)) < 0)
        return st;
    if (S->norm_b > 0)
        return iterate(S);
    S->stop = LCL_STOP_ZERO_RHS;
    return keep_null_component(S);
}
