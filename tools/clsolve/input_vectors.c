// SPDX-License-Identifier: BSD-3-Clause
// The vectors of one run of clsolve: right-hand sides, initial guess, solution.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/job.h"
#include "tools/clsolve/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 1 << 20 };

static enum lcl_status no_memory(struct job *job, const char *what)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for %s", what);
}

// ---------------------------------------------------------------- shapes

// The number of vectors: one in each column or, of a Kronecker system, in as
// many columns as there are stages; 0: none.
static int64_t count_vectors(const struct job *job, const struct lcl_dense *F)
{
    const int stages = job->kron.K.stages;
    if (F->rows == job->unknowns)
        return F->cols;
    return cli_is_kron(&job->cli) && F->rows == job_stage_rows(job) &&
                   F->cols % stages == 0
               ? F->cols / stages
               : 0;
}

static enum lcl_status refuse_shape(struct job *job, const struct lcl_dense *F,
                                    const char *path, const char *what)
{
    const int parts = job_parts(job);
    char stages[64] = "";
    if (cli_is_kron(&job->cli))
        snprintf(stages, sizeof stages, "%" PRId64 " x %d or ",
                 job_stage_rows(job), job->kron.K.stages);
    return messages_fail(&job->messages, LCL_EFORMAT,
                         "%s is %" PRId64 " x %" PRId64
                         ", but %s needs %s of %s%" PRId64
                         " x 1, or several of them",
                         path, F->rows / parts, F->cols, job_title(job), what,
                         stages, job->unknowns / parts);
}

// ---------------------------------------------------------------- complex

// Reads vectors of the system: real ones of a complex system become pairs.
static enum lcl_status read_dense(struct job *job, struct lcl_dense *F,
                                  const char *path)
{
    struct lcl_read_info info = {0};
    const bool complex_system = job_parts(job) == 2;
    const enum lcl_status st = lcl_dense_read(F, path, &info, &job->log);
    if (st < 0 || !info.is_complex == !complex_system)
        return st;
    if (complex_system)
        return lcl_dense_to_complex(F, &job->log);
    return messages_fail(&job->messages, LCL_EFORMAT,
                         "%s is complex, but %s is real: solve for the real "
                         "and the imaginary parts, as columns of one file",
                         path, job_title(job));
}

// Whether x would be written as a PETSc vector, which has one column.
static bool writes_petsc(const struct cli *cli)
{
    const char *suffix = cli->output ? strstr(cli->output, ".petsc") : NULL;
    return suffix &&
           (strcmp(suffix, ".petsc") == 0 || strcmp(suffix, ".petsc.gz") == 0 ||
            strcmp(suffix, ".petsc.xz") == 0);
}

static enum lcl_status check_count(struct job *job, int64_t count)
{
    char title[64];
    const char *command = command_title(job->cli.command, title);
    job->phase = JOB_USAGE;
    if (count > 1 && job->cli.command != &cmd_solve)
        return messages_fail(
            &job->messages, LCL_EINVAL,
            "%s takes one right-hand side, but %s has %" PRId64, command,
            job_rhs(job), count);
    if (count > 1 && job->ranks)
        return messages_fail(&job->messages, LCL_EINVAL,
                             "several right-hand sides need one process, not "
                             "ranks of MPI");
    if (count > 1 && writes_petsc(&job->cli))
        return messages_fail(&job->messages, LCL_EINVAL,
                             "cannot write %" PRId64
                             " columns to '%s': a PETSc vector has one",
                             count, job->cli.output);
    job->phase = JOB_INPUT;
    if (count > COLUMNS_MAX)
        return messages_fail(&job->messages, LCL_ERANGE,
                             "%s has %" PRId64
                             " right-hand sides: expected at most %d",
                             job_rhs(job), count, COLUMNS_MAX);
    job->columns = (int)count;
    return LCL_OK;
}

// ---------------------------------------------------------------- files

