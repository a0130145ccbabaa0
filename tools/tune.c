// SPDX-License-Identifier: BSD-3-Clause
// clsolve tune: the configurations, their times, their ranks.
#include "tools/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- plan

enum {
    DEFINITE = 1,
    GENERAL = 2,
    MATRIX = 4,
    KRON = 8,
    ANY = 16,
    INDEFINITE = 32, // symmetric
};

// Those that are likely to be fast come first, so that others end early.
static const struct {
    unsigned for_; // what the system is
    const char *words;
} configurations[] = {
    {ANY, ""},
    {DEFINITE, "--solver cg --precond amg"},
    {DEFINITE, "--solver cg --precond amg --amg-smoother jacobi"},
    {DEFINITE, "--solver cg --precond amg --amg-coarsening classical"},
    {DEFINITE, "--solver cg --precond ic0"},
    {DEFINITE, "--solver cg --precond ic0 --coarse mult"},
    {DEFINITE, "--solver cg --precond ic0 --subdomain-rows 512"},
    {DEFINITE, "--solver cg --precond jacobi"},
    {INDEFINITE, "--solver minres --precond jacobi"},
    {INDEFINITE, "--solver bicgstab --precond ildu0 --transversal on"},
    {MATRIX | KRON, "--solver bicgstab --precond ildu0"},
    {MATRIX, "--solver bicgstab --precond ildu0 --coarse mult"},
    {MATRIX, "--solver bicgstab --precond ildu0 --coarse none"},
    {MATRIX | KRON, "--solver idr --precond ildu0"},
    {MATRIX | KRON, "--solver idr --idr-s 8 --precond ildu0 "
                    "--factor-storage fp64 --pivot shift"},
    {MATRIX, "--solver bicgstab --precond ras"},
    {GENERAL, "--solver bicgstab --precond amg"},
    {GENERAL, "--solver idr --precond ilut"},
    {GENERAL, "--solver idr --precond ilut --transversal on"},
    {GENERAL, "--solver gmres --restart 60 --precond iluk"},
    {GENERAL, "--solver bicgstab --precond jacobi"},
    {KRON, "--solver bicgstab --precond block-jacobi"},
    {KRON, "--solver gmres --restart 60 --precond ildu0"},
};

static unsigned kind_of(const struct job *job)
{
    const struct facts *facts = &job->facts;
    const bool symmetric = facts->asymmetry < 1e-10;
    if (cli_is_kron(&job->cli))
        return ANY | KRON;
    if (symmetric && (facts->positive_diagonals == job->A.rows ||
                      facts->negative_diagonals == job->A.rows))
        return ANY | MATRIX | DEFINITE;
    return ANY | MATRIX | GENERAL | (symmetric ? INDEFINITE : 0);
}

// Whether no option of the command line was changed.
static bool keeps(const struct cli *cli, const struct cli *given)
{
    for (int i = 0; i < CLI_KEYS; ++i)
        if (given->given[i] && strcmp(given->given[i], cli->given[i]) != 0)
            return false;
    return true;
}

void tune_plan(struct tuning *tuning, const struct job *job)
{
    const unsigned kind = kind_of(job);
    const size_t count = sizeof configurations / sizeof *configurations;
    tuning->count = 0;
    for (size_t i = 0; i < count; ++i) {
        struct trial *trial = &tuning->trial[tuning->count];
        struct messages unheard = {.warnings = 0};
        if (!(configurations[i].for_ & kind))
            continue;
        *trial = (struct trial){.cli = job->cli};
        snprintf(trial->words, sizeof trial->words, "%s",
                 configurations[i].words);
        memcpy(trial->cut, trial->words, sizeof trial->cut);
        if (cli_vary(&trial->cli, trial->cut, &unheard) == LCL_OK &&
            keeps(&trial->cli, &job->cli))
            ++tuning->count;
    }
}

// ---------------------------------------------------------------- times

static enum lcl_status measure(struct trial *trial, struct job *job,
                               double best)
{
    struct timing *time = &trial->time;
    enum lcl_status st = timing_set_up(time, job);
    if (st >= 0)
        st = timing_refresh(time, job);
    if (st < 0)
        return st;
    const double before = job->cli.many ? time->refresh : time->setup;
    if (before < best)
        st = timing_solve(time, job, best - before);
    trial->total = before + time->solve;
    trial->end = st == LCL_OK && before < best ? TRIAL_CONVERGED
                 : before >= best || time->stop == LCL_STOP_MONITOR
                     ? TRIAL_LATE
                     : TRIAL_FAILED;
    return st;
}

// A first set-up that is far too long, even without autotuning, ends the trial.
static bool is_hopeless(const struct trial *trial, const struct job *job,
                        double best)
{
    return !job->cli.many && trial->time.setup > 3 * best;
}

static bool is_refusal(enum lcl_status st)
{
    return st == LCL_EUNSUPPORTED || st == LCL_ERANGE || st == LCL_EPIVOT ||
           st == LCL_EDEVMEM || st == LCL_EINVAL;
}

static void note_refusal(struct trial *trial, struct job *job,
                         enum lcl_status st)
{
    char *error = job->messages.error;
    trial->end = TRIAL_REFUSED;
    snprintf(trial->why, sizeof trial->why, "%s",
             *error ? error : lcl_status_str(st));
    *error = '\0';
}

// Warnings about a configuration are of no use here.
static enum lcl_status run_trial(struct trial *trial, struct job *job,
                                 double best)
{
    const int warnings = job->messages.warnings;
    trial->total = NAN;
    trial->end = TRIAL_LATE;
    job->cli.options = trial->cli.options;
    enum lcl_status st = timing_warm_up(&trial->time, job);
    if (st >= 0 && !is_hopeless(trial, job, best) && !progress_interrupted())
        st = measure(trial, job, best);
    job_drop_method(job);
    job->messages.warnings = warnings;
    if (is_refusal(st)) {
        note_refusal(trial, job, st);
        st = LCL_OK;
    }
    return st < 0 ? st : LCL_OK;
}

// ---------------------------------------------------------------- ranks

static int compare(const void *left, const void *right)
{
    const struct trial *a = *(struct trial *const *)left;
    const struct trial *b = *(struct trial *const *)right;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->total < b->total ? -1 : a->total > b->total;
}

enum lcl_status tune_run(struct tuning *tuning, struct job *job)
{
    double best = INFINITY;
    int done = 0;
    for (; done < tuning->count && !progress_interrupted(); ++done) {
        struct trial *trial = tuning->rank[done] = &tuning->trial[done];
        const enum lcl_status st = run_trial(trial, job, best);
        if (st < 0)
            return st;
        if (trial->end == TRIAL_CONVERGED)
            best = fmin(best, trial->total);
        else if (progress_interrupted())
            break; // it says nothing about this configuration
    }
    if (done < tuning->count)
        messages_warn(&job->messages,
                      "interrupted: %d of the configurations were not tried",
                      tuning->count - done);
    tuning->count = done;
    qsort(tuning->rank, (size_t)done, sizeof *tuning->rank, compare);
    return LCL_OK;
}
