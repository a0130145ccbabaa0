// SPDX-License-Identifier: BSD-3-Clause
// clsolve A.mtx: solves and reports.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/dry_run.h"
#include "tools/clsolve/html_report.h"
#include "tools/clsolve/ranks.h"
#include "tools/clsolve/report.h"
#include "tools/clsolve/sequence.h"

static void print_header(const struct job *job)
{
    if (job->cli.json || job->cli.quiet)
        return;
    text_matrix(job);
    text_ranks(job);
    for (int k = 0; k < job->devices.count; ++k)
        text_device(lcl_context_caps(job->devices.ctx[k]));
    fflush(stdout);
}

static void print_method(const struct job *job)
{
    if (job->cli.json || job->cli.quiet)
        return;
    text_method(job);
    fflush(stdout);
}

static void print_failure(const struct job *job)
{
    char column[32] = "";
    if (job->columns > 1)
        snprintf(column, sizeof column, "column %d: ", job->worst + 1);
    fprintf(stderr, "clsolve: not converged: %s%s\n", column,
            lcl_stop_str(job->report.stop));
}

static enum lcl_status print_result(struct job *job, int exit_code)
{
    if (job->cli.json) {
        job->told = json_solve(job, exit_code);
        if (!job->told)
            return messages_fail(&job->messages, LCL_ENOMEM,
                                 "out of memory: no room for the report");
        return LCL_OK;
    }
    if (!job->cli.quiet)
        text_result(job);
    else if (job->outcome != LCL_OK)
        print_failure(job);
    return LCL_OK;
}

// A page that cannot be written does not take the result away.
static enum lcl_status tell(struct job *job)
{
    job_end(job);
    const enum lcl_status written = html_report(job);
    const enum lcl_status st = written < 0 ? written : job->outcome;
    const enum lcl_status printed = print_result(job, job_exit_code(job, st));
    return printed < 0 ? printed : st;
}

static enum lcl_status solve_alone(struct job *job)
{
    enum lcl_status st;
    if ((st = job_check_paths(job)) < 0 || (st = job_reserve_stdout(job)) < 0 ||
        (st = job_read(job)) < 0 || (st = job_check_square(job)) < 0 ||
        (st = job_prepare(job)) < 0 || (st = job_open_device(job)) < 0)
        return st;
    if (job->cli.dry_run)
        return dry_run(job);
    print_header(job);
    if ((st = job_set_up(job)) < 0)
        return st;
    print_method(job);
    if ((st = exchanges_begin(job)) < 0 || (st = job_solve(job)) < 0 ||
        (st = exchanges_end(job)) < 0 || (st = job_write(job)) < 0)
        return st;
    return tell(job);
}

static enum lcl_status run(struct job *job)
{
    static const struct ranks_report report = {print_header, print_method,
                                               tell};
    const enum lcl_status st =
        ranks_are_wanted(&job->cli) ? ranks_begin(job) : LCL_OK;
    if (st < 0)
        return st;
    if (cli_is_sequence(&job->cli))
        return sequence_solve(job);
    return job->ranks ? ranks_solve(job, &report) : solve_alone(job);
}

const struct command cmd_solve = {
    .name = "solve",
    .usage = "A.mtx [-b b.mtx] [-o x.mtx] [options]\n"
             "A*.mtx [-b b*.mtx] [-o x%d.mtx] [options]\n"
             "--problem lap3d:128 [options]\n"
             "--csr-text ROWPTR COLIND VAL [RHS] [options]\n"
             "--kron M L A B [--tau T] [options]",
    .help = "solve a system",
    .takes = TAKES_MATRIX | TAKES_METHOD | TAKES_RHS | TAKES_DEVICE |
             TAKES_DEVICES | TAKES_OUTPUT | TAKES_HISTORY | TAKES_PROFILE |
             TAKES_REPORT | TAKES_SERIES,
    .run = run,
};
