// SPDX-License-Identifier: BSD-3-Clause
// Runs the methods of a plan until one succeeds.
#include "lib/chain/plan.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/clock.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/chain/outcome.h"
#include "lib/distributed/team_operator.h"
#include "lib/krylov/cg_columns.h"
#include "lib/krylov/column_pass.h"

#include <float.h>
#include <math.h>

struct lcl_chain {
    lcl_operator *A;
    struct lcl_plan plan;
    int at; // method in use
    bool exhausted;
    double dropped; // share of the off-diagonal entries, of factors so far
    lcl_precond *M; // of that method; NULL: not set up
    lcl_solver *S;
    double setup_seconds; // not yet in an attempt
    int max_iters;
    struct lcl_precond_params given_precond; // the caller's
    struct lcl_solver_params given;
    uint64_t version;      // of the values for which the plan is
    double first_residual; // ||b - A x|| before the first method
    struct lcl_outcome last;
    struct lcl_outcome *column; // of lcl_chain_solve_many(); NULL: one column
    int columns;
    int solving;              // this column, alone
    double started, deadline; // 0: none
    double operations;        // of the methods so far
    enum lcl_stop end;        // what ends it, on all ranks; NONE: nothing
    atomic_bool cancelled;
};

static const struct lcl_log *log_of(const lcl_chain *C)
{
    return lcl_context_log(C->A->range.ctx);
}

// ------------------------------------------------------------------- methods

static void drop(lcl_chain *C)
{
    lcl_solver_destroy(&C->S);
    lcl_precond_destroy(&C->M);
}

// Iterations and seconds count over all methods.
static struct lcl_progress_info over_all(const lcl_chain *C,
                                         const struct lcl_progress_info *info)
{
    struct lcl_progress_info sum = *info;
    sum.iteration += C->last.report.iterations;
    sum.seconds = lcl_now() - C->started;
    sum.column += C->solving;
    return sum;
}

static bool monitor(void *user, const struct lcl_progress_info *info)
{
    const lcl_chain *C = user;
    const struct lcl_progress_info sum = over_all(C, info);
    return C->given.monitor(C->given.monitor_user, &sum);
}

static enum lcl_verdict test(void *user, const struct lcl_progress_info *info)
{
    const lcl_chain *C = user;
    const struct lcl_progress_info sum = over_all(C, info);
    return C->given.test(C->given.test_user, &sum);
}

static void note_dropped(lcl_chain *C)
{
    const struct lcl_precond_info *info = &C->M->info;
    const bool plain =
        info->type == LCL_PRECOND_ILDU0 || info->type == LCL_PRECOND_IC0;
    if (plain)
        C->dropped = fmax(C->dropped, info->factors.dropped_share);
}

// What ends the solve, or the set-up, on this rank now; NONE: nothing.
static enum lcl_stop find_end(const lcl_chain *C)
{
    return atomic_load(&C->cancelled)                   ? LCL_STOP_CANCELLED
           : C->deadline > 0 && lcl_now() > C->deadline ? LCL_STOP_TIME_LIMIT
                                                        : LCL_STOP_NONE;
}

// Errors of a method that leave the ranks able to try another one.
static bool may_be_refusal(enum lcl_status st)
{
    return st == LCL_EUNSUPPORTED || st == LCL_ERANGE || st == LCL_EPIVOT ||
           st == LCL_EDEVMEM || st == LCL_ECANCELLED;
}

// Sets C->end after a set-up or a solve, where it matters: the clocks of ranks
// differ, and a signal may reach one of them alone. Returns st, or the error of
// a rank.
static enum lcl_status note_end(lcl_chain *C, enum lcl_status st)
{
    int64_t weight = 0;
    enum lcl_status agreed = LCL_OK;
    if (st > 0 || may_be_refusal(st)) {
        weight = -(int64_t)find_end(C);
        agreed = lcl_space_max(&C->A->range, &weight);
    }
    C->end = (enum lcl_stop)(-weight);
    return st < 0 ? st : agreed < 0 ? agreed : st;
}

static void set_limit(lcl_chain *C, const struct lcl_limit *L)
{
    const struct lcl_team_operator *T = C->A->team;
    lcl_context_set_limit(C->A->range.ctx, L);
    for (int r = 0; T && r < T->distribution.size; ++r)
        lcl_context_set_limit(T->part[r]->range.ctx, L);
}

