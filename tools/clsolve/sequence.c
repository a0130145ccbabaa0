// SPDX-License-Identifier: BSD-3-Clause
// Solves a sequence of systems.
#include "tools/clsolve/sequence.h"

#include "tools/clsolve/norm.h"
#include "tools/clsolve/ranks.h"
#include "tools/clsolve/report.h"

#include <stdlib.h>
#include <string.h>

const char *step_set_up_name(enum step_set_up set_up)
{
    static const char *const names[] = {"full", "values", "operator", "none"};
    return names[set_up];
}

const char *step_start_name(enum step_start start)
{
    static const char *const names[] = {"zero", "file", "previous"};
    return names[start];
}

static bool prints(const struct job *job)
{
    return !job->cli.json && !job->cli.quiet;
}

// ---------------------------------------------------------------- reading

static bool is_same_pattern(const struct lcl_csr *A, const struct lcl_csr *B)
{
    const size_t rows = (size_t)A->rows, nnz = (size_t)A->nnz;
    return A->rows == B->rows && A->cols == B->cols && A->nnz == B->nnz &&
           memcmp(A->row_ptr, B->row_ptr, (rows + 1) * sizeof *A->row_ptr) ==
               0 &&
           memcmp(A->col_ind, B->col_ind, nnz * sizeof *A->col_ind) == 0;
}

// Reads the matrix of a step; *set_up = what it makes necessary.
static enum lcl_status read_matrix(struct job *job, enum step_set_up *set_up)
{
    struct lcl_csr before = job->A;
    job->A = (struct lcl_csr){0};
    enum lcl_status st = job_read(job);
    if (st >= 0)
        st = job_check_square(job);
    if (st >= 0)
        *set_up = before.row_ptr && is_same_pattern(&before, &job->A)
                      ? STEP_VALUES
                      : STEP_FULL;
    lcl_csr_finish(&before);
    return st;
}

// The right-hand sides; of a new pattern also all else that has its rows.
static enum lcl_status read_vectors(struct job *job, enum step_set_up set_up)
{
    const double start = job_clock();
    enum lcl_status st =
        set_up == STEP_FULL ? job_check_rows(job) : job_check_zero_rows(job);
    if (st >= 0)
        st = job_read_vectors(job);
    if (st >= 0 && set_up == STEP_FULL) {
        job_drop_modes(job);
        st = job_read_modes(job);
    }
    job->read_seconds += job_clock() - start;
    return st;
}

static bool has_matrix_of_before(const struct sequence *S, int k)
{
    return k > 0 && strcmp(S->step[k].matrix, S->step[k - 1].matrix) == 0;
}

static enum lcl_status read_step(struct job *job, struct sequence *S, int k)
{
    struct step *step = &S->step[k];
    const double before = job->read_seconds;
    enum lcl_status st = LCL_OK;
    S->current = k;
    job->cli.matrix = step->matrix;
    job->cli.rhs = step->rhs;
    job_drop_vectors(job);
    if (has_matrix_of_before(S, k))
        step->set_up = STEP_NOTHING;
    else
        st = read_matrix(job, &step->set_up);
    if (st >= 0)
        st = read_vectors(job, step->set_up);
    step->read_seconds = job->read_seconds - before;
    return st;
}

// ---------------------------------------------------------------- set-up

// The chain keeps its factors for some steps, or until solves get slow.
static bool takes_values(const struct job *job, const struct sequence *S, int k)
{
    const bool slow = job->cli.options.precond.refresh == LCL_REFRESH_ON_SLOW;
    return job->cli.every > 0 ? k - S->updated >= job->cli.every : !slow;
}

static enum lcl_status update(struct job *job, struct sequence *S, int k)
{
    job->phase = JOB_WORK;
    const enum lcl_status st = lcl_operator_update(job->op, job->A.val);
    if (st < 0)
        return st;
    if (!takes_values(job, S, k)) {
        S->step[k].set_up = STEP_OPERATOR;
        return st;
    }
    S->updated = k;
    return lcl_chain_update(job->chain);
}

