// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a run: they begin and end together, agree on errors and combine
// numbers. A rank without the others ends the run.
#include "tools/clsolve/ranks.h"

#include "tools/clsolve/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char missing[] =
    "this clsolve was built without MPI; install MPI (Debian: libopenmpi-dev) "
    "and configure the build with -Dmpi=enabled";

// Seconds in which another rank may say why the run ends.
enum { GRACE = 4 };

// ---------------------------------------------------------------- agreement

// Without the other ranks the run ends here.
static void end_all(const struct job *job)
{
    const char *text = job->messages.error;
    if (!*text)
        sleep(GRACE);
    fprintf(stderr, "clsolve: rank %d: %s\n", job->ranks->rank,
            terminal_text(*text ? text : "another rank does not answer").text);
    lcl_ranks_abort(job->mpi, job_exit_code(job, LCL_EDEVICE));
}

enum lcl_status ranks_agree(struct job *job, enum lcl_status st)
{
    // files may take any time
    const bool has_files = job->phase == JOB_INPUT || job->phase == JOB_OUTPUT;
    struct lcl_ranks_failure failure = {.code = (int)job->phase};
    if (st >= 0)
        *job->messages.error = '\0'; // of what succeeded in the end
    snprintf(failure.text, sizeof failure.text, "%s", job->messages.error);
    lcl_ranks_set_timeout(job->mpi, has_files ? INFINITY : 0);
    st = lcl_ranks_agree(job->mpi, st, &failure);
    lcl_ranks_set_timeout(job->mpi, 0);
    if (st >= 0)
        return st;
    if (failure.rank < 0)
        end_all(job);
    job->phase = (enum job_phase)failure.code;
    return failure.rank > 0
               ? messages_fail(&job->messages, st, "rank %d: %s", failure.rank,
                               failure.text)
               : messages_fail(&job->messages, st, "%s", failure.text);
}

void ranks_must(const struct job *job, enum lcl_status st)
{
    if (st < 0)
        end_all(job);
}

// ---------------------------------------------------------------- numbers

void ranks_gather(const struct job *job, void *each, size_t bytes)
{
    const char *own = (char *)each + (size_t)job->ranks->rank * bytes;
    ranks_must(job, lcl_ranks_gather(job->mpi, own, bytes, each));
}

void ranks_combine(const struct job *job, int64_t *values, int count,
                   int64_t (*combine)(int64_t a, int64_t b))
{
    struct ranks *R = job->ranks;
    memcpy(R->words + R->rank * count, values, (size_t)count * sizeof *values);
    ranks_gather(job, R->words, (size_t)count * sizeof *values);
    for (int i = 0; i < count; ++i) {
        values[i] = R->words[i];
        for (int r = 1; r < R->size; ++r)
            values[i] = combine(values[i], R->words[r * count + i]);
    }
}

int64_t ranks_sum(int64_t a, int64_t b)
{
    return a + b;
}

int64_t ranks_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t ranks_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t ranks_common_bits(int64_t a, int64_t b)
{
    return a & b;
}

int ranks_find_other(const struct job *job, uint64_t own)
{
    struct ranks *R = job->ranks;
    int r = 0;
    R->words[R->rank] = (int64_t)own;
    ranks_gather(job, R->words, sizeof *R->words);
    while (r < R->size && R->words[r] == R->words[0])
        ++r;
    return r;
}

// ---------------------------------------------------------------- begin, end

static enum lcl_status refuse_without_mpi(struct job *job)
{
    *job->messages.error = '\0';
    if (job->cli.mpi == CLI_MPI_ON)
        return messages_fail(&job->messages, LCL_EUNSUPPORTED, "--mpi on: %s",
                             missing);
    if (!ranks_are_several())
        return LCL_OK;
    return messages_fail(&job->messages, LCL_EUNSUPPORTED,
                         "one of several processes, each of which would solve "
                         "the whole system: %s, or let each solve alone with "
                         "--mpi off",
                         missing);
}

static enum lcl_status connect(struct job *job)
{
    struct lcl_log log = job->log;
    log.level = LCL_LOG_ERROR;
    job->phase = JOB_WORK; // the status tells the kind of an error
    const enum lcl_status st = lcl_ranks_create(&job->mpi, NULL, &log);
    if (st == LCL_OK || st == LCL_EUNSUPPORTED)
        job->phase = JOB_USAGE;
    return st == LCL_EUNSUPPORTED ? refuse_without_mpi(job) : st;
}

static void be_silent(struct job *job)
{
    job->silent = true;
    job->cli.quiet = true;
    job->line.live = false;
    job->cli.output = job->cli.history = NULL;
    job->messages.verbose = 0;
    job->log = messages_log(&job->messages);
}

enum lcl_status ranks_begin(struct job *job)
{
    const enum lcl_status st = connect(job);
    const int size = lcl_ranks_count(job->mpi);
    if (st < 0 || size == 1)
        return st;
    struct ranks *R = job->ranks =
        calloc(1, sizeof *R + (size_t)size * RANKS_WORDS * sizeof *R->words);
    if (!R) {
        lcl_ranks_abort(job->mpi, job_exit_code(job, LCL_ENOMEM));
        return LCL_ENOMEM;
    }
    R->rank = lcl_ranks_rank(job->mpi);
    R->size = size;
    R->local = lcl_ranks_local(job->mpi);
    R->stages = 1;
    if (R->rank > 0)
        be_silent(job);
    return LCL_OK;
}

// Where a rank has failed, messages may be under way that nobody receives: MPI
// would wait for them.
void ranks_end(struct job *job, enum lcl_status status, int code)
{
    if (status == LCL_EDEVICE || !job->mpi)
        lcl_ranks_abort(job->mpi, code);
    lcl_ranks_destroy(&job->mpi);
}
