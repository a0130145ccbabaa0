// SPDX-License-Identifier: BSD-3-Clause
// Stubs of the functions of mpi.c for a build without MPI.
#include "lib/comm/mpi.h"

#include "host/log.h"

static enum lcl_status refuse(const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "this build of the library has no MPI");
}

enum lcl_status lcl_mpi_comm_create(struct lcl_comm **out, const void *mpi_comm,
                                    const struct lcl_log *log)
{
    (void)mpi_comm;
    *out = NULL;
    return refuse(log);
}

void lcl_mpi_comm_destroy(struct lcl_comm **comm)
{
    *comm = NULL;
}

enum lcl_status lcl_mpi_start(bool *started, const struct lcl_log *log)
{
    *started = false;
    return refuse(log);
}

void lcl_mpi_end(void)
{
}

void lcl_mpi_abort(const struct lcl_comm *comm, int code)
{
    (void)comm, (void)code;
}

const void *lcl_mpi_of(const struct lcl_comm *comm)
{
    (void)comm;
    return NULL;
}

double lcl_mpi_set_patience(struct lcl_comm *comm, double seconds)
{
    (void)comm;
    return seconds;
}

enum lcl_status lcl_mpi_local_rank(struct lcl_comm *comm, int *rank)
{
    *rank = 0;
    return refuse(&comm->log);
}
