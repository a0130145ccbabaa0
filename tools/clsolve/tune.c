// SPDX-License-Identifier: BSD-3-Clause
// clsolve tune: the configurations, their times, their ranks.
#include "tools/clsolve/tune.h"

#include <assert.h>
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
    GRID = 64,       // only if tuning->grid
};

// Of a grid: a trial ends after this multiple of the best total, and solves so
// often.
enum { GRID_PATIENCE = 3, GRID_SOLVES = 3 };

// Factors of the whole matrix, level by level.
#define WHOLE                                                                  \
 " --trisolve hec_wait --partition natural --subdomain-rows 2147483647"

// Those that are likely to be fast come first, so that others end early.
// clang-format off
static const struct {
    unsigned for_; // what the system is
    const char *words;
} configurations[] = {
    {ANY, ""},
    {DEFINITE, "--solver cg --precond amg"},
    {DEFINITE, "--solver cg --precond amg --amg-smoother jacobi"},
    {DEFINITE | GRID, "--solver cg --precond amg --amg-smoother ildu0"},
    {DEFINITE | GRID, "--solver cg --precond amg --amg-coarsening sa"},
    {DEFINITE, "--solver cg --precond amg --amg-coarsening classical"},
    {DEFINITE | GRID, "--solver cg --precond amg --amg-theta 0.05"},
    {DEFINITE, "--solver cg --precond ic0"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --coarse none"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --coarse add"},
    {DEFINITE, "--solver cg --precond ic0 --coarse mult"},
    {DEFINITE, "--solver cg --precond ic0 --subdomain-rows 512"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --subdomain-rows 512 --coarse mult"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --subdomain-rows 2048"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --subdomain-rows 2048 --coarse mult"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --subdomain-rows 60000"},
    {DEFINITE | GRID, "--solver cg --precond ic0" WHOLE},
    {DEFINITE | GRID, "--solver cg --precond ic0 --partition match"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --partition natural"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --factor-storage fp64"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --factor-storage bf16"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --relax 0.9"},
    {DEFINITE | GRID, "--solver cg --precond ic0 --pivot boost"},
    {DEFINITE | GRID, "--solver cg --precond as"},
    {DEFINITE | GRID, "--solver cg --precond as --overlap 2"},
    {DEFINITE | GRID, "--solver cg --precond as --ilu-level 1"},
    {DEFINITE | GRID, "--solver cg --precond as --ilu-level 2"},
    {DEFINITE | GRID, "--solver cg --precond as --ilu-level 3"},
    {DEFINITE, "--solver cg --precond jacobi"},
    {DEFINITE | GRID, "--solver cg --precond none"},
    {DEFINITE | GRID, "--solver cg --precond block-jacobi"},
    {DEFINITE | GRID, "--solver cg --precond block-jacobi --max-block-size 32"},
    {INDEFINITE, "--solver minres --precond jacobi"},
    {INDEFINITE | GRID, "--solver minres --precond none"},
    {INDEFINITE, "--solver bicgstab --precond ildu0 --transversal on"},
    {MATRIX | KRON, "--solver bicgstab --precond ildu0"},
    {MATRIX, "--solver bicgstab --precond ildu0 --coarse mult"},
    {MATRIX, "--solver bicgstab --precond ildu0 --coarse none"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --coarse add"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --subdomain-rows 512"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --subdomain-rows 512 --coarse mult"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --subdomain-rows 2048"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --subdomain-rows 60000"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0" WHOLE},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --factor-storage fp64"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --factor-storage bf16"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --relax 0.9"},
    {GENERAL | GRID, "--solver bicgstab --precond ildu0 --block-size 1"},
    {MATRIX | KRON, "--solver idr --precond ildu0"},
    {MATRIX | KRON, "--solver idr --idr-s 8 --precond ildu0 "
                    "--factor-storage fp64 --pivot shift"},
    {GENERAL | GRID, "--solver gmres --precond ildu0"},
    {GENERAL | GRID, "--solver gmres --restart 100 --precond ildu0"},
    {MATRIX, "--solver bicgstab --precond ras"},
    {GENERAL | GRID, "--solver bicgstab --precond ras --overlap 2"},
    {GENERAL | GRID, "--solver bicgstab --precond ras --ilut-p 20 --ilut-tol 1e-4"},
    {MATRIX | GRID, "--solver bicgstab --precond iluk"},
    {GENERAL | GRID, "--solver bicgstab --precond iluk --ilu-level 2"},
    {GENERAL | GRID, "--solver bicgstab --precond iluk --ilu-level 3"},
    {GENERAL, "--solver bicgstab --precond amg"},
    {GENERAL | GRID, "--solver gmres --precond amg"},
    {GENERAL | GRID, "--solver bicgstab --precond ilut"},
    {MATRIX | GRID, "--solver bicgstab --precond ilut --ilut-p 20 --ilut-tol 1e-4"},
    {GENERAL | GRID, "--solver bicgstab --precond ilut --ilut-p 50 --ilut-tol 1e-5"},
    {GENERAL | GRID, "--solver bicgstab --precond ilut --ilut-p 50 --ilut-tol 1e-5 --transversal on"},
    {GENERAL, "--solver idr --precond ilut"},
    {GENERAL, "--solver idr --precond ilut --transversal on"},
    {GENERAL | GRID, "--solver gmres --restart 100 --precond ilut --ilut-p 200 --ilut-tol 1e-6"
                     " --transversal on"},
    {GENERAL, "--solver gmres --restart 60 --precond iluk"},
    {GENERAL, "--solver bicgstab --precond jacobi"},
    {GENERAL | GRID, "--solver idr --idr-s 8 --precond jacobi"},
    {GENERAL | GRID, "--solver idr --precond block-jacobi"},
    {GENERAL | GRID, "--solver idr --precond block-jacobi --max-block-size 32"},
    {MATRIX | GRID, "--solver gmres --precond lu"},
    {GENERAL | GRID, "--solver bicgstab --precond cpr"},
    {GENERAL | GRID, "--solver bicgstab --precond cpr --cpr-pressure 2"},
    {KRON, "--solver bicgstab --precond block-jacobi"},
    {KRON, "--solver gmres --restart 60 --precond ildu0"},
};
// clang-format on

