// SPDX-License-Identifier: BSD-3-Clause
// Output of -o, --history and --report: to files, checked before any work, or
// to standard streams.
#define _XOPEN_SOURCE 700 // realpath()

#include "tools/clsolve/commands.h"
#include "tools/clsolve/job.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum lcl_status cannot_write(struct job *job, const char *path,
                                    const char *why)
{
    return messages_fail(&job->messages, LCL_EIO, "cannot write '%s': %s", path,
                         why);
}

static bool is_stderr(const char *path)
{
    return strcmp(path, "/dev/stderr") == 0;
}

// ---------------------------------------------------------------- checks

// A file never replaces a device or a FIFO; an existing file must be writable.
static enum lcl_status check_existing(struct job *job, const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return errno == ENOENT ? LCL_OK
                               : cannot_write(job, path, strerror(errno));
    if (!S_ISREG(there.st_mode))
        return cannot_write(job, path,
                            "it is not a regular file; '-' is the standard "
                            "output");
    return access(path, W_OK) == 0 ? LCL_OK
                                   : cannot_write(job, path, strerror(errno));
}

// The folder must be writable: the output is written to a temporary file in it
// and renamed.
static enum lcl_status check_folder(struct job *job, const char *path)
{
    char folder[PATH_MAX];
    struct stat link;
    if (!realpath(path, folder)) {
        if (errno == ENOENT && lstat(path, &link) == 0)
            return cannot_write(job, path,
                                "it is a symbolic link to a missing file");
        if (strlen(path) >= sizeof folder)
            return cannot_write(job, path, strerror(ENAMETOOLONG));
        strcpy(folder, path);
    }
    char *slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    return access(folder, W_OK | X_OK) == 0
               ? LCL_OK
               : cannot_write(job, path, strerror(errno));
}