static enum lcl_status set_up(struct job *job, struct sequence *S, int k)
{
    struct step *step = &S->step[k];
    const double start = job_clock();
    enum lcl_status st = LCL_OK;
    switch (step->set_up) {
    case STEP_FULL:
        if (k > 0 && prints(job))
            text_sequence_pattern(job, k);
        job_drop_method(job);
        S->updated = k;
        st = job_set_up(job);
        break;
    case STEP_VALUES:
    case STEP_OPERATOR:
        st = update(job, S, k);
        break;
    case STEP_NOTHING:
        break;
    }
    step->set_up_seconds = job_clock() - start;
    return st;
}

// ---------------------------------------------------------------- start

// Whether ||b - A x|| < ||b||; r has room for the residual.
static bool is_closer(const struct lcl_csr *A, const double *b, const double *x,
                      double *r)
{
    lcl_csr_multiply(A, x, r);
    for (int64_t i = 0; i < A->rows; ++i)
        r[i] = b[i] - r[i];
    return norm_2(r, A->rows) < norm_2(b, A->rows);
}

// Starts from the solution of the step before where that is closer than 0.
static enum lcl_status choose_start(struct job *job, struct sequence *S, int k)
{
    const size_t n = (size_t)job->unknowns;
    struct step *step = &S->step[k];
    const bool suits = !job->cli.from_zero && S->rows == job->unknowns &&
                       S->previous == job->columns;
    step->start = k == 0 && job->cli.x0 ? STEP_FILE : STEP_ZERO;
    if (!suits)
        return LCL_OK;
    double *r = calloc(n, sizeof *r);
    if (!r)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for a residual");
    for (int c = 0; c < job->columns; ++c) {
        const double *x = S->x + (size_t)c * n;
        if (!is_closer(&job->A, job->b + (size_t)c * n, x, r))
            continue;
        memcpy(job->x + (size_t)c * n, x, n * sizeof *x);
        if (c == 0)
            step->start = STEP_PREVIOUS;
    }
    free(r);
    return LCL_OK;
}

// Takes the solution for the next step.
static void keep_solution(struct job *job, struct sequence *S)
{
    free(S->x);
    S->x = job->x;
    S->rows = job->unknowns;
    S->previous = job->columns;
    job->x = NULL;
    lcl_dense_finish(&job->guess);
    job->cli.x0 = NULL;
}

// ---------------------------------------------------------------- steps

static void note(struct job *job, struct sequence *S, int k)
{
    struct step *step = &S->step[k];
    const struct column_sums sums = columns_sum(job->column, job->columns);
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    S->solved = k + 1;
    step->columns = job->columns;
    step->failed = sums.failed;
    step->outcome = job->outcome;
    step->report = job->report;
    step->report.history = NULL;
    step->report.history_count = 0;
    step->iterations = sums.iterations;
    step->solver = job->solver.type;
    step->precond = info ? info->type : LCL_PRECOND_NONE;
    if (job->outcome == LCL_OK || S->tried >= 0)
        return;
    S->tried = k;
    S->advises = hint_find(&S->hint, job);
}

static enum lcl_status write_step(struct job *job, struct sequence *S, int k)
{
    char output[CLI_PATH], history[CLI_PATH];
    job->cli.output = job->cli.history = NULL;
    if (S->output && cli_step_name(output, S->output, k + 1))
        job->cli.output = output;
    if (S->history && cli_step_name(history, S->history, k + 1))
        job->cli.history = history;
    const enum lcl_status st = job_write(job);
    job->cli.output = job->cli.history = NULL;
    S->step[k].written = st == LCL_OK && S->output;
    return st;
}

