// SPDX-License-Identifier: BSD-3-Clause
// clsolve info A.mtx: prints properties of a matrix and its preconditioner.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/html_report.h"
#include "tools/clsolve/report.h"

static bool prints_text(const struct job *job)
{
    return !job->cli.json && !job->cli.quiet;
}

// The properties of the matrix need no device and are printed first.
static enum lcl_status look_at_matrix(struct job *job)
{
    const bool is_kron = cli_is_kron(&job->cli);
    const bool square = job->A.rows == job->A.cols;
    if (!is_kron && square && facts_symmetry(&job->facts, &job->A) < 0)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the symmetry test");
    if (prints_text(job)) {
        text_matrix(job);
        if (!is_kron)
            text_facts(job);
        fflush(stdout);
    }
    return job_check_square(job);
}

static enum lcl_status print_precond(struct job *job, int exit_code)
{
    if (job->cli.json) {
        job->told = json_info(job, exit_code);
        if (!job->told)
            return messages_fail(&job->messages, LCL_ENOMEM,
                                 "out of memory: no room for the report");
    }
    if (prints_text(job)) {
        text_device(lcl_context_caps(job->ctx));
        text_choice(job);
        text_precond(job);
        text_profile(job);
    }
    return LCL_OK;
}

static enum lcl_status tell(struct job *job)
{
    job_end(job);
    const enum lcl_status written = html_report(job);
    const enum lcl_status printed =
        print_precond(job, job_exit_code(job, written));
    return printed < 0 ? printed : written;
}

static enum lcl_status run(struct job *job)
{
    enum lcl_status st;
    if ((st = job_check_paths(job)) < 0 || (st = job_reserve_stdout(job)) < 0 ||
        (st = job_read(job)) < 0 || (st = look_at_matrix(job)) < 0 ||
        (st = job_open_device(job)) < 0 || (st = job_set_up(job)) < 0)
        return st;
    return tell(job);
}

const struct command cmd_info = {
    .name = "info",
    .usage = "A.mtx [options]",
    .help = "print properties of a matrix and of its preconditioner",
    .takes = TAKES_MATRIX | TAKES_METHOD | TAKES_DEVICE | TAKES_PROFILE |
             TAKES_REPORT,
    .run = run,
};
