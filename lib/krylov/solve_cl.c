// SPDX-License-Identifier: BSD-3-Clause
// Solves with right-hand sides and solutions in OpenCL buffers of the caller,
// blocking or in the background.
#include "host/alloc.h"
#include "host/background.h"
#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/team_operator.h"
#include "lib/krylov/cycles.h"

struct job {
    lcl_solver *S;
    struct lcl_solve_cl given;
    lcl_buffer *b, *x;
    struct lcl_report *reports; // NULL: none
    cl_event wait[];            // of given.events, retained
};

// ------------------------------------------------------------------- checks

// Doubles from the first one of the first column to the end of the last one.
static enum lcl_status measure(int64_t *length, const lcl_solver *S,
                               const struct lcl_solve_cl *given, int64_t ld)
{
    const struct lcl_log *log = lcl_context_log(S->ctx);
    const int64_t n = S->A->range.n, more = given->count - 1;
    *length = n;
    if (more < 1)
        return LCL_OK;
    if (ld < n)
        return lcl_fail(log, LCL_EINVAL,
                        "leading dimension %lld: expected at least %lld",
                        (long long)ld, (long long)n);
    if (ld > (INT64_MAX - n) / more)
        return lcl_fail(log, LCL_ERANGE,
                        "%d columns with leading dimension %lld: expected less "
                        "than 2^63 doubles",
                        given->count, (long long)ld);
    *length += more * ld;
    return LCL_OK;
}

static enum lcl_status wrap(struct job *job)
{
    const lcl_solver *S = job->S;
    const struct lcl_solve_cl *given = &job->given;
    const int both = LCL_ACCESS_READ | LCL_ACCESS_WRITE;
    int64_t of_b, of_x;
    enum lcl_status st;
    if ((st = measure(&of_b, S, given, given->ldb)) < 0 ||
        (st = measure(&of_x, S, given, given->ldx)) < 0 ||
        (st = lcl_array_wrap(&job->b, S->ctx, &given->b, of_b, sizeof(double),
                             LCL_ACCESS_READ, "b")) < 0 ||
        (st = lcl_array_wrap(&job->x, S->ctx, &given->x, of_x, sizeof(double),
                             both, "x")) < 0)
        return st;
    return given->count > 1 &&
                   lcl_arrays_overlap(&given->b, of_b, &given->x, of_x)
               ? lcl_fail(lcl_context_log(S->ctx), LCL_EINVAL,
                          "the columns of b and x overlap")
               : LCL_OK;
}

static enum lcl_status check(lcl_solver *S, const struct lcl_solve_cl *given,
                             const char *function)
{
    const struct lcl_log *log = S ? lcl_context_log(S->ctx) : NULL;
    if (!S || !given || !given->b.mem || !given->x.mem)
        return lcl_misuse(log, "%s: an argument is NULL", function);
    if (S->member)
        return lcl_team_refuse(S->A, LCL_APPLY, NULL);
    if (given->count < 0)
        return lcl_fail(log, LCL_EINVAL, "%s: %d columns, expected >= 1",
                        function, given->count);
    const enum lcl_status st = lcl_context_expect_free(S->ctx, function);
    return st < 0 ? st : lcl_events_check(S->ctx, &given->events);
}

// ------------------------------------------------------------------- columns

static enum lcl_status solve_selected(const struct job *job,
                                      struct lcl_report *report)
{
    lcl_solver *S = job->S;
    const struct lcl_numbering *N = S->A->numbering;
    bool improved;
    enum lcl_status st, got;
    if ((st = lcl_numbering_gather(N, job->b, S->b)) < 0 ||
        (st = lcl_krylov_measure_b(S)) < 0 ||
        (st = lcl_numbering_gather(N, job->x, S->x)) < 0)
        return st;
    S->at_zero = false;
    if ((st = lcl_krylov_solve(S, report, &improved)) < 0)
        return st;
    got = improved ? lcl_numbering_scatter(N, S->x, job->x) : LCL_OK;
    return got < 0 ? got : st;
}

static void select_column(lcl_buffer *b, const lcl_solver *S,
                          const struct lcl_array_cl *array, int64_t ld, int j)
{
    const size_t n = (size_t)S->A->range.n, size = sizeof(double);
    lcl_buffer_select(b, (size_t)(array->offset + j * ld) * size, n * size);
}