static enum lcl_status solve_step(struct job *job, struct sequence *S, int k)
{
    enum lcl_status st = choose_start(job, S, k);
    const double start = job_clock();
    if (st < 0 || (st = job_solve(job)) < 0)
        return st;
    S->step[k].solve_seconds = job_clock() - start;
    note(job, S, k);
    if (prints(job))
        text_sequence_step(S, k);
    st = write_step(job, S, k);
    keep_solution(job, S);
    return st;
}

static enum lcl_status first_step(struct job *job, struct sequence *S)
{
    enum lcl_status st;
    if ((st = read_step(job, S, 0)) < 0 || (st = job_open_device(job)) < 0)
        return st;
    if ((st = set_up(job, S, 0)) < 0)
        return st;
    if (prints(job))
        text_sequence_begin(job, S);
    return solve_step(job, S, 0);
}

static enum lcl_status next_step(struct job *job, struct sequence *S, int k)
{
    enum lcl_status st = read_step(job, S, k);
    if (st >= 0)
        st = set_up(job, S, k);
    return st < 0 ? st : solve_step(job, S, k);
}

// A signal between two solves ends the sequence, too.
static enum lcl_status all_steps(struct job *job, struct sequence *S)
{
    struct progress outer = {.line = NULL};
    enum lcl_status st = first_step(job, S);
    progress_begin(&outer, NULL, NULL);
    for (int k = 1; k < S->count && st >= 0; ++k) {
        if (progress_interrupted() || job_is_interrupted(job))
            break;
        st = next_step(job, S, k);
    }
    progress_end(&outer);
    return st;
}

// ---------------------------------------------------------------- reports

int sequence_failed(const struct sequence *S)
{
    int count = 0;
    for (int k = 0; k < S->solved; ++k)
        count += S->step[k].outcome != LCL_OK;
    return count;
}

// Names the step in a message about it.
static void name_step(struct job *job, const struct sequence *S)
{
    messages_fail(&job->messages, LCL_OK, "step %d of %d: %s", S->current + 1,
                  S->count, job->messages.error);
}

static enum lcl_status tell(struct job *job, const struct sequence *S,
                            enum lcl_status st)
{
    const int code = job_exit_code(job, st);
    job_end(job);
    if (job->cli.json) {
        job->told = json_sequence(job, S, st, code);
        return job->told ? st
                         : messages_fail(&job->messages, LCL_ENOMEM,
                                         "out of memory: no room for the "
                                         "report");
    }
    if (!job->cli.quiet)
        text_sequence_end(job, S);
    else if (S->tried >= 0)
        fprintf(stderr, "clsolve: not converged: step %d: %s\n", S->tried + 1,
                lcl_stop_str(S->step[S->tried].report.stop));
    return st;
}

static enum lcl_status run(struct job *job, struct sequence *S)
{
    enum lcl_status st = sequence_list(S, job);
    if (st < 0 || (st = sequence_check_files(S, job)) < 0)
        return st;
    st = all_steps(job, S);
    if (st < 0 && *job->messages.error && S->count > 1)
        name_step(job, S);
    if (S->solved == 0)
        return st;
    if (st >= 0)
        st = S->tried >= 0          ? S->step[S->tried].outcome
             : S->solved < S->count ? LCL_ITERATION_LIMIT
                                    : LCL_OK;
    return tell(job, S, st);
}

enum lcl_status sequence_solve(struct job *job)
{
    struct sequence *S = calloc(1, sizeof *S);
    if (job->ranks || !S) {
        free(S);
        return job->ranks
                   ? messages_fail(&job->messages, LCL_EINVAL,
                                   "a sequence needs one process, not ranks of "
                                   "MPI")
                   : messages_fail(&job->messages, LCL_ENOMEM,
                                   "out of memory: no room for a sequence");
    }
    S->tried = -1;
    job->several_systems = true;
    const enum lcl_status st = run(job, S);
    sequence_finish(S);
    free(S);
    return st;
}
