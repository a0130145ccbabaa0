// SPDX-License-Identifier: BSD-3-Clause
// The steps of one run of clsolve.
#include "tools/job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 12 };

double job_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---------------------------------------------------------------- work

static bool wants_live_lines(const struct job *job)
{
    const struct cli *cli = &job->cli;
    return !cli->quiet && !cli->json && !cli->verbose;
}

enum lcl_status job_open_device(struct job *job)
{
    const struct lcl_context_params params = {
        .device = job->cli.device,
        .log = job->log,
        .compiling = compile_line_show,
        .compiling_user = &job->compiling,
        .profile = job->cli.profile,
    };
    job->phase = JOB_DEVICE;
    compile_line_begin(&job->compiling, wants_live_lines(job));
    const enum lcl_status st = lcl_context_create(&job->ctx, &params);
    compile_line_clear(&job->compiling);
    return st;
}

static enum lcl_status make_operator(struct job *job)
{
    const struct lcl_operator_params *params = &job->cli.options.op;
    return cli_is_kron(&job->cli)
               ? lcl_operator_create_kron(&job->op, job->ctx, &job->kron.K,
                                          params)
               : lcl_operator_create(&job->op, job->ctx, &job->A, params);
}

enum lcl_status job_factor(struct job *job)
{
    job->phase = JOB_WORK;
    profile_begin(&job->profile, job->ctx, job_clock());
    enum lcl_status st = make_operator(job);
    if (st >= 0 && job->modes.cols > 0)
        st = lcl_operator_set_near_nullspace(job->op, &job->modes);
    if (st >= 0)
        st = lcl_precond_create(&job->M, job->op, &job->cli.options.precond);
    compile_line_clear(&job->compiling);
    return st;
}

enum lcl_status job_make_solver(struct job *job,
                                const struct lcl_solver_params *params)
{
    const enum lcl_status st =
        lcl_solver_create(&job->S, job->op, job->M, params);
    compile_line_clear(&job->compiling);
    profile_end(&job->profile, job->ctx, job_clock());
    return st;
}

enum lcl_status job_solve(struct job *job)
{
    struct progress progress;
    struct lcl_solver_params params = job->cli.options.solver;
    params.monitor = progress_monitor;
    params.monitor_user = &progress;
    const enum lcl_status st = job_make_solver(job, &params);
    if (st < 0)
        return st;
    progress_begin(&progress, wants_live_lines(job));
    job->outcome = lcl_solver_solve(job->S, job->b, job->x, &job->report);
    progress_end(&progress);
    compile_line_clear(&job->compiling);
    return job->outcome;
}

// ---------------------------------------------------------------- end

void job_finish(struct job *job)
{
    lcl_solver_destroy(&job->S);
    lcl_precond_destroy(&job->M);
    lcl_operator_destroy(&job->op);
    lcl_context_destroy(&job->ctx);
    lcl_labels_free(&job->labels);
    free(job->x);
    free(job->made_rhs);
    lcl_dense_finish(&job->rhs);
    lcl_dense_finish(&job->modes);
    lcl_csr_finish(&job->A);
    lcl_kron_data_finish(&job->kron);
}

// ---------------------------------------------------------------- queries