static void begin_set_up(lcl_chain *C)
{
    const struct lcl_limit limit = {
        .deadline = C->deadline,
        .cancelled = &C->cancelled,
        .work = C->at > 0 ? lcl_chain_budget(C->operations, C->A->info.nnz) : 0,
        .launches = !C->A->range.comm};
    set_limit(C, &limit);
}

static void watch(lcl_chain *C)
{
    C->S->outer = &C->cancelled;
    if (C->S->member)
        C->S->member[0]->outer = &C->cancelled;
}

static enum lcl_status make(lcl_chain *C)
{
    const struct lcl_method *m = &C->plan.method[C->at];
    struct lcl_solver_params solver = m->solver;
    const double start = lcl_now();
    solver.monitor = C->given.monitor ? monitor : NULL;
    solver.test = C->given.test ? test : NULL;
    solver.monitor_user = solver.test_user = C;
    begin_set_up(C);
    const enum lcl_status made = lcl_precond_create(&C->M, C->A, &m->precond);
    const enum lcl_status st =
        made < 0 ? made : lcl_solver_create(&C->S, C->A, C->M, &solver);
    set_limit(C, NULL);
    C->setup_seconds = lcl_now() - start;
    if (made >= 0)
        note_dropped(C);
    if (st < 0)
        drop(C);
    else
        watch(C);
    return st < 0 ? st : made;
}

static bool is_last(const lcl_chain *C)
{
    return C->at == C->plan.count - 1;
}

// Whether the attempts so far tell that a method is of no use: CG if the matrix
// is not definite, MINRES, which takes more iterations, as long as it may be,
// and LU once it has failed.
static bool is_useless(const lcl_chain *C, const struct lcl_method *m)
{
    if (m->precond.type == LCL_PRECOND_LU && lcl_outcome_is_factored(&C->last))
        return true;
    const struct lcl_solver_facts *facts = lcl_solver_facts(m->solver.type);
    return lcl_outcome_is_indefinite(&C->last)
               ? facts->definite
               : facts->definite_precond && C->plan.definite;
}

// Goes to the next method that suits the matrix, or to the last one.
static void step(lcl_chain *C)
{
    const struct lcl_method *m;
    do
        m = &C->plan.method[++C->at];
    while (!is_last(C) &&
           (!lcl_method_suits(m, C->dropped) || is_useless(C, m)));
}

// Whether another method may succeed where this one has ended with an error.
static bool is_refusal(const lcl_chain *C, enum lcl_status st)
{
    return may_be_refusal(st) &&
           (st != LCL_ECANCELLED || C->end == LCL_STOP_NONE);
}

// ------------------------------------------------------------------- reports

static int parameter_of(enum lcl_solver_type type,
                        const struct lcl_solver_params *p)
{
    const struct lcl_solver_facts *facts = lcl_solver_facts(type);
    return facts->idr_s ? p->idr_s : facts->restart ? p->restart : 0;
}

// Of method number `at`.
static void record(lcl_chain *C, int at, enum lcl_status st,
                   const struct lcl_report *r)
{
    const struct lcl_method *m = &C->plan.method[at];
    const bool in_use = at == C->at;
    const struct lcl_solver_params *p =
        in_use && C->S ? &C->S->params : &m->solver;
    C->last.attempt[C->last.attempts++] = (struct lcl_attempt){
        .solver = p->type,
        .precond = in_use && C->M ? C->M->info.type : m->precond.type,
        .parameter = parameter_of(p->type, p),
        .variant = m->variant,
        .status = st,
        .stop = r->stop,
        .iterations = r->iterations,
        .true_residual = r->stop               ? r->true_residual
                         : C->last.report.stop ? C->last.report.true_residual
                                               : NAN,
        .setup_seconds = C->setup_seconds,
        .solve_seconds = r->seconds,
    };
    C->setup_seconds = 0;
}

// Operations with entries of A and M.
static double operations_of(const lcl_chain *C, const struct lcl_report *r)
{
    const int each = lcl_solver_facts(C->S->params.type)->products;
    const struct lcl_precond_info *info = &C->M->info;
    return (double)each * r->iterations *
           (double)(C->A->info.nnz + info->factors.nnz);
}

// ------------------------------------------------------------------- solve

