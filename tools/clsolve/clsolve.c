// SPDX-License-Identifier: BSD-3-Clause
// clsolve: solves sparse linear systems from files.
#include "tools/clsolve/built.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/ranks.h"
#include "tools/clsolve/report.h"

#include <stdio.h>
#include <stdlib.h>

static void print_version(void)
{
    char text[BUILT_BYTES];
    printf("clsolve %s\n", lcl_version());
    if (built_list(text, false))
        printf("built with %s\n", text);
    if (built_list(text, true))
        printf("built without %s\n", text);
}

static enum lcl_status run(struct job *job)
{
    if (job->cli.help) {
        cli_print_help(stdout);
        return LCL_OK;
    }
    if (job->cli.version) {
        print_version();
        return LCL_OK;
    }
    job->messages.verbose = job->cli.verbose;
    job->log = messages_log(&job->messages);
    live_line_begin(&job->line, job_is_live(job));
    if (job->cli.command != &cmd_solve && ranks_are_several())
        messages_warn(&job->messages,
                      "one of several processes, each of which does all of "
                      "clsolve %s: only a solve takes them together",
                      job->cli.command->name);
    return job->cli.command->run(job);
}

static void complain(const struct job *job, enum lcl_status status, int code)
{
    fflush(stdout);
    messages_print_error(&job->messages, status);
    if (job->cli.json && !job->told)
        json_error(job, status, code);
}

// A full disk behind the standard output counts as an error.
static bool flush_output(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}

int main(int argc, char **argv)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        fputs("clsolve: out of memory\n", stderr);
        return 4;
    }
    job->started = job_clock();
    enum lcl_status st = cli_parse(&job->cli, argc, argv, &job->messages);
    if (st == LCL_OK)
        st = run(job);
    live_line_clear(&job->line);
    int code = job_exit_code(job, st);
    if (st < 0 && !job->silent)
        complain(job, st, code);
    else if (!job->cli.quiet)
        messages_print_warnings(&job->messages);
    if (!flush_output()) {
        fputs("clsolve: cannot write to the standard output\n", stderr);
        code = 3;
    }
    job_finish(job);
    ranks_end(job, st, code);
    free(job);
    return code;
}