static bool find_file(struct stat *info, const char *path)
{
    const int failed =
        cli_is_stdin(path) ? fstat(STDIN_FILENO, info) : stat(path, info);
    return failed == 0 && S_ISREG(info->st_mode);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return find_file(&one, a) && find_file(&other, b) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

enum lcl_status job_refuse_input(struct job *job, const char *path)
{
    job->phase = JOB_USAGE;
    return messages_fail(&job->messages, LCL_EINVAL,
                         "cannot write '%s': it is an input", path);
}

static enum lcl_status check_against_inputs(struct job *job, const char *path)
{
    const char *input[CLI_INPUTS];
    cli_list_inputs(input, &job->cli);
    for (int i = 0; i < CLI_INPUTS; ++i)
        if (input[i] && is_same_file(path, input[i]))
            return job_refuse_input(job, path);
    return LCL_OK;
}

// Whether `path`, which may be NULL, is written as a file.
static bool is_file(const char *path)
{
    return path && !cli_is_stdout(path) && !is_stderr(path) &&
           strcmp(path, "/dev/null") != 0;
}

static enum lcl_status check_path(struct job *job, const char *path)
{
    enum lcl_status st;
    if (!is_file(path))
        return LCL_OK;
    if ((st = check_existing(job, path)) < 0 ||
        (st = check_folder(job, path)) < 0)
        return st;
    return check_against_inputs(job, path);
}

// An option that names a file to write.
struct target {
    const char *option, *path;
};

static bool is_same_target(const char *a, const char *b)
{
    return is_file(a) && is_file(b) &&
           (strcmp(a, b) == 0 || is_same_file(a, b));
}

static enum lcl_status check_each_other(struct job *job, const struct target *a,
                                        const struct target *b)
{
    if (!is_same_target(a->path, b->path))
        return LCL_OK;
    job->phase = JOB_USAGE;
    return messages_fail(&job->messages, LCL_EINVAL,
                         "%s and %s name the same file '%s'", a->option,
                         b->option, a->path);
}

enum lcl_status job_check_paths(struct job *job)
{
    const struct cli *cli = &job->cli;
    const struct target all[] = {{"-o", cli->output},
                                 {"--history", cli->history},
                                 {"--report", cli->report}};
    enum lcl_status st = LCL_OK;
    job->phase = JOB_OUTPUT;
    for (int k = 0; k < 3 && st == LCL_OK; ++k)
        st = check_path(job, all[k].path);
    for (int k = 0; k < 3 && st == LCL_OK; ++k)
        st = check_each_other(job, &all[k], &all[(k + 1) % 3]);
    return st;
}

// ---------------------------------------------------------------- stdout

enum lcl_status job_reserve_stdout(struct job *job)
{
    const struct cli *cli = &job->cli;
    if (!cli_is_stdout(cli->output) && !cli_is_stdout(cli->history) &&
        !cli_is_stdout(cli->report))
        return LCL_OK;
    job->phase = JOB_OUTPUT;
    job->reserved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (job->reserved < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return cannot_write(job, "-", strerror(errno));
    return LCL_OK;
}

// Redirects the standard output to `fd` if it is reserved.
static void redirect_stdout(const struct job *job, int fd)
{
    fflush(stdout);
    if (job->reserved > 0)
        dup2(fd, STDOUT_FILENO);
}

// ---------------------------------------------------------------- history

// Two empty lines and a comment before each further column.
static bool print_history(const struct job *job, FILE *file)
{
    fputs("# iteration residual\n", file);
    for (int k = 0; k < job->columns; ++k) {
        const struct lcl_report *report = &job->column[k].report;
        if (k > 0)
            fprintf(file, "\n\n# column %d\n", k + 1);
        for (int i = 0; i < report->history_count; ++i)
            fprintf(file, "%d %.17g\n", i, report->history[i]);
    }
    return fflush(file) == 0 && !ferror(file);
}

// Opens a path or standard stream as a separate stream: after a failure stdout
// would keep the unwritten rest.
static FILE *open_text(const char *path)
{
    const int standard = cli_is_stdout(path) ? STDOUT_FILENO
                         : is_stderr(path)   ? STDERR_FILENO
                                             : -1;
    return standard < 0 ? fopen(path, "w")
                        : fdopen(fcntl(standard, F_DUPFD_CLOEXEC, 0), "w");
}

// Reports the errno of the moment if the stream could not be written.
static enum lcl_status close_text(struct job *job, FILE *file, const char *path,
                                  bool written)
{
    const int reason = errno;
    fclose(file);
    return written ? LCL_OK : cannot_write(job, path, strerror(reason));
}

static enum lcl_status save_history(struct job *job)
{
    const char *path = job->cli.history;
    if (!path)
        return LCL_OK;
    FILE *file = open_text(path);
    return file ? close_text(job, file, path, print_history(job, file))
                : cannot_write(job, path, strerror(errno));
}

enum lcl_status job_write_report(struct job *job, const char *text,
                                 size_t bytes)
{
    const char *path = job->cli.report;
    job->phase = JOB_OUTPUT;
    redirect_stdout(job, job->reserved);
    FILE *file = open_text(path);
    const enum lcl_status st =
        file ? close_text(job, file, path,
                          fwrite(text, 1, bytes, file) == bytes &&
                              fflush(file) == 0)
             : cannot_write(job, path, strerror(errno));
    redirect_stdout(job, STDERR_FILENO);
    return st;
}

// ---------------------------------------------------------------- all

static enum lcl_status write_dense(struct job *job, const struct lcl_dense *X)
{
    const char *path = job->cli.output;
    return job_parts(job) == 2 ? lcl_dense_write_complex(X, path, &job->log)
                               : lcl_dense_write(X, path, &job->log);
}

static enum lcl_status save_converted(struct job *job)
{
    const char *path = job->cli.output;
    if (!job->A.row_ptr)
        return write_dense(job, &job->rhs);
    return job_parts(job) == 2 ? lcl_csr_write_complex(&job->A, path, &job->log)
                               : lcl_csr_write(&job->A, path, &job->log);
}

// Writes x in the shape of the right-hand side; without one, one column per
// stage.
static enum lcl_status save_solution(struct job *job)
{
    const bool is_kron = cli_is_kron(&job->cli);
    struct lcl_dense X = {is_kron ? job_stage_rows(job) : job->unknowns,
                          is_kron ? job->kron.K.stages : 1, job->x};
    if (!job->cli.output)
        return LCL_OK;
    if (job->rhs.val) {
        X.rows = job->rhs.rows;
        X.cols = job->rhs.cols;
    }
    return write_dense(job, &X);
}

enum lcl_status job_write(struct job *job)
{
    job->phase = JOB_OUTPUT;
    redirect_stdout(job, job->reserved);
    enum lcl_status st = save_history(job);
    if (st == LCL_OK)
        st = job->cli.command == &cmd_convert ? save_converted(job)
                                              : save_solution(job);
    redirect_stdout(job, STDERR_FILENO);
    return st;
}