// Methods after the first one start from a better x, which does not change the
// tolerance.
static void set_reference(lcl_chain *C)
{
    if (C->given.relative_to != LCL_RELATIVE_TO_R0)
        return;
    C->S->params.relative_to = C->last.report.stop == LCL_STOP_NONE
                                   ? LCL_RELATIVE_TO_R0
                                   : LCL_RELATIVE_TO_REFERENCE;
    C->S->params.reference = C->first_residual;
}

static void note_reference(lcl_chain *C)
{
    const lcl_solver *S = C->S->member ? C->S->member[0] : C->S;
    if (C->last.report.stop == LCL_STOP_NONE)
        C->first_residual = fmin(ldexp(sqrt(S->start_rr), S->unit), DBL_MAX);
}

// 0: any.
static double time_left(const lcl_chain *C)
{
    return C->deadline > 0 ? fmax(C->deadline - lcl_now(), DBL_MIN) : 0;
}

// Half of the iterations are left to later methods.
static void set_limits(const lcl_chain *C)
{
    const int left = C->max_iters - C->last.report.iterations;
    C->S->params.max_iters = is_last(C) ? left : left - left / 2;
    C->S->params.time_limit = time_left(C);
}

static enum lcl_status run(lcl_chain *C, const double *b, double *x)
{
    struct lcl_report r = LCL_REPORT_INIT;
    enum lcl_status st = C->S ? LCL_OK : make(C), added;
    if (st >= 0) {
        set_limits(C);
        set_reference(C);
        st = lcl_solver_solve(C->S, b, x, &r);
        note_reference(C);
        C->operations += operations_of(C, &r);
    }
    record(C, C->at, st, &r);
    if (r.stop == LCL_STOP_NONE)
        return st;
    added = lcl_outcome_add(&C->last, &r, log_of(C));
    return added < 0 ? added : st;
}

// Whether the next method is to be tried.
static bool goes_on(const lcl_chain *C, enum lcl_status st)
{
    return !is_last(C) && st != LCL_OK && (st > 0 || is_refusal(C, st)) &&
           !lcl_krylov_is_interrupted(C->last.report.stop) &&
           C->end == LCL_STOP_NONE && C->last.report.iterations < C->max_iters;
}

static void advance(lcl_chain *C)
{
    const struct lcl_attempt *a = &C->last.attempt[C->last.attempts - 1];
    lcl_info(log_of(C), "%s with %s failed: %s; trying the next method",
             lcl_solver_name(a->solver), lcl_precond_name(a->precond),
             a->stop ? lcl_stop_str(a->stop) : lcl_status_str(a->status));
    drop(C);
    step(C);
}

static void set_deadline(lcl_chain *C, double since)
{
    const double limit = C->given.time_limit;
    C->deadline = limit > 0 ? since + limit : 0;
}

static void begin(lcl_chain *C)
{
    if (C->exhausted && C->at > 0) {
        drop(C);
        C->at = 0;
    }
    C->exhausted = false;
    lcl_outcome_begin(&C->last);
    C->started = lcl_now();
    C->operations = 0;
    set_deadline(C, C->started - C->setup_seconds);
}

// The solve ends in a set-up or between methods, with what these have left.
static enum lcl_status end_early(lcl_chain *C, enum lcl_stop why)
{
    if (C->last.report.stop == LCL_STOP_NONE)
        C->last.report.residual = C->last.report.true_residual = NAN;
    C->last.report.stop = why;
    return lcl_stop_status(why);
}

// Goes through the methods after the one in use, which has ended with `st`.
static enum lcl_status go_on(lcl_chain *C, const double *b, double *x,
                             enum lcl_status st, struct lcl_report *report)
{
    enum lcl_status ran = LCL_OK;
    for (;;) {
        if ((st = note_end(C, st)) >= 0)
            ran = st;
        if (!goes_on(C, st))
            break;
        advance(C);
        st = run(C, b, x);
    }
    const bool refused = is_refusal(C, st);
    C->exhausted = st > 0 || may_be_refusal(st);
    C->last.report.seconds = lcl_now() - C->started;
    if ((st > 0 || st == LCL_ECANCELLED) && C->end != LCL_STOP_NONE)
        st = end_early(C, C->end);
    else if (refused && C->last.report.stop)
        st = ran;
    if (st >= 0 && report)
        *report = C->last.report;
    return st;
}

