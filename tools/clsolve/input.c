// SPDX-License-Identifier: BSD-3-Clause
// The input of one run of clsolve: matrix, labels.
#include "tools/clsolve/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum lcl_status read_matrix(struct job *job)
{
    if (job->cli.problem) {
        job->phase = JOB_USAGE;
        job->read.is_complex = lcl_problem_is_complex(job->cli.problem);
        return lcl_csr_problem(&job->A, job->cli.problem, &job->log);
    }
    const char *const *text = job->cli.text;
    job->phase = JOB_INPUT;
    if (text[0])
        return lcl_csr_read_text(&job->A, text[0], text[1], text[2], &job->read,
                                 &job->log);
    return lcl_csr_read(&job->A, job->cli.matrix, &job->read, &job->log);
}

// Number of labelled rows; for a Kronecker system, the rows of one stage.
static int64_t labelled_rows(const struct job *job)
{
    return cli_is_kron(&job->cli) ? job_stage_rows(job) : job->A.rows;
}

static enum lcl_status read_labels(struct job *job)
{
    if (!job->cli.labels)
        return LCL_OK;
    struct lcl_partition_params *partition =
        &job->cli.options.precond.partition;
    const enum lcl_status st =
        job->labels ? LCL_OK
                    : lcl_labels_read(&job->labels, &job->labels_count,
                                      job->cli.labels, &job->log);
    if (st < 0)
        return st;
    if (job->labels_count != labelled_rows(job))
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s has %" PRId64 " labels, but %s has %" PRId64
                             " rows",
                             job->cli.labels, job->labels_count, job_title(job),
                             labelled_rows(job));
    partition->type = LCL_PARTITION_LABELS;
    partition->labels = job->labels;
    partition->labels_count = job->labels_count;
    return LCL_OK;
}

static enum lcl_status read_all(struct job *job)
{
    const bool is_kron = cli_is_kron(&job->cli);
    const enum lcl_status st = is_kron ? job_read_kron(job) : read_matrix(job);
    if (st < 0)
        return st;
    job->phase = JOB_INPUT;
    job->unknowns =
        is_kron ? job->kron.K.stages * job_stage_rows(job) : job->A.rows;
    if (!is_kron)
        facts_rows(&job->facts, &job->A);
    return read_labels(job);
}

enum lcl_status job_read(struct job *job)
{
    const double start = job_clock();
    live_line_show(&job->line, "reading");
    const enum lcl_status st = read_all(job);
    live_line_clear(&job->line);
    job->read_seconds += job_clock() - start;
    return st;
}

enum lcl_status job_check_square(struct job *job)
{
    const struct lcl_csr *A = &job->A;
    if (cli_is_kron(&job->cli))
        return LCL_OK;
    if (A->rows != A->cols)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s is %" PRId64 " x %" PRId64
                             ": a linear system needs a square matrix",
                             job_title(job), A->rows / job_parts(job),
                             A->cols / job_parts(job));
    if (A->rows == 0)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s is empty: it has no rows", job_title(job));
    return LCL_OK;
}

// The number of the complex row of a row that counts from 1.
static int64_t row_of_file(const struct job *job, int64_t row)
{
    return (row - 1) / job_parts(job) + 1;
}

// A real vector does not span what it spans with complex factors.
static enum lcl_status check_complex(struct job *job)
{
    const struct cli *cli = &job->cli;
    const char *option = cli->nullspace     ? "--nullspace"
                         : cli->near_null   ? "--near-null"
                         : cli->coordinates ? "--coordinates"
                                            : NULL;
    if (job_parts(job) == 1 || !option)
        return LCL_OK;
    job->phase = JOB_USAGE;
    return messages_fail(&job->messages, LCL_EUNSUPPORTED,
                         "%s needs a real matrix, but %s is complex", option,
                         job_title(job));
}

// A given null space may have the unknowns of empty rows.
enum lcl_status job_check_zero_rows(struct job *job)
{
    const struct facts *facts = &job->facts;
    const enum lcl_status st = check_complex(job);
    if (st < 0)
        return st;
    if (facts->zero_rows > 0 && !job->cli.nullspace)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "row %" PRId64 " of %s has no nonzero entry: the "
                             "matrix is singular",
                             row_of_file(job, facts->first_zero_row),
                             job_title(job));
    return LCL_OK;
}

// The pivot policy handles missing diagonals; warns about them.
enum lcl_status job_check_rows(struct job *job)
{
    const struct facts *facts = &job->facts;
    const enum lcl_status st = job_check_zero_rows(job);
    if (st < 0)
        return st;
    if (facts->missing_diagonals > 0)
        messages_warn(&job->messages,
                      "%s has rows without a diagonal entry: %" PRId64
                      ", the first is row %" PRId64,
                      job_title(job), facts->missing_diagonals / job_parts(job),
                      row_of_file(job, facts->first_missing_diagonal));
    return LCL_OK;
}

enum lcl_status job_prepare(struct job *job)
{
    const double start = job_clock();
    enum lcl_status st;
    if ((st = job_check_rows(job)) < 0 || (st = job_read_vectors(job)) < 0)
        return st;
    st = job_read_modes(job);
    job->read_seconds += job_clock() - start;
    return st;
}