static_assert(sizeof configurations / sizeof *configurations <= TRIALS,
              "all may be tried");

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
        if (!(configurations[i].for_ & kind) ||
            ((configurations[i].for_ & GRID) && !tuning->grid))
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

// Keeps the shortest of some solves by one method.
static enum lcl_status solve(struct timing *time, struct job *job, double limit,
                             int solves)
{
    const enum lcl_status st = timing_solve(time, job, limit);
    const bool alone = !lcl_chain_attempt(job->chain, 1);
    for (int k = 1; k < solves && alone && st == LCL_OK; ++k) {
        struct timing again = *time;
        if (timing_solve(&again, job, limit) == LCL_OK)
            time->solve = fmin(time->solve, again.solve);
    }
    return st;
}

static enum lcl_status measure(struct trial *trial, struct job *job,
                               double limit, int solves)
{
    struct timing *time = &trial->time;
    enum lcl_status st = timing_set_up(time, job);
    if (st >= 0)
        st = timing_refresh(time, job);
    if (st < 0)
        return st;
    const double before = job->cli.many ? time->refresh : time->setup;
    if (before < limit)
        st = solve(time, job, limit - before, solves);
    trial->total = before + time->solve;
    trial->end = st == LCL_OK && before < limit ? TRIAL_CONVERGED
                 : before >= limit || time->stop == LCL_STOP_MONITOR
                     ? TRIAL_LATE
                     : TRIAL_FAILED;
    return st;
}

enum lcl_status tune_again(struct trial *trial, struct job *job)
{
    struct timing again;
    job->cli.options = trial->cli.options;
    enum lcl_status st = timing_set_up(&again, job);
    if (st >= 0)
        st = solve(&again, job, 0, GRID_SOLVES);
    job_drop_method(job);
    if (st != LCL_OK)
        return st;
    trial->time.setup = fmin(trial->time.setup, again.setup);
    trial->time.solve = fmin(trial->time.solve, again.solve);
    trial->total = trial->time.setup + trial->time.solve;
    return LCL_OK;
}

// A first set-up that is far too long, even without autotuning, ends the trial.
static bool is_hopeless(const struct trial *trial, const struct job *job,
                        double limit)
{
    return !job->cli.many && trial->time.setup > 3 * limit;
}

// Whether p and q have factors, and those of p at least the fill of those of q.
static bool has_fill_of(const struct lcl_precond_params *p,
                        const struct lcl_precond_params *q)
{
    return cli_has_factors(p->type) && p->type == q->type &&
           p->transversal == q->transversal && p->order == q->order &&
           p->partition.type == q->partition.type &&
           p->ilu_level >= q->ilu_level && p->ilut_p >= q->ilut_p &&
           p->overlap >= q->overlap && p->partition.rows == q->partition.rows;
}