static enum lcl_status solve(lcl_chain *C, const double *b, double *x,
                             struct lcl_report *report)
{
    begin(C);
    return go_on(C, b, x, run(C, b, x), report);
}

// lcl_chain_cancel() is for this solve, of all its columns, even if too late.
static enum lcl_status end_solve(lcl_chain *C, enum lcl_status st)
{
    atomic_store(&C->cancelled, false);
    return st;
}

static void drop_columns(lcl_chain *C)
{
    for (int j = 0; j < C->columns; ++j)
        lcl_outcome_finish(&C->column[j]);
    lcl_free(C->column);
    C->column = NULL;
    C->columns = 0;
}

enum lcl_status lcl_chain_solve(lcl_chain *C, const double *b, double *x,
                                struct lcl_report *report)
{
    if (!C || !b || !x)
        return lcl_misuse(C ? log_of(C) : NULL,
                          "lcl_chain_solve: an argument is NULL");
    const enum lcl_status st =
        lcl_context_expect_free(C->A->range.ctx, "lcl_chain_solve");
    if (st < 0)
        return st;
    drop_columns(C);
    return end_solve(C, solve(C, b, x, report));
}

// ------------------------------------------------------------------- columns

static enum lcl_status make_columns(lcl_chain *C, int count)
{
    drop_columns(C);
    C->column = lcl_calloc((size_t)count, sizeof *C->column);
    if (!C->column)
        return lcl_fail_memory(log_of(C), "outcomes of columns");
    C->columns = count;
    return LCL_OK;
}

// Keeps what came of column j.
static void keep_column(lcl_chain *C, int j, struct lcl_report *reports)
{
    C->column[j] = C->last;
    C->last.history = NULL;
    if (reports)
        reports[j] = C->column[j].report;
}

static enum lcl_status solve_one_by_one(lcl_chain *C,
                                        const struct lcl_given_columns *c,
                                        struct lcl_report *reports)
{
    enum lcl_status result = LCL_OK;
    for (int j = 0; j < c->count; ++j) {
        C->solving = j;
        const enum lcl_status st =
            solve(C, c->b + j * c->ldb, c->x + j * c->ldx, NULL);
        if (st < 0)
            return st;
        keep_column(C, j, reports);
        if (result == LCL_OK)
            result = st;
        if (lcl_krylov_is_interrupted(C->column[j].report.stop))
            break;
    }
    return result;
}

// Goes on with column j, which the method number `first` has solved or not.
static enum lcl_status finish_column(lcl_chain *C,
                                     const struct lcl_given_columns *c, int j,
                                     int first, const struct lcl_report *r,
                                     struct lcl_report *reports)
{
    const double *b = c->b + j * c->ldb;
    double *x = c->x + j * c->ldx;
    enum lcl_status st = lcl_stop_status(r->stop), added;
    const bool more = st != LCL_OK && !lcl_krylov_is_interrupted(r->stop);
    if (more && C->exhausted && C->at != first) {
        drop(C);
        C->at = first;
    }
    C->exhausted = false;
    C->solving = j;
    begin(C);
    C->started -= r->seconds;
    record(C, first, st, r);
    if ((added = lcl_outcome_add(&C->last, r, log_of(C))) < 0)
        return added;
    if (C->at != first && more)
        st = run(C, b, x);
    st = go_on(C, b, x, st, NULL);
    if (st >= 0)
        keep_column(C, j, reports);
    return st;
}

// The histories of the solver's columns, which outlive it.
struct histories {
    double **history;
    int count;
};

static struct histories take_histories(lcl_solver *S)
{
    const struct histories taken = {S->histories, S->columns};
    S->histories = NULL;
    S->columns = 0;
    return taken;
}

static void histories_finish(struct histories *H)
{
    for (int j = 0; j < H->count; ++j)
        lcl_free(H->history[j]);
    lcl_free(H->history);
}

