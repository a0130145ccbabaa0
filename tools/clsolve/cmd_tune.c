// SPDX-License-Identifier: BSD-3-Clause
// clsolve tune A.mtx: finds the fastest options for a matrix.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/report.h"
#include "tools/clsolve/tune.h"

#include <stdlib.h>

static enum lcl_status no_memory(struct job *job)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for the configurations");
}

static enum lcl_status prepare(struct job *job)
{
    enum lcl_status st;
    if ((st = job_read(job)) < 0 || (st = job_check_square(job)) < 0 ||
        (st = job_prepare(job)) < 0)
        return st;
    if (!cli_is_kron(&job->cli) && facts_symmetry(&job->facts, &job->A) < 0)
        return no_memory(job);
    return job_open_device(job);
}

static enum lcl_status tune(struct tuning *tuning, struct job *job)
{
    const bool text = !job->cli.json && !job->cli.quiet;
    struct progress whole = {.limit = 0}; // an interrupt of a set-up, too
    if (text) {
        text_matrix(job);
        text_device(lcl_context_caps(job->ctx));
        fflush(stdout);
    }
    tune_plan(tuning, job);
    progress_begin(&whole, NULL, NULL);
    const enum lcl_status st = tune_run(tuning, job);
    progress_end(&whole);
    if (st < 0)
        return st;
    job->failed = tuning->count == 0 || tuning->rank[0]->end != TRIAL_CONVERGED;
    if (text)
        text_tuning(tuning, job);
    if (job->cli.json && !json_tuning(tuning, job, job_exit_code(job, st)))
        return no_memory(job);
    return LCL_OK;
}

static enum lcl_status run(struct job *job)
{
    enum lcl_status st = prepare(job);
    if (st < 0)
        return st;
    struct tuning *tuning = calloc(1, sizeof *tuning);
    st = tuning ? tune(tuning, job) : no_memory(job);
    free(tuning);
    return st;
}

const struct command cmd_tune = {
    .name = "tune",
    .usage = "A.mtx [-b b.mtx] [--for one|many] [options]",
    .help = "try methods, rank them by time, print the best command",
    .takes =
        TAKES_MATRIX | TAKES_METHOD | TAKES_RHS | TAKES_DEVICE | TAKES_GOAL,
    .run = run,
};
