// SPDX-License-Identifier: BSD-3-Clause
// Stubs of the functions of mpi.c for a build without MPI.
#include "lib/comm/mpi.h"

#include "host/log.h"

bool lcl_mpi_there(void)
{
    return false;
}

enum lcl_status lcl_mpi_comm_create(struct lcl_comm **out, const void *mpi_comm,
                                    const struct lcl_log *log)
{
    (void)mpi_comm;
    *out = NULL;
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "this build of the library has no MPI");
}

void lcl_mpi_comm_destroy(struct lcl_comm **comm)
{
    *comm = NULL;
}