// All columns by the method in use, whose reports are `first`, then those that
// fail by the others.
static enum lcl_status solve_together(lcl_chain *C,
                                      const struct lcl_given_columns *c,
                                      struct lcl_report *first,
                                      struct lcl_report *reports)
{
    const int at = C->at;
    enum lcl_status result = LCL_OK, st;
    set_limits(C);
    st = lcl_solver_solve_many(C->S, c->b, c->ldb, c->x, c->ldx, c->count,
                               first);
    struct histories taken = take_histories(C->S);
    for (int j = 0; j < c->count && st >= 0; ++j) {
        if (first[j].stop == LCL_STOP_NONE)
            continue;
        st = finish_column(C, c, j, at, &first[j], reports);
        if (result == LCL_OK)
            result = st;
    }
    histories_finish(&taken);
    return st < 0 ? st : result;
}

// Otherwise the tolerance of later methods would depend on a residual that the
// reports lack.
static bool shares_passes(const lcl_chain *C, int count)
{
    return count > 1 && C->S && C->given.relative_to != LCL_RELATIVE_TO_R0 &&
           lcl_cg_columns_suit(C->S);
}

static enum lcl_status solve_columns(lcl_chain *C,
                                     const struct lcl_given_columns *c,
                                     struct lcl_report *reports)
{
    begin(C); // may go back to the first method
    if (!shares_passes(C, c->count))
        return solve_one_by_one(C, c, reports);
    struct lcl_report *first = lcl_calloc((size_t)c->count, sizeof *first);
    if (!first)
        return lcl_fail_memory(log_of(C), "reports");
    const enum lcl_status st = solve_together(C, c, first, reports);
    lcl_free(first);
    return st;
}

enum lcl_status lcl_chain_solve_many(lcl_chain *C, const double *B, int64_t ldb,
                                     double *X, int64_t ldx, int count,
                                     struct lcl_report *reports)
{
    static const char name[] = "lcl_chain_solve_many";
    static const struct lcl_report none = LCL_REPORT_INIT;
    const struct lcl_given_columns c = {B, ldb, X, ldx, count};
    enum lcl_status st;
    if (!C || !B || !X)
        return lcl_misuse(C ? log_of(C) : NULL, "%s: an argument is NULL",
                          name);
    const struct lcl_space *V = &C->A->range;
    if ((st = lcl_context_expect_free(V->ctx, name)) < 0)
        return st;
    for (int j = 0; j < count && reports; ++j)
        reports[j] = none;
    if ((st = lcl_columns_check(C->A, &c, name)) < 0 ||
        (st = lcl_space_agree(V, make_columns(C, count), "a solve")) < 0)
        return st;
    st = solve_columns(C, &c, reports);
    C->solving = 0;
    return end_solve(C, st);
}

// ------------------------------------------------------------------- life

// Sets up the first method that takes the matrix; if the caller asks for
// something that it does not take, that is an error.
static enum lcl_status make_first(lcl_chain *C)
{
    enum lcl_status st = note_end(C, make(C));
    while (is_refusal(C, st) && !is_last(C) && !C->plan.asked) {
        step(C);
        st = note_end(C, make(C));
    }
    if (st >= 0)
        C->max_iters =
            C->given.max_iters ? C->given.max_iters : C->S->params.max_iters;
    return st;
}

enum lcl_status lcl_chain_create(lcl_chain **out, lcl_operator *A,
                                 const struct lcl_precond_params *precond,
                                 const struct lcl_solver_params *solver)
{
    static const struct lcl_precond_params precond_defaults;
    static const struct lcl_solver_params solver_defaults;
    enum lcl_status st;
    if (out)
        *out = NULL;
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    if (!out || !A)
        return lcl_misuse(log, "lcl_chain_create: an argument is NULL");
    if ((st = lcl_context_expect_free(A->range.ctx, "lcl_chain_create")) < 0)
        return st;
    lcl_chain *C = lcl_calloc(1, sizeof *C);
    if (!C)
        return lcl_fail_memory(log, "a chain");
    C->A = A;
    C->version = A->version;
    C->given_precond = precond ? *precond : precond_defaults;
    C->given = solver ? *solver : solver_defaults;
    set_deadline(C, lcl_now());
    if ((st = lcl_plan_make(&C->plan, A, &C->given_precond, &C->given)) < 0 ||
        (st = make_first(C)) < 0)
        lcl_chain_destroy(&C);
    *out = C;
    return st;
}

// Chooses anew for the values of now. *other: the methods are not those that
// were chosen before.
static enum lcl_status plan_anew(lcl_chain *C, bool *other)
{
    struct lcl_plan next;
    const enum lcl_status st =
        lcl_plan_make(&next, C->A, &C->given_precond, &C->given);
    *other = st == LCL_OK && !lcl_plan_is_same(&C->plan, &next);
    if (st < 0)
        return st;
    C->plan = next;
    C->version = C->A->version;
    return LCL_OK;
}

