// SPDX-License-Identifier: BSD-3-Clause
// The steps of one run of clsolve.
#include "tools/clsolve/job.h"

#include "tools/clsolve/commands.h"
#include "tools/clsolve/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// Iterations without progress after which a chain leaves a method.
enum { SAMPLES = 12, CHAIN_STAGNATION = 500 };

double job_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---------------------------------------------------------------- work

bool job_is_live(const struct job *job)
{
    const struct cli *cli = &job->cli;
    const char *log = getenv("LEVELCL_LOG");
    return !cli->quiet && !cli->json && !cli->verbose && !(log && *log);
}

enum lcl_status job_open_device(struct job *job)
{
    const struct lcl_context_params params = {
        .device = job->cli.device,
        .log = job->log,
        .cache_dir = job->store,
        .compiling = progress_compiling,
        .compiling_user = &job->line,
        .profile = job->cli.profile,
    };
    job->phase = JOB_DEVICE;
    live_line_show(&job->line, "opening the device");
    const enum lcl_status st =
        devices_open(&job->devices, job->cli.devices, &params);
    job->ctx = st == LCL_OK ? job->devices.ctx[0] : NULL;
    live_line_clear(&job->line);
    return st;
}

static enum lcl_status make_operator(struct job *job)
{
    const struct lcl_operator_params *params = &job->cli.options.op;
    const struct devices *D = &job->devices;
    job->cli.options.op.is_complex = job_parts(job) == 2;
    if (job->ranks)
        return ranks_make_operator(job);
    const struct lcl_kron *K = cli_is_kron(&job->cli) ? &job->kron.K : NULL;
    const bool distributed =
        D->count > 1 || params->communication == LCL_COMMUNICATION_REPRODUCIBLE;
    if (K && distributed)
        return lcl_operator_create_kron_distributed(&job->op, D->ctx, D->count,
                                                    K, params);
    if (distributed)
        return lcl_operator_create_distributed(&job->op, D->ctx, D->count,
                                               &job->A, params);
    return K ? lcl_operator_create_kron(&job->op, job->ctx, K, params)
             : lcl_operator_create(&job->op, job->ctx, &job->A, params);
}

static void take_method(struct job *job)
{
    const lcl_solver *S = lcl_chain_solver(job->chain);
    job->M = lcl_chain_precond(job->chain);
    if (S)
        job->solver = *lcl_solver_info(S);
}

static enum lcl_status set_nullspace(struct job *job)
{
    const struct lcl_dense *X = &job->null_vectors;
    const struct lcl_nullspace N = {.right = X->cols > 0 ? X : NULL};
    const enum lcl_status st = lcl_operator_set_nullspace(job->op, &N);
    return st != LCL_EINVAL
               ? st
               : messages_fail(&job->messages, st, "--nullspace %s: %s",
                               job->cli.nullspace, job->messages.error);
}

// Looks whether no x can solve for any right-hand side, as far as sums of rows
// and columns tell.
static void look_for_singularity(struct job *job)
{
    const struct lcl_solver_params *solver = &job->cli.options.solver;
    const bool plain = solver->atol == 0 && (solver->norm == LCL_NORM_DEFAULT ||
                                             solver->norm == LCL_NORM_2);
    job->singular = (struct singularity){.found = false};
    if (job->cli.command == &cmd_solve && !job->several_systems &&
        job->A.row_ptr && !job->ranks && !job->cli.nullspace && plain)
        singular_look(&job->singular, &job->A, job->b, job->columns,
                      solver->rtol);
}

// The first method alone: others would fail as well.
static enum lcl_status make_one(struct job *job,
                                const struct lcl_precond_params *precond,
                                const struct lcl_solver_params *solver)
{
    struct lcl_precond_params M = *precond;
    struct lcl_solver_params S = *solver;
    const enum lcl_status st = lcl_choose_method(job->op, &M, &S);
    if (S.stagnation == 0)
        S.stagnation = CHAIN_STAGNATION;
    return st < 0 ? st : lcl_chain_create(&job->chain, job->op, &M, &S);
}

static enum lcl_status make_chain(struct job *job,
                                  const struct lcl_precond_params *precond,
                                  const struct lcl_solver_params *solver)
{
    if (!precond->type && !solver->type)
        look_for_singularity(job);
    job->one_method = job->singular.found;
    if (job->one_method && make_one(job, precond, solver) >= 0)
        return LCL_OK;
    job->one_method = false;
    return lcl_chain_create(&job->chain, job->op, precond, solver);
}

