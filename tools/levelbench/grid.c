// SPDX-License-Identifier: BSD-3-Clause
// levelbench grid: many methods on each problem, compared with the method that
// the library chooses.
#include "tools/clsolve/cli_table.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/json.h"
#include "tools/clsolve/tune.h"
#include "tools/levelbench/bench.h"
#include "tools/levelbench/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The trials of one problem that are compared with each other.
enum role {
    CHOSEN, // by the library
    SOLVE,  // the shortest solve
    TOTAL,  // the shortest set-up and solve
    ROLES
};

// A trial that is not CONVERGED counts as none.
struct result {
    const char *problem;
    struct trial trial[ROLES];
};

struct grid {
    struct job job; // the problem owns its matrix and vectors
    struct tuning tuning;
    struct result *result;
    int count;
};

// ------------------------------------------------------------------- results

static double time_of(const struct trial *trial, enum role role)
{
    return role == TOTAL ? trial->total : trial->time.solve;
}

// Time of the library's choice divided by that of the best trial; NaN unless
// both have converged.
static double ratio_of(const struct result *r, enum role best)
{
    const bool both = r->trial[CHOSEN].end == TRIAL_CONVERGED &&
                      r->trial[best].end == TRIAL_CONVERGED;
    return both ? time_of(&r->trial[CHOSEN], best) /
                      time_of(&r->trial[best], best)
                : NAN;
}

// Computes the geometric mean; returns the number of problems in it.
static int mean_ratio(const struct grid *G, enum role best, double *mean)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < G->count; ++i) {
        const double ratio = ratio_of(&G->result[i], best);
        sum += isnan(ratio) ? 0 : log(ratio);
        count += !isnan(ratio);
    }
    *mean = count > 0 ? exp(sum / count) : NAN;
    return count;
}

// The first trial is the library's choice.
static const struct trial *find_best(const struct tuning *tuning,
                                     enum role role)
{
    const struct trial *best = &tuning->trial[0];
    for (int i = 1; i < tuning->count; ++i) {
        const struct trial *trial = &tuning->trial[i];
        if (trial->end == TRIAL_CONVERGED &&
            (best->end != TRIAL_CONVERGED ||
             time_of(trial, role) < time_of(best, role)))
            best = trial;
    }
    return best;
}

// Measures the best trials again in turn: the machine may have been busy during
// the first trials.
static enum lcl_status compare(struct result *r, struct job *job)
{
    enum { ROUNDS = 2 };
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < ROUNDS * ROLES && st >= 0; ++k)
        if (r->trial[k % ROLES].end == TRIAL_CONVERGED)
            st = tune_again(&r->trial[k % ROLES], job);
    for (int role = 1; role < ROLES; ++role) // noise
        if (ratio_of(r, role) < 1)
            r->trial[role] = r->trial[CHOSEN];
    return st < 0 ? st : LCL_OK;
}

static enum lcl_status keep(struct grid *G, const char *problem)
{
    struct result *all =
        realloc(G->result, ((size_t)G->count + 1) * sizeof *all);
    if (!all)
        return LCL_ENOMEM;
    struct result *r = &all[G->count++];
    G->result = all;
    *r = (struct result){.problem = problem, .trial = {G->tuning.trial[0]}};
    for (enum role role = SOLVE; role < ROLES; ++role)
        r->trial[role] = *find_best(&G->tuning, role);
    return compare(r, &G->job);
}

// ------------------------------------------------------------------- text

static const char *const heads[] = {"set-up ms", "solve ms", "iters",
                                    "ratio",     "methods",  NULL};
static const char *const titles[] = {
    [CHOSEN] = "The method that the defaults choose",
    [SOLVE] = "The shortest solve, and the ratio of the solve above to it",
    [TOTAL] = "The shortest set-up and solve, and the ratio of the sums",
};

static void print_row(const struct result *r, enum role role, int width)
{
    const struct trial *trial = &r->trial[role];
    const char *words = *trial->words ? trial->words : trial->method;
    printf("%-*s", width, r->problem);
    if (trial->end == TRIAL_CONVERGED) {
        bench_table_cell(heads[0], "%.3f", 1e3 * trial->time.setup);
        bench_table_cell(heads[1], "%.3f", 1e3 * trial->time.solve);
        bench_table_cell(heads[2], "%d", trial->time.iterations);
        bench_table_cell(heads[3], "%.2f", ratio_of(r, role));
        printf("  %s\n", words);
    } else {
        for (int h = 0; h < 4; ++h)
            bench_table_cell(heads[h], "-");
        puts("  none converges");
    }
}

static void print_table(const struct grid *G, enum role role)
{
    double mean;
    int width = (int)strlen("problem");
    for (int i = 0; i < G->count; ++i)
        width = bench_table_wider(width, G->result[i].problem);
    bench_table_head(width, titles[role], heads);
    for (int i = 0; i < G->count; ++i)
        print_row(&G->result[i], role, width);
    const int ratios = mean_ratio(G, role, &mean);
    if (role != CHOSEN && ratios > 0)
        printf("geometric mean of %d ratios  %.3f\n", ratios, mean);
}

