// SPDX-License-Identifier: BSD-3-Clause
// Ranks that MPI connects, each a process. A build without MPI has the same
// functions, which refuse.
#pragma once

#include "lib/comm/comm.h"

// Whether the build includes MPI.
bool lcl_mpi_there(void);

// Ranks of the MPI_Comm at `mpi_comm`, NULL: MPI_COMM_WORLD, of which it makes
// a duplicate; all ranks call it. Returns LCL_OK, LCL_EINVAL (MPI is not
// running, no communicator of one group, a wrong LEVELCL_RANK_TIMEOUT),
// LCL_EDEVICE (MPI, or another rank), LCL_ENOMEM or LCL_EUNSUPPORTED (a build
// without MPI); on error *out is NULL.
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

// ---------------------------------------------------------------- MPI itself

// Starts MPI for calls from one thread; *started: it was not running and has
// not ended. Returns LCL_OK, LCL_EDEVICE or LCL_EUNSUPPORTED.
enum lcl_status lcl_mpi_start(bool *started, const struct lcl_log *log);

// If MPI is running, ends it, or all ranks with exit status `code`; NULL: those
// of MPI_COMM_WORLD.
void lcl_mpi_end(void);
void lcl_mpi_abort(const struct lcl_comm *comm, int code);

// The MPI_Comm of the ranks, as an argument of lcl_mpi_comm_create().
const void *lcl_mpi_of(const struct lcl_comm *comm);

// How many seconds a rank waits from now on; returns the number before.
double lcl_mpi_set_patience(struct lcl_comm *comm, double seconds);

// The number of the rank among those of its host; collective, without a limit
// of time. Returns LCL_OK or LCL_EDEVICE.
enum lcl_status lcl_mpi_local_rank(struct lcl_comm *comm, int *rank);