static void warn_of_modes(struct job *job)
{
    if (!job->M || lcl_precond_info(job->M)->type != LCL_PRECOND_AMG)
        messages_warn(&job->messages,
                      "near-null vectors serve multigrid alone, which was not "
                      "chosen: --precond amg chooses it");
}

enum lcl_status job_set_up(struct job *job)
{
    const struct lcl_options *options = &job->cli.options;
    struct lcl_solver_params solver = options->solver;
    solver.monitor = progress_monitor;
    solver.monitor_user = &job->progress;
    job->phase = JOB_WORK;
    live_line_show(&job->line, "setting up");
    profile_begin(&job->profile, job->ctx, job_clock());
    enum lcl_status st = make_operator(job);
    if (st >= 0 && job->modes.cols > 0)
        st = lcl_operator_set_near_nullspace(job->op, &job->modes);
    if (st >= 0 && job->cli.nullspace)
        st = set_nullspace(job);
    if (st >= 0)
        st = make_chain(job, &options->precond, &solver);
    live_line_clear(&job->line);
    profile_end(&job->profile, job->ctx, job_clock());
    if (st >= 0)
        take_method(job);
    if (st >= 0 && job->modes.cols > 0)
        warn_of_modes(job);
    return st;
}

static enum lcl_status take_columns(struct job *job,
                                    const struct lcl_report *reports)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < job->columns && st == LCL_OK; ++k)
        st = column_take(&job->column[k], job->chain, k, &reports[k]);
    return st == LCL_OK
               ? st
               : messages_fail(&job->messages, st,
                               "out of memory: no room for the history");
}

static enum lcl_status solve_columns(struct job *job)
{
    const int64_t n = job->unknowns;
    struct lcl_report *reports = calloc((size_t)job->columns, sizeof *reports);
    if (!reports)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the reports");
    enum lcl_status st = lcl_chain_solve_many(job->chain, job->b, n, job->x, n,
                                              job->columns, reports);
    if (st >= 0)
        st = take_columns(job, reports);
    free(reports);
    return st < 0 ? st : LCL_OK;
}

static void take_worst(struct job *job)
{
    job->worst = columns_worst(job->column, job->columns);
    job->report = job->column[job->worst].report;
    job->outcome = job->column[job->worst].outcome;
}

// After a failure: whether the system has a solution at all.
static void find_singularity(struct job *job)
{
    const int64_t at = job->worst * job->unknowns;
    if (job->one_method || job->outcome == LCL_OK || job_is_interrupted(job) ||
        !job->A.row_ptr || job->ranks || job->cli.nullspace)
        return;
    singular_find(&job->singular, &job->A, job->b + at, job->x + at,
                  job->solver.rtol);
}

enum lcl_status job_solve(struct job *job)
{
    job->progress.columns = job->columns;
    job->progress.tolerance = job->solver.rtol;
    progress_begin(&job->progress, &job->line, job->chain);
    const enum lcl_status st = solve_columns(job);
    progress_end(&job->progress);
    take_method(job);
    if (st < 0)
        return st;
    take_worst(job);
    find_singularity(job);
    return job->outcome;
}

// ---------------------------------------------------------------- end

// Without an answer, the profile has no shares of copy bandwidth.
void job_end(struct job *job)
{
    struct profile *P = &job->profile;
    job->ended = job_clock();
    profile_set_read(P, job->read_seconds, job->read.bytes, &job->A);
    if (job->cli.profile && lcl_context_copy_bandwidth(job->ctx, &P->copy) < 0)
        P->copy = 0;
}

void job_drop_method(struct job *job)
{
    job->M = NULL;
    lcl_chain_destroy(&job->chain);
    lcl_operator_destroy(&job->op);
}

void job_drop_vectors(struct job *job)
{
    for (int k = 0; k < job->columns && job->column; ++k)
        column_clear(&job->column[k]);
    free(job->column);
    free(job->x);
    free(job->made_rhs);
    lcl_dense_finish(&job->rhs);
    job->column = NULL;
    job->x = job->made_rhs = NULL;
}

void job_finish(struct job *job)
{
    cli_finish(&job->cli);
    job_drop_method(job);
    exchanges_finish(&job->exchanges);
    devices_close(&job->devices);
    lcl_labels_free(&job->labels);
    job_drop_vectors(job);
    lcl_dense_finish(&job->guess);
    job_drop_modes(job);
    if (job->ranks)
        lcl_rows_finish(&job->ranks->rows);
    free(job->ranks);
    lcl_csr_finish(&job->A);
    lcl_kron_data_finish(&job->kron);
}

