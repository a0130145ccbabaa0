// SPDX-License-Identifier: BSD-3-Clause
// clsolve compare A.mtx --a OPTIONS --b OPTIONS: which of two methods is
// faster.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/compare.h"
#include "tools/clsolve/report.h"

#include <stdlib.h>
#include <string.h>

static enum lcl_status no_memory(struct job *job)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for the times");
}

static enum lcl_status enter(struct contestant *C, struct job *job,
                             const char *words, int runs)
{
    C->words = words;
    C->cli = job->cli;
    C->converged = true;
    C->cut = strdup(words ? words : "");
    C->setup = calloc((size_t)runs, sizeof *C->setup);
    C->solve = calloc((size_t)runs, sizeof *C->solve);
    C->total = calloc((size_t)runs, sizeof *C->total);
    if (!C->cut || !C->setup || !C->solve || !C->total)
        return no_memory(job);
    return cli_vary(&C->cli, C->cut, &job->messages);
}

static enum lcl_status run_once(struct contestant *C, struct job *job, int run)
{
    struct timing timing;
    job->cli.options = C->cli.options;
    enum lcl_status st = timing_set_up(&timing, job);
    if (st >= 0)
        st = timing_solve(&timing, job, 0);
    job_drop_method(job);
    C->setup[run] = timing.setup;
    C->solve[run] = timing.solve;
    C->total[run] = timing.setup + timing.solve;
    C->iterations = timing.iterations;
    C->stop = timing.stop;
    C->converged = C->converged && st == LCL_OK;
    return st < 0 ? st : LCL_OK;
}

static enum lcl_status warm_up(struct contestant *C, struct job *job)
{
    struct timing timing;
    job->cli.options = C->cli.options;
    return timing_warm_up(&timing, job);
}

// Changes of the machine's speed meet both methods alike.
static enum lcl_status alternate(struct comparison *P, struct job *job)
{
    enum lcl_status st;
    if ((st = warm_up(&P->of[0], job)) < 0 ||
        (st = warm_up(&P->of[1], job)) < 0)
        return st;
    for (int run = 0; run < P->runs; ++run) {
        const int first = run % 2;
        if ((st = run_once(&P->of[first], job, run)) < 0 ||
            (st = run_once(&P->of[1 - first], job, run)) < 0)
            return st;
        if (progress_interrupted()) {
            messages_warn(&job->messages, "interrupted: no result");
            return LCL_ITERATION_LIMIT;
        }
        P->ratio[run] = P->of[1].total[run] / P->of[0].total[run];
    }
    return LCL_OK;
}

static void evaluate(struct comparison *P)
{
    const int n = P->runs;
    for (int i = 0; i < 2; ++i) {
        struct contestant *C = &P->of[i];
        C->setup_median = stats_median(C->setup, n);
        C->solve_median = stats_median(C->solve, n);
        C->total_median = stats_median(C->total, n);
    }
    P->median = stats_median(P->ratio, n);
    P->interval = stats_interval(n);
    P->low = P->ratio[P->interval.rank - 1];
    P->high = P->ratio[n - P->interval.rank];
}

static enum lcl_status prepare(struct job *job)
{
    enum lcl_status st;
    if ((st = job_read(job)) < 0 || (st = job_check_square(job)) < 0 ||
        (st = job_prepare(job)) < 0)
        return st;
    return job_open_device(job);
}

static enum lcl_status print_result(const struct comparison *P, struct job *job)
{
    if (!job->cli.json && !job->cli.quiet) {
        text_matrix(job);
        text_device(lcl_context_caps(job->ctx));
        text_comparison(P);
    }
    return !job->cli.json || json_comparison(P, job, job_exit_code(job, LCL_OK))
               ? LCL_OK
               : no_memory(job);
}

static enum lcl_status compare(struct comparison *P, struct job *job)
{
    struct progress whole = {.limit = 0}; // an interrupt of a set-up, too
    enum lcl_status st;
    P->runs = job->cli.runs;
    P->ratio = calloc((size_t)P->runs, sizeof *P->ratio);
    if (!P->ratio)
        return no_memory(job);
    if ((st = enter(&P->of[0], job, job->cli.a_text, P->runs)) < 0 ||
        (st = enter(&P->of[1], job, job->cli.b_text, P->runs)) < 0 ||
        (st = prepare(job)) < 0)
        return st;
    progress_begin(&whole, NULL, NULL);
    st = alternate(P, job);
    progress_end(&whole);
    if (st != LCL_OK)
        return st;
    evaluate(P);
    job->failed = !P->of[0].converged || !P->of[1].converged;
    return print_result(P, job);
}

static void finish(struct comparison *P)
{
    for (int i = 0; i < 2; ++i) {
        free(P->of[i].cut);
        free(P->of[i].setup);
        free(P->of[i].solve);
        free(P->of[i].total);
    }
    free(P->ratio);
}

static enum lcl_status run(struct job *job)
{
    struct comparison P = {.runs = 0};
    const enum lcl_status st = compare(&P, job);
    finish(&P);
    return st;
}

const struct command cmd_compare = {
    .name = "compare",
    .usage = "A.mtx --a \"OPTIONS\" --b \"OPTIONS\" [--runs N] [options]",
    .help = "measure two methods in alternating runs",
    .takes =
        TAKES_MATRIX | TAKES_METHOD | TAKES_RHS | TAKES_DEVICE | TAKES_PAIR,
    .run = run,
};