enum lcl_status job_read_rhs(struct job *job)
{
    const char *path = job_rhs(job);
    const enum lcl_status st =
        job->cli.text[3] ? lcl_dense_read_text(&job->rhs, path, &job->log)
                         : read_dense(job, &job->rhs, path);
    if (st < 0)
        return st;
    const int64_t count = count_vectors(job, &job->rhs);
    if (count == 0)
        return refuse_shape(job, &job->rhs, path, "a right-hand side");
    job->b = job->rhs.val;
    return check_count(job, count);
}

// One guess for all right-hand sides, or one for each.
static enum lcl_status read_guess(struct job *job)
{
    const char *path = job->cli.x0;
    const enum lcl_status st =
        path ? read_dense(job, &job->guess, path) : LCL_OK;
    if (st < 0 || !path)
        return st;
    const int64_t count = count_vectors(job, &job->guess);
    if (count == 0)
        return refuse_shape(job, &job->guess, path, "an initial guess");
    return count == 1 || count == job->columns
               ? LCL_OK
               : messages_fail(&job->messages, LCL_EFORMAT,
                               "%s has %" PRId64
                               " initial guesses for %d right-hand side%s",
                               path, count, job->columns,
                               job->columns == 1 ? "" : "s");
}

// ---------------------------------------------------------------- made

static enum lcl_status multiply_ones(struct job *job, double *ones)
{
    for (int64_t i = 0; i < job->unknowns; ++i)
        ones[i] = job_one(job, i);
    if (!cli_is_kron(&job->cli))
        lcl_csr_multiply(&job->A, ones, job->made_rhs);
    else if (lcl_kron_multiply(&job->kron.K, ones, job->made_rhs) < 0)
        return no_memory(job, "the right-hand side");
    return LCL_OK;
}

// b = A * ones
static enum lcl_status make_known(struct job *job)
{
    double *ones = calloc((size_t)job->unknowns, sizeof *ones);
    const enum lcl_status st =
        ones ? multiply_ones(job, ones) : no_memory(job, "the solution");
    free(ones);
    return st;
}

static enum lcl_status make_rhs(struct job *job)
{
    const size_t n = (size_t)job->unknowns;
    double *b = job->made_rhs = calloc(n, sizeof *b);
    job->b = b;
    job->columns = 1;
    if (!b)
        return no_memory(job, "the right-hand side");
    switch (job->cli.made) {
    case CLI_RHS_A_ONES:
        return make_known(job);
    case CLI_RHS_RANDOM:
        random_fill(b, job->unknowns, job->cli.seed);
        break;
    case CLI_RHS_ONES:
        for (size_t i = 0; i < n; ++i)
            b[i] = job_one(job, (int64_t)i);
    }
    return LCL_OK;
}

// ---------------------------------------------------------------- all

void job_restart(struct job *job)
{
    const size_t n = (size_t)job->unknowns, columns = (size_t)job->columns;
    const struct lcl_dense *X = &job->guess;
    const size_t guesses = (size_t)(X->rows * X->cols) / n;
    for (size_t k = 0; k < columns; ++k)
        if (guesses > 0)
            memcpy(job->x + k * n, X->val + k % guesses * n,
                   n * sizeof *job->x);
        else
            memset(job->x + k * n, 0, n * sizeof *job->x);
}

enum lcl_status job_read_vectors(struct job *job)
{
    const enum lcl_status st = job_rhs(job) ? job_read_rhs(job) : make_rhs(job);
    const enum lcl_status guessed = st < 0 ? st : read_guess(job);
    if (guessed < 0)
        return guessed;
    const size_t columns = (size_t)job->columns;
    job->column = calloc(columns, sizeof *job->column);
    job->x = calloc((size_t)job->unknowns * columns, sizeof *job->x);
    if (!job->column || !job->x)
        return no_memory(job, "the solution");
    job_restart(job);
    return LCL_OK;
}
