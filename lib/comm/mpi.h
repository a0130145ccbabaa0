// SPDX-License-Identifier: BSD-3-Clause
// Ranks that MPI connects, each a process. A build without MPI has the same
// functions, which refuse.
#pragma once

#include "lib/comm/comm.h"

// Whether the build includes MPI.
bool lcl_mpi_there(void);

// Ranks of the MPI_Comm at `mpi_comm`, of which it makes a duplicate; all ranks
// call it. Returns LCL_OK, LCL_EINVAL (MPI is not running, no communicator of
// one group, a wrong LEVELCL_RANK_TIMEOUT), LCL_EDEVICE (MPI, or another rank),
// LCL_ENOMEM or LCL_EUNSUPPORTED (a build without MPI); on error *out is NULL.
//
// A message has at most INT_MAX bytes. Once a rank has called lcl_comm_fail(),
// all calls of the others fail; also once a rank has waited for another one, or
// for a message, here, too, for 25 seconds, or as many as the environment
// variable LEVELCL_RANK_TIMEOUT says (0: without a limit).
enum lcl_status lcl_mpi_comm_create(struct lcl_comm **out, const void *mpi_comm,
                                    const struct lcl_log *log);

// Before MPI_Finalize(), on all ranks. Accepts NULL inside. What MPI may still
// write to after a failure stays until the process ends.
void lcl_mpi_comm_destroy(struct lcl_comm **comm);
