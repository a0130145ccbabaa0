// SPDX-License-Identifier: BSD-3-Clause
// What must hold of an answer of the library.
#include "tests/honesty/check.h"

#include "tests/honesty/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fault_names[FAULT_COUNT] = {
    [FAULT_NONE] = "none",       [FAULT_LIE] = "lie",
    [FAULT_NAN] = "nan",         [FAULT_CLAIM] = "claim",
    [FAULT_STOP] = "stop",       [FAULT_WORSE] = "worse",
    [FAULT_CHANGED] = "changed", [FAULT_ERROR] = "error",
};

// Rounding of the judge itself.
static const quad judge_slack = 1 + 0x1p-100;
// Of a reported number: some roundings to double.
static const quad report_slack = 0x1p-49;
// Of b - A x in twice the precision of doubles, in units of |b| + |A| |x|.
static const quad double_double = 0x1p-94;
// Of the projection of b in double.
static const quad projection_slack = 0x1p-46;

static void note(struct outcome *out, enum fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(struct outcome *out, enum fault fault, const char *format, ...)
{
    if (out->fault)
        return;
    va_list arguments;
    va_start(arguments, format);
    out->fault = fault;
    vsnprintf(out->text, sizeof out->text, format, arguments);
    va_end(arguments);
}

static quad larger(quad a, quad b)
{
    return a > b ? a : b;
}

// --------------------------------------------------------------------- errors

static struct ruling rule(const struct answer *a, const double *x);

// Whether the squares of ||b|| or of the residual at the start leave the range
// of doubles: such systems may be refused, and other columns with them.
static bool out_of_range(const struct answer *a)
{
    if (a->T->columns > 1)
        return true;
    const struct ruling start = rule(a, a->start);
    return start.b > 0x1p500 || start.r > 0x1p500 || start.b < 0x1p-490;
}

// What documents name as reasons to refuse a system.
static bool may_refuse(const struct answer *a)
{
    const enum lcl_status st = a->status;
    return st == LCL_EUNSUPPORTED || st == LCL_EPIVOT || st == LCL_ERANGE ||
           (st == LCL_EFORMAT && out_of_range(a));
}

static void check_error(struct outcome *out, const struct answer *a,
                        const char *message)
{
    const size_t bytes = (size_t)a->T->n * sizeof *a->x;
    if (!may_refuse(a))
        note(out, FAULT_ERROR, "%s: %s", lcl_status_name(a->status), message);
    if (!a->T->chain && a->T->columns == 1 && memcmp(a->x, a->start, bytes))
        note(out, FAULT_CHANGED, "%s and another x: %s",
             lcl_status_name(a->status), message);
}

static void check_finite(struct outcome *out, const struct answer *a)
{
    for (int64_t i = 0; i < a->T->n; ++i)
        if (!isfinite(a->x[i]))
            note(out, FAULT_NAN, "x[%lld] is %g, %s", (long long)i, a->x[i],
                 lcl_stop_name(a->report->stop));
}

// -------------------------------------------------------------------- verdicts

static enum lcl_norm_type norm_of(const struct answer *a)
{
    const enum lcl_norm_type norm = trial_options(a->T).solver.norm;
    return norm ? norm : a->report->norm;
}

// By rows the backward error is the residual, and 1 what it is relative to.
static struct ruling by_rows(struct ruling ruling)
{
    ruling.r = ruling.backward;
    ruling.magnitude = 1;
    return ruling;
}

static struct ruling measure(const struct answer *a, const double *x)
{
    const struct trial *T = a->T;
    struct question q = {a->E, NULL, T->n, norm_of(a), T->constants, a->b, x};
    if (T->form != FORM_CALLBACK)
        return judge(&q);
    double *y = zeroed((size_t)T->n, sizeof *y);
    lcl_csr_multiply(a->A, x, y);
    q.E = NULL;
    q.product = y;
    const struct ruling ruling = judge(&q);
    free(y);
    return ruling;
}

static struct ruling rule(const struct answer *a, const double *x)
{
    const struct ruling ruling = measure(a, x);
    return norm_of(a) == LCL_NORM_ROWS ? by_rows(ruling) : ruling;
}

static quad reference(const struct answer *a, const struct ruling *start,
                      const struct ruling *end)
{
    if (norm_of(a) == LCL_NORM_ROWS)
        return 1;
    switch (a->T->relative_to) {
    case LCL_RELATIVE_TO_R0:
        return start->r;
    case LCL_RELATIVE_TO_REFERENCE:
        return a->T->reference;
    case LCL_RELATIVE_TO_DEFAULT:
    case LCL_RELATIVE_TO_B:
    case LCL_RELATIVE_TO_COUNT:
        break;
    }
    return end->b;
}

// Exact but for systems with a null space, whose b is projected in double.
static quad allowed(const struct answer *a, quad bound,
                    const struct ruling *end)
{
    return bound * judge_slack +
           (a->T->constants ? projection_slack * end->magnitude : 0);
}

static void check_success(struct outcome *out, const struct answer *a,
                          const struct ruling *start, const struct ruling *end)
{
    struct lcl_solver_params params = trial_options(a->T).solver;
    params.atol = norm_of(a) == LCL_NORM_ROWS ? 0 : params.atol;
    const quad rtol = params.rtol > 0 ? params.rtol : 1e-8;
    const quad relative = rtol * reference(a, start, end);
    const enum lcl_stop stop = a->report->stop;
    if (end->r > allowed(a, larger(relative, params.atol), end))
        note(out, FAULT_LIE, "%s at %.6Le of %.6Le allowed (||b|| %.3Le)",
             lcl_stop_name(stop), (long double)end->r,
             (long double)larger(relative, params.atol), (long double)end->b);
    if ((stop == LCL_STOP_RTOL && end->r > allowed(a, relative, end)) ||
        (stop == LCL_STOP_ATOL && end->r > allowed(a, params.atol, end)) ||
        (stop == LCL_STOP_ZERO_RHS && end->b > allowed(a, 0, end)))
        note(out, FAULT_STOP, "%s at %.6Le, relative limit %.6Le, ||b|| %.6Le",
             lcl_stop_name(stop), (long double)end->r, (long double)relative,
             (long double)end->b);
}

static void check_failure(struct outcome *out, const struct answer *a,
                          const struct ruling *start, const struct ruling *end)
{
    const quad bound = start->r * (1 + report_slack) +
                       double_double * larger(start->magnitude, end->magnitude);
    if (end->r > allowed(a, bound, end))
        note(out, FAULT_WORSE, "%s: %.17Lg at the end, %.17Lg at the start",
             lcl_stop_name(a->report->stop), (long double)end->r,
             (long double)start->r);
}

static void check_stop(struct outcome *out, const struct answer *a)
{
    const enum lcl_stop stop = a->report->stop;
    const int most = trial_options(a->T).solver.max_iters;
    const bool left = stop == LCL_STOP_NONE && a->T->give_up;
    if ((a->status == LCL_OK) != (stop > 0) ||
        (!left && lcl_stop_status(stop) != a->status))
        note(out, FAULT_STOP, "%s with %s", lcl_status_name(a->status),
             lcl_stop_name(stop));
    if (most > 0 && a->report->iterations > most)
        note(out, FAULT_STOP, "%d iterations of %d", a->report->iterations,
             most);
}

// --------------------------------------------------------------------- claims

static void compare(struct outcome *out, const char *what, double reported,
                    quad value, quad slack)
{
    const quad difference =
        value > reported ? value - reported : (quad)reported - value;
    // what its square cannot say
    if (isinf(reported) && reported > 0 && value > 0x1p490)
        return;
    if (!(difference <= slack + report_slack * value + 0x1p-1070))
        note(out, FAULT_CLAIM, "%s: reported %.17g, is %.17Lg", what, reported,
             (long double)value);
}

// A bound, which may be far above the value for products below 1e-290.
static void compare_bound(struct outcome *out, const char *what,
                          double reported, quad value)
{
    if (!(reported <= 1 &&
          value <= (quad)reported * (1 + report_slack) + double_double))
        note(out, FAULT_CLAIM, "%s: reported %.17g, is %.17Lg", what, reported,
             (long double)value);
}

static void check_claims(struct outcome *out, const struct answer *a,
                         const struct ruling *end)
{
    const quad slack = a->T->constants ? projection_slack : double_double;
    if (a->report->stop == LCL_STOP_NONE || !(end->b > 0))
        return;
    compare(out, "norm of b", a->report->norm_b, end->b,
            a->T->constants ? slack * end->magnitude : 0);
    const quad unit = end->b;
    const enum lcl_norm_type norm = trial_options(a->T).solver.norm;
    const bool both = norm == LCL_NORM_DEFAULT && norm_of(a) == LCL_NORM_ROWS;
    const bool inexact = a->T->constants && norm_of(a) == LCL_NORM_ROWS;
    const bool overflows =
        isinf(a->report->true_residual) && a->status != LCL_OK;
    const bool tiny = end->b < 0x1p-960;
    if (both || inexact || overflows || tiny)
        return; // in two norms; of a projected b; what squares cannot say
    if (norm_of(a) == LCL_NORM_ROWS)
        compare_bound(out, "true residual", a->report->true_residual, end->r);
    else
        compare(out, "true residual", a->report->true_residual, end->r / unit,
                slack * end->magnitude / unit);
    if (a->T->form != FORM_CALLBACK && !a->T->constants)
        compare_bound(out, "backward error", a->report->backward_error,
                      end->backward);
}

void check_answer(struct outcome *out, const struct answer *a,
                  const char *message)
{
    check_finite(out, a);
    if (a->status < 0) {
        check_error(out, a, message);
        return;
    }
    if (out->fault)
        return;
    const struct ruling start = rule(a, a->start), end = rule(a, a->x);
    if (a->status == LCL_OK)
        check_success(out, a, &start, &end);
    else
        check_failure(out, a, &start, &end);
    check_stop(out, a);
    check_claims(out, a, &end);
}
