// SPDX-License-Identifier: BSD-3-Clause
// The functions of ranks_mpi.c for a build without MPI.
#include "tools/ranks.h"

static const char missing[] =
    "this clsolve was built without MPI; install MPI (Debian: libopenmpi-dev) "
    "and configure the build with -Dmpi=enabled";

enum lcl_status ranks_begin(struct job *job)
{
    job->phase = JOB_USAGE;
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

static enum lcl_status refuse(struct job *job)
{
    return messages_fail(&job->messages, LCL_EUNSUPPORTED, "%s", missing);
}

enum lcl_status ranks_solve(struct job *job, const struct ranks_report *report)
{
    (void)report;
    return refuse(job);
}

enum lcl_status ranks_make_operator(struct job *job)
{
    return refuse(job);
}

void ranks_gather(const struct job *job, void *each, size_t bytes)
{
    (void)job, (void)each, (void)bytes;
}

void ranks_end(enum lcl_status status, int code)
{
    (void)status, (void)code;
}
