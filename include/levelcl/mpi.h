/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators whose rows are spread over the ranks of an MPI communicator: each
 * rank has a context with a device of its own. Installed if the library was
 * built with MPI; not part of <levelcl/levelcl.h>.
 *
 * The application calls MPI_Init() before, and MPI_Finalize() after all that
 * this header declares. Of the library only the thread that calls it calls MPI,
 * so that MPI_THREAD_SINGLE suffices. */
#ifndef LEVELCL_MPI_H
#define LEVELCL_MPI_H

#include <levelcl/operator.h>

#include <mpi.h>

#endif
