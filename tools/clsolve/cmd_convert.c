// SPDX-License-Identifier: BSD-3-Clause
// clsolve convert IN OUT: writes a matrix or a vector in another file format.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/report.h"

// A file may also hold a vector.
static enum lcl_status read_input(struct job *job)
{
    if (!job->cli.matrix)
        return job_read(job);
    job->phase = JOB_INPUT;
    return lcl_file_read(&job->A, &job->rhs, job->cli.matrix, &job->read,
                         &job->log);
}

static enum lcl_status print_result(const struct job *job,
                                    struct messages *messages)
{
    if (job->cli.json && !json_convert(job))
        return messages_fail(messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    if (!job->cli.json && !job->cli.quiet)
        text_convert(job);
    return LCL_OK;
}

static enum lcl_status run(struct job *job)
{
    enum lcl_status st;
    if ((st = job_check_paths(job)) < 0 || (st = job_reserve_stdout(job)) < 0 ||
        (st = read_input(job)) < 0 || (st = job_write(job)) < 0)
        return st;
    return print_result(job, &job->messages);
}

const struct command cmd_convert = {
    .name = "convert",
    .usage = "IN OUT",
    .help = "write a matrix or vector in the format that the suffix of OUT "
            "names:\n"
            "        .mtx or .petsc, and .gz or .xz behind it",
    .takes = TAKES_MATRIX | TAKES_OUTPUT,
    .run = run,
};