// Whether a trial before number `at` tells that its set-up takes far too long.
static bool is_foreseen(const struct tuning *tuning, int at)
{
    const struct lcl_precond_params *p = &tuning->trial[at].cli.options.precond;
    for (int i = 0; i < at; ++i)
        if (tuning->trial[i].hopeless &&
            has_fill_of(p, &tuning->trial[i].cli.options.precond))
            return true;
    return false;
}

static void skip(struct trial *trial)
{
    trial->end = TRIAL_SKIPPED;
    trial->time = (struct timing){.setup = NAN, .refresh = NAN, .solve = NAN};
    trial->total = NAN;
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

static void note_method(struct trial *trial, const struct job *job)
{
    char number[32] = "";
    int tried = 0;
    while (lcl_chain_attempt(job->chain, tried))
        ++tried;
    const struct lcl_attempt *a = lcl_chain_attempt(job->chain, tried - 1);
    if (!a)
        return;
    if (tried > 1)
        snprintf(number, sizeof number, " (method %d)", tried);
    snprintf(trial->method, sizeof trial->method, "%s %s%s%s%s",
             lcl_solver_name(a->solver), lcl_precond_name(a->precond),
             *a->variant ? ", " : "", a->variant, number);
}

// The options with which the library began, if its first method has converged.
static void note_choice(struct tuning *tuning, const struct job *job,
                        enum lcl_status st)
{
    struct lcl_options *chosen = &tuning->chosen;
    *chosen = job->cli.options;
    tuning->chose =
        st == LCL_OK && !lcl_chain_attempt(job->chain, 1) &&
        lcl_choose_method(job->op, &chosen->precond, &chosen->solver) == LCL_OK;
    tuning->scalar = lcl_operator_info(job->op)->block_size == 1;
}

// Whether a trial is the first one with the choices of the library spelt out:
// options are copies of one original, so that their bytes compare.
static bool repeats_choice(const struct tuning *tuning,
                           const struct trial *trial)
{
    const struct lcl_options *chosen = &tuning->chosen;
    struct lcl_options named = trial->cli.options;
    if (tuning->scalar && named.op.block_size == 1)
        named.op.block_size = chosen->op.block_size;
    return tuning->chose && !tuning->grid &&
           memcmp(&named.precond, &chosen->precond, sizeof named.precond) ==
               0 &&
           memcmp(&named.solver, &chosen->solver, sizeof named.solver) == 0 &&
           memcmp(&named.op, &chosen->op, sizeof named.op) == 0;
}

// Warnings about a configuration are of no use here.
static enum lcl_status run_trial(struct tuning *tuning, struct trial *trial,
                                 struct job *job, double limit, int solves)
{
    const int warnings = job->messages.warnings;
    trial->total = NAN;
    trial->end = TRIAL_LATE;
    job->cli.options = trial->cli.options;
    enum lcl_status st = timing_warm_up(&trial->time, job);
    trial->hopeless = st >= 0 && is_hopeless(trial, job, limit);
    if (st >= 0 && !trial->hopeless && !progress_interrupted())
        st = measure(trial, job, limit, solves);
    note_method(trial, job);
    if (!*trial->words && job->chain)
        note_choice(tuning, job, st);
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
    const int patience = tuning->grid ? GRID_PATIENCE : 1;
    const int solves = tuning->grid ? GRID_SOLVES : 1;
    double best = INFINITY;
    int done = 0, listed = 0;
    for (; done < tuning->count && !progress_interrupted(); ++done) {
        struct trial *trial = &tuning->trial[done];
        if (repeats_choice(tuning, trial))
            continue;
        tuning->rank[listed++] = trial;
        if (is_foreseen(tuning, done)) {
            skip(trial);
            continue;
        }
        const enum lcl_status st =
            run_trial(tuning, trial, job, patience * best, solves);
        if (st < 0)
            return st;
        if (trial->end == TRIAL_CONVERGED)
            best = fmin(best, trial->total);
        else if (progress_interrupted()) {
            --listed; // it says nothing about this configuration
            break;
        }
    }
    if (done < tuning->count)
        messages_warn(&job->messages,
                      "interrupted: %d of the configurations were not tried",
                      tuning->count - done);
    tuning->count = listed;
    qsort(tuning->rank, (size_t)listed, sizeof *tuning->rank, compare);
    return LCL_OK;
}