// The name of an input file in a report.
static const char *input_title(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *job_title(const struct job *job)
{
    const struct cli *cli = &job->cli;
    return input_title(cli->matrix    ? cli->matrix
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
    return file                     ? input_title(file)
           : cli_is_kron(&job->cli) ? "K * ones"
                                    : "A * ones";
}

int64_t job_stage_rows(const struct job *job)
{
    return job->kron.M.rows * job->kron.M.block_size;
}

struct job_times job_times(const struct job *job)
{
    struct job_times times = {.total = job_clock() - job->started};
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

// Without an answer, the profile has no shares of copy bandwidth.
struct profile job_profile(const struct job *job)
{
    struct profile P = job->profile;
    profile_set_read(&P, job->read_seconds, job->read.bytes, &job->A);
    if (lcl_context_copy_bandwidth(job->ctx, &P.copy) < 0)
        P.copy = 0;
    return P;
}

static bool blames_input(enum lcl_status status)
{
    return status == LCL_EIO || status == LCL_EFORMAT || status == LCL_EPIVOT ||
           status == LCL_ERANGE || status == LCL_EUNSUPPORTED;
}

int job_exit_code(const struct job *job, enum lcl_status status)
{
    static const int of_phase[] = {
        [JOB_USAGE] = 2, [JOB_INPUT] = 3, [JOB_DEVICE] = 4, [JOB_OUTPUT] = 3};
    if (status >= 0)
        return status == LCL_OK ? 0 : 1;
    if (status == LCL_ENOMEM)
        return 4;
    if (job->phase != JOB_WORK)
        return of_phase[job->phase];
    if (status == LCL_EINVAL)
        return 2;
    return blames_input(status) ? 3 : 4;
}

bool job_has_subdomains(const struct job *job)
{
    const enum lcl_precond_type type = job->cli.options.precond.type;
    return cli_has_factors(type);
}

bool job_has_basis(const struct job *job)
{
    const enum lcl_solver_type type = job->cli.options.solver.type;
    return type == LCL_SOLVER_GMRES || type == LCL_SOLVER_FGMRES;
}

int job_next_sample(const struct job *job, int i)
{
    const int last = job->report.history_count - 1;
    const int step = last / SAMPLES + 1;
    if (i >= last)
        return last + 1;
    return i + step < last ? i + step : last;
}

static bool is_indefinite(enum lcl_stop stop)
{
    return stop == LCL_STOP_INDEFINITE_MATRIX ||
           stop == LCL_STOP_INDEFINITE_PRECOND;
}

static const char *hint_by_stop(const struct job *job)
{
    switch (job->report.stop) {
    case LCL_STOP_MAX_ITERS:
        return "more iterations (--max-iters) or larger subdomains "
               "(--subdomain-rows)";
    case LCL_STOP_STAGNATION:
        return "larger subdomains (--subdomain-rows), --pivot shift, or a "
               "larger --rtol if rounding errors limit the residual";
    case LCL_STOP_BREAKDOWN_RHO:
    case LCL_STOP_BREAKDOWN_ALPHA:
    case LCL_STOP_BREAKDOWN_OMEGA:
        return job->cli.options.solver.type == LCL_SOLVER_IDR
                   ? "another preconditioner (--precond jacobi), --pivot "
                     "shift, or more shadow vectors (--idr-s 8)"
                   : "--solver idr, another preconditioner (--precond jacobi), "
                     "or --pivot shift";
    case LCL_STOP_BREAKDOWN_KRYLOV:
        return "a right-hand side that the matrix can reach, or another "
               "preconditioner (--precond jacobi), --pivot shift";
    case LCL_STOP_NOT_FINITE:
    case LCL_STOP_DIVERGED:
        return "--pivot shift, or --precond jacobi to test whether the "
               "factors cause the divergence";
    case LCL_STOP_INDEFINITE_MATRIX:
        return "--solver bicgstab, which accepts any matrix";
    case LCL_STOP_INDEFINITE_PRECOND:
        return lcl_precond_info(job->M)->block_size > 1
                   ? "--precond ic0 --block-size 1, which repairs pivots that "
                     "are not positive, or --precond jacobi"
                   : "--precond ic0 --pivot shift, or --precond jacobi";
    case LCL_STOP_NONE:
    case LCL_STOP_RTOL:
    case LCL_STOP_ATOL:
    case LCL_STOP_ZERO_RHS:
    case LCL_STOP_MONITOR:
        return NULL;
    }
    return NULL;
}

const char *job_hint(const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    if (job->outcome == LCL_OK || job->report.stop == LCL_STOP_MONITOR)
        return NULL;
    if (is_indefinite(job->report.stop))
        return hint_by_stop(job);
    if (info->pivots_repaired > 0 &&
        job->cli.options.precond.pivot != LCL_PIVOT_SHIFT)
        return "--pivot shift: the factors have repaired pivots";
    if (job->facts.negative_diagonals > 0 && job->facts.positive_diagonals > 0)
        return "larger subdomains (--subdomain-rows) or --precond jacobi: the "
               "diagonal has both signs, so the matrix may be indefinite, "
               "which is hard for BiCGSTAB";
    if (job_has_subdomains(job) && info->dropped_weight > 0.3)
        return "larger subdomains (--subdomain-rows) or --weights on: the "
               "factors drop much of the coupling between subdomains";
    return hint_by_stop(job);
}