static enum lcl_status solve_columns(const struct job *job)
{
    lcl_solver *S = job->S;
    const struct lcl_solve_cl *given = &job->given;
    enum lcl_status result = LCL_OK;
    for (int j = 0; j < given->count; ++j) {
        struct lcl_report report = LCL_REPORT_INIT;
        select_column(job->b, S, &given->b, given->ldb, j);
        select_column(job->x, S, &given->x, given->ldx, j);
        S->column = j;
        const enum lcl_status st = solve_selected(job, &report);
        S->column = 0;
        if (st < 0)
            return st;
        if (given->count > 1)
            lcl_krylov_keep_history(S, j);
        if (job->reports)
            job->reports[j] = report;
        if (result == LCL_OK)
            result = st;
        if (lcl_krylov_is_interrupted(report.stop))
            break;
    }
    return result;
}

static enum lcl_status run(const struct job *job)
{
    lcl_solver *S = job->S;
    const struct lcl_events_cl *events = &job->given.events;
    enum lcl_status st = lcl_events_wait(S->ctx, events->count, job->wait);
    lcl_task_enter(S->ctx, LCL_TASK_SOLVE);
    if (st == LCL_OK)
        st = solve_columns(job);
    lcl_task_leave(S->ctx);
    return st;
}

// ------------------------------------------------------------------- jobs

static void destroy(struct job *job)
{
    if (!job)
        return;
    lcl_buffer_destroy(&job->x);
    lcl_buffer_destroy(&job->b);
    lcl_events_release(job->S->ctx, job->given.events.count, job->wait);
    lcl_free(job);
}

// A job with a copy of `given`; the reports say that nothing is solved.
static enum lcl_status create(struct job **out, lcl_solver *S,
                              const struct lcl_solve_cl *given,
                              struct lcl_report *reports)
{
    static const struct lcl_report none = LCL_REPORT_INIT;
    const cl_uint waits = given->events.count;
    const size_t bytes = (size_t)waits * sizeof(cl_event);
    struct job *job = *out = lcl_calloc(1, sizeof *job + bytes);
    enum lcl_status st = LCL_OK;
    if (!job)
        return lcl_fail_memory(lcl_context_log(S->ctx), "a solve");
    *job = (struct job){.S = S, .given = *given, .reports = reports};
    job->given.count = given->count > 1 ? given->count : 1;
    lcl_events_retain(S->ctx, waits, given->events.wait, job->wait);
    for (int j = 0; j < job->given.count && reports; ++j)
        reports[j] = none;
    if ((st = wrap(job)) == LCL_OK && job->given.count > 1)
        st = lcl_krylov_make_histories(S, job->given.count);
    return st;
}

enum lcl_status lcl_solver_solve_cl(lcl_solver *S,
                                    const struct lcl_solve_cl *solve,
                                    struct lcl_report *reports)
{
    struct job *job = NULL;
    const struct lcl_events_cl *events =
        lcl_events_begin(solve ? &solve->events : NULL);
    enum lcl_status st, got = LCL_OK;
    if ((st = check(S, solve, "lcl_solver_solve_cl")) < 0)
        return st;
    if ((st = create(&job, S, solve, reports)) == LCL_OK)
        st = lcl_space_end(&S->A->range, run(job));
    if (st >= 0)
        got = lcl_events_mark(S->ctx, events->done);
    destroy(job);
    return got < 0 ? got : st;
}

// On the library's thread: the caller's queue holds the last copy of x.
static enum lcl_status run_background(void *arg)
{
    struct job *job = arg;
    lcl_context *ctx = job->S->ctx;
    enum lcl_status st = run(job);
    const enum lcl_status got = lcl_context_wait(ctx);
    destroy(job);
    return st < 0 ? st : got;
}

enum lcl_status lcl_solver_enqueue_cl(lcl_solver *S,
                                      const struct lcl_solve_cl *solve,
                                      struct lcl_report *reports)
{
    static const char name[] = "lcl_solver_enqueue_cl";
    struct job *job = NULL;
    const struct lcl_events_cl *events =
        lcl_events_begin(solve ? &solve->events : NULL);
    enum lcl_status st;
    if ((st = check(S, solve, name)) < 0)
        return st;
    if (!events->done)
        return lcl_misuse(lcl_context_log(S->ctx), "%s: `done` is NULL", name);
    if (S->A->range.comm)
        return lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                        "%s: ranks of MPI have to solve by "
                        "lcl_solver_solve_cl()",
                        name);
    if ((st = create(&job, S, solve, reports)) < 0 ||
        (st = lcl_background_start(S->ctx, run_background, job, events->done)) <
            0)
        destroy(job);
    return st;
}