static void print_trials(const struct grid *G, const struct bench *B)
{
    printf("\n%s, in seconds without compilation\n", B->problem->name);
    text_trials(&G->tuning);
    fflush(stdout);
}

// ------------------------------------------------------------------- JSON

static void add_role(cJSON *line, const char *key, const struct result *r,
                     enum role role)
{
    const struct trial *trial = &r->trial[role];
    cJSON *object = cJSON_AddObjectToObject(line, key);
    json_put_trial(object, trial);
    json_put_number(object, "ratio", ratio_of(r, role));
}

static void print_lines(const struct grid *G, const struct bench *B)
{
    const struct result *r = &G->result[G->count - 1];
    cJSON *line;
    for (int i = 0; i < G->tuning.count; ++i) {
        line = bench_line(B, "grid-trial", G->tuning.rank[i]->words);
        json_put_trial(line, G->tuning.rank[i]);
        bench_print(B, line);
    }
    line = bench_line(B, "grid", r->trial[CHOSEN].method);
    add_role(line, "default", r, CHOSEN);
    add_role(line, "solve", r, SOLVE);
    add_role(line, "total", r, TOTAL);
    bench_print(B, line);
}

static void print_mean(const struct grid *G, const struct bench *B,
                       enum role role, const char *name)
{
    double mean;
    cJSON *line = bench_line(B, "grid-mean", name);
    cJSON_AddNumberToObject(line, "ratios", mean_ratio(G, role, &mean));
    json_put_number(line, "mean", mean);
    bench_print(B, line);
}

// ------------------------------------------------------------------- problems

// Keeps the given types for all trials.
static void copy_options(struct cli *cli, const struct lcl_options *options)
{
    const enum lcl_solver_type solver = options->solver.type;
    const enum lcl_precond_type precond = options->precond.type;
    cli->options = *options;
    cli->given[cli_find_key("solver")] =
        solver ? lcl_solver_name(solver) : NULL;
    cli->given[cli_find_key("precond")] =
        precond ? lcl_precond_name(precond) : NULL;
}

// Points the job to the matrix and vectors of the problem.
static enum lcl_status borrow_problem(struct job *job, const struct bench *B)
{
    const struct problem *P = B->problem;
    copy_options(&job->cli, &B->options);
    job->A = P->A;
    job->b = P->b;
    job->x = P->x;
    job->unknowns = P->A.rows;
    job->columns = 1;
    if (!job->column)
        job->column = calloc(1, sizeof *job->column);
    if (!job->column)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for a result");
    facts_rows(&job->facts, &job->A);
    return facts_symmetry(&job->facts, &job->A);
}

static void return_problem(struct job *job)
{
    job->A = (struct lcl_csr)LCL_CSR_INIT;
    job->b = NULL;
    job->x = NULL;
}

static enum lcl_status open_device(struct job *job, const struct bench *B)
{
    if (job->ctx)
        return LCL_OK;
    job->cli.device = B->device;
    return job_open_device(job);
}

static enum lcl_status run_trials(struct grid *G, struct bench *B)
{
    struct job *job = &G->job;
    enum lcl_status st;
    if ((st = open_device(job, B)) < 0 || (st = borrow_problem(job, B)) < 0)
        return st;
    tune_plan(&G->tuning, job);
    if ((st = tune_run(&G->tuning, job)) < 0 || progress_interrupted() ||
        (st = keep(G, B->problem->name)) < 0)
        return st;
    if (B->tables)
        print_trials(G, B);
    else
        print_lines(G, B);
    return LCL_OK;
}

// After an interrupt, skips the remaining problems.
static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct grid *G = state;
    const char *error = G->job.messages.error;
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    const enum lcl_status st =
        progress_interrupted() ? LCL_OK : run_trials(G, B);
    return_problem(&G->job);
    if (st < 0 && *error) {
        fprintf(stderr, "levelbench: %s\n", error);
        B->messages->explained = true;
    }
    return st;
}

static enum lcl_status finish(void *state, struct bench *B)
{
    const struct grid *G = state;
    for (enum role role = CHOSEN; role < ROLES && B->tables; ++role)
        print_table(G, role);
    print_mean(G, B, SOLVE, "solve");
    print_mean(G, B, TOTAL, "total");
    return LCL_OK;
}

// ------------------------------------------------------------------- life

static void create(void *state, struct lcl_options *options)
{
    struct grid *G = state;
    options->solver.type = LCL_SOLVER_DEFAULT;
    options->precond.type = LCL_PRECOND_DEFAULT;
    G->tuning.grid = true;
    G->job.cli.command = &cmd_tune;
    G->job.cli.quiet = true;
    G->job.log = messages_log(&G->job.messages);
}

static void destroy(void *state)
{
    struct grid *G = state;
    job_finish(&G->job);
    free(G->result);
}

const struct bench_tables bench_grid = {
    .name = "grid",
    .state_bytes = sizeof(struct grid),
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
    .finish = finish,
    .destroy = destroy,
};