// ---------------------------------------------------------------- queries

const char *job_input_title(const char *path)
{
    return cli_is_stdin(path) ? "standard input" : path;
}

const char *job_title(const struct job *job)
{
    const struct cli *cli = &job->cli;
    return job_input_title(cli->matrix    ? cli->matrix
                           : cli->problem ? cli->problem
                           : cli->kron[0] ? cli->kron[0]
                                          : cli->text[0]);
}

const char *job_rhs(const struct job *job)
{
    return job->cli.text[3] ? job->cli.text[3] : job->cli.rhs;
}

const char *job_rhs_title(const struct job *job)
{
    const char *file = job_rhs(job);
    if (file)
        return job_input_title(file);
    switch (job->cli.made) {
    case CLI_RHS_RANDOM:
        return "random";
    case CLI_RHS_ONES:
        return "ones";
    case CLI_RHS_A_ONES:
        break;
    }
    return cli_is_kron(&job->cli) ? "K * ones" : "A * ones";
}

bool job_is_interrupted(const struct job *job)
{
    return job->report.stop == LCL_STOP_MONITOR ||
           job->report.stop == LCL_STOP_CANCELLED;
}

int job_parts(const struct job *job)
{
    return job->read.is_complex ? 2 : 1;
}

double job_one(const struct job *job, int64_t k)
{
    return k % job_parts(job) == 0;
}

double job_error(const struct job *job)
{
    const int parts = job_parts(job);
    double most = 0;
    for (int64_t i = 0; i < job->unknowns; i += parts)
        most = fmax(most, hypot(job->x[i] - 1, parts == 2 ? job->x[i + 1] : 0));
    return most;
}

bool job_knows_solution(const struct job *job)
{
    return !job_rhs(job) && job->cli.made == CLI_RHS_A_ONES;
}

int64_t job_stage_rows(const struct job *job)
{
    return job->ranks ? job->ranks->rows.total
                      : job->kron.M.rows * job->kron.M.block_size;
}

struct job_blocks job_blocks(const struct job *job)
{
    return job->ranks ? job->ranks->blocks
                      : (struct job_blocks){job->kron.M.nnz, job->kron.L.nnz};
}

struct job_times job_times(const struct job *job)
{
    const double end = job->ended > 0 ? job->ended : job_clock();
    struct job_times times = {.total = end - job->started};
    times.other = times.total;
    for (int phase = 0; phase < LCL_PHASE_COUNT; ++phase) {
        times.phase[phase] =
            job->ctx ? lcl_context_seconds(job->ctx, (enum lcl_phase)phase) : 0;
        if (phase == LCL_PHASE_READ)
            times.phase[phase] += job->read_seconds;
        times.other -= times.phase[phase];
    }
    if (times.other < 0)
        times.other = 0;
    return times;
}

static bool blames_input(enum lcl_status status)
{
    return status == LCL_EFORMAT || status == LCL_EPIVOT ||
           status == LCL_ERANGE || status == LCL_EUNSUPPORTED;
}

int job_exit_code(const struct job *job, enum lcl_status status)
{
    static const int of_phase[] = {
        [JOB_USAGE] = 2, [JOB_INPUT] = 3, [JOB_DEVICE] = 4, [JOB_OUTPUT] = 3};
    if (status >= 0)
        return status == LCL_OK && !job->failed ? 0 : 1;
    if (status == LCL_ECANCELLED)
        return 1;
    if (status == LCL_ENOMEM)
        return 4;
    if (status == LCL_EIO)
        return 3;
    if (job->phase != JOB_WORK)
        return of_phase[job->phase];
    if (status == LCL_EINVAL)
        return 2;
    return blames_input(status) ? 3 : 4;
}

bool job_has_subdomains(const struct job *job)
{
    return job->M && cli_has_factors(lcl_precond_info(job->M)->type);
}

enum lcl_pivot job_pivot(const struct job *job)
{
    const enum lcl_pivot pivot = job->cli.options.precond.pivot;
    const bool definite =
        job->M && cli_is_cholesky(lcl_precond_info(job->M)->type);
    return pivot ? pivot : definite ? LCL_PIVOT_SHIFT : LCL_PIVOT_BOOST;
}

bool job_has_basis(const struct job *job)
{
    return lcl_solver_facts(job->solver.type)->restart;
}

int job_next_sample(const struct job *job, int i)
{
    const int last = job->report.history_count - 1;
    const int step = last / SAMPLES + 1;
    if (i >= last)
        return last + 1;
    return i + step < last ? i + step : last;
}