static enum lcl_status begin_anew(lcl_chain *C)
{
    drop(C);
    C->at = 0;
    C->exhausted = false;
    C->dropped = 0;
    C->last.attempts = 0; // what they found was true of other values
    drop_columns(C);
    lcl_info(log_of(C), "the new values suggest other methods: %s",
             C->plan.reason);
    return make_first(C);
}

// A preconditioner that was cancelled has factors of no matrix.
static enum lcl_status take_values(lcl_chain *C)
{
    begin_set_up(C);
    const enum lcl_status st = lcl_precond_update(C->M);
    set_limit(C, NULL);
    if (st == LCL_ECANCELLED)
        drop(C);
    return st;
}

static enum lcl_status update(lcl_chain *C)
{
    bool other = false;
    enum lcl_status st;
    set_deadline(C, lcl_now());
    if (C->version != C->A->version && (st = plan_anew(C, &other)) < 0)
        return st;
    if (other)
        return begin_anew(C);
    st = C->M ? note_end(C, take_values(C)) : LCL_OK;
    if (!is_refusal(C, st) || C->plan.count == 1)
        return st;
    drop(C); // others may take these values
    if (is_last(C))
        C->at = 0;
    else
        step(C);
    return LCL_OK;
}

enum lcl_status lcl_chain_update(lcl_chain *C)
{
    if (!C)
        return lcl_misuse(NULL, "lcl_chain_update: an argument is NULL");
    enum lcl_status st =
        lcl_context_expect_free(C->A->range.ctx, "lcl_chain_update");
    if (st < 0)
        return st;
    if ((st = update(C)) == LCL_ECANCELLED)
        atomic_store(&C->cancelled, false); // not for the next solve
    return st;
}

enum lcl_status lcl_chain_set_tolerance(lcl_chain *C, double rtol, double atol,
                                        int max_iters)
{
    if (!C)
        return lcl_misuse(NULL, "lcl_chain_set_tolerance: an argument is NULL");
    enum lcl_status st =
        lcl_context_expect_free(C->A->range.ctx, "lcl_chain_set_tolerance");
    if (st < 0 || (st = lcl_krylov_set_limits(&C->given, rtol, atol, max_iters,
                                              log_of(C))) < 0)
        return st;
    C->max_iters = C->given.max_iters;
    for (int k = 0; k < C->plan.count; ++k) {
        C->plan.method[k].solver.rtol = C->given.rtol;
        C->plan.method[k].solver.atol = C->given.atol;
    }
    return C->S ? lcl_solver_set_tolerance(C->S, rtol, atol, max_iters)
                : LCL_OK;
}

void lcl_chain_cancel(lcl_chain *C)
{
    if (C)
        atomic_store(&C->cancelled, true);
}

const struct lcl_attempt *lcl_chain_column_attempt(const lcl_chain *C,
                                                   int column, int index)
{
    if (!C || column < 0 || column >= (C->columns > 0 ? C->columns : 1))
        return NULL;
    const struct lcl_outcome *o =
        C->columns > 0 ? &C->column[column] : &C->last;
    return index >= 0 && index < o->attempts ? &o->attempt[index] : NULL;
}

const struct lcl_attempt *lcl_chain_attempt(const lcl_chain *C, int index)
{
    return lcl_chain_column_attempt(C, 0, index);
}

const char *lcl_chain_reason(const lcl_chain *C)
{
    return C ? C->plan.reason : "";
}

const lcl_precond *lcl_chain_precond(const lcl_chain *C)
{
    return C ? C->M : NULL;
}

const lcl_solver *lcl_chain_solver(const lcl_chain *C)
{
    return C ? C->S : NULL;
}

void lcl_chain_destroy(lcl_chain **chain)
{
    if (!chain || !*chain)
        return;
    if (!lcl_context_lets_go((*chain)->A->range.ctx, chain,
                             "lcl_chain_destroy"))
        return;
    drop(*chain);
    drop_columns(*chain);
    lcl_outcome_finish(&(*chain)->last);
    lcl_free(*chain);
    *chain = NULL;
}
