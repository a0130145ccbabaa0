// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are MPI processes. A build without MPI has the same functions,
// which return LCL_EUNSUPPORTED.
#pragma once

#include "lib/comm/comm.h"

// Creates ranks from the MPI_Comm at `mpi_comm` (NULL: MPI_COMM_WORLD), which
// is duplicated; all ranks call it. Returns LCL_OK, LCL_EINVAL (MPI is not
// running, no communicator of one group, a wrong LEVELCL_RANK_TIMEOUT),
// LCL_EDEVICE (MPI or another rank has failed), LCL_ENOMEM or LCL_EUNSUPPORTED
// (a build without MPI); on error *out is NULL.
//
// A message has at most INT_MAX bytes. Once a rank has called lcl_comm_fail(),
// all calls of the others fail. The same happens once a rank has waited for
// another one, in this function too, for 25 seconds or for the number of
// seconds in the environment variable LEVELCL_RANK_TIMEOUT (0: no limit).
enum lcl_status lcl_mpi_comm_create(struct lcl_comm **out, const void *mpi_comm,
                                    const struct lcl_log *log);

// Call on all ranks before MPI_Finalize(). Accepts NULL inside. Memory that MPI
// may still write to after a failure is kept until the process ends.
void lcl_mpi_comm_destroy(struct lcl_comm **comm);

// ---------------------------------------------------------------- MPI itself

// Starts MPI for calls from one thread unless it is running or has ended;
// *started reports that this call has started it. Returns LCL_OK, LCL_EDEVICE
// or LCL_EUNSUPPORTED.
enum lcl_status lcl_mpi_start(bool *started, const struct lcl_log *log);

// If MPI is running, the first function ends it; the second ends all ranks with
// exit status `code`, of MPI_COMM_WORLD if comm is NULL.
void lcl_mpi_end(void);
void lcl_mpi_abort(const struct lcl_comm *comm, int code);

// Address of the MPI_Comm of the ranks, as lcl_mpi_comm_create() expects it.
const void *lcl_mpi_of(const struct lcl_comm *comm);

// Sets how many seconds a rank waits from now on; returns the previous number.
double lcl_mpi_set_patience(struct lcl_comm *comm, double seconds);

// The index of the rank among the ranks of the same host; collective, without a
// time limit. Returns LCL_OK or LCL_EDEVICE.
enum lcl_status lcl_mpi_local_rank(struct lcl_comm *comm, int *rank);
