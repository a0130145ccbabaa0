/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators whose rows are spread over the ranks of an MPI communicator: each
 * rank has a context with a device of its own. Installed if the library was
 * built with MPI; not part of <levelcl/levelcl.h>.
 *
 * The application calls MPI_Init() before, and MPI_Finalize() after all that
 * this header declares. Of the library only the thread that calls it calls MPI,
 * so that MPI_THREAD_SINGLE suffices.
 *
 * Inside a call, once the ranks have been connected, a rank waits at most 25
 * seconds for another one, or as many as the environment variable
 * LEVELCL_RANK_TIMEOUT says (0: without a limit): then all ranks that still
 * answer return LCL_EDEVICE, and the log names the rank that did not. Where
 * ranks enter a call at times further apart, set a larger limit. After such an
 * error MPI_Finalize() may wait for ever: call MPI_Abort(). */
#ifndef LEVELCL_MPI_H
#define LEVELCL_MPI_H

#include <levelcl/kron.h>

#include <mpi.h>

LCL_BEGIN_DECLS

/* An operator of which the calling rank has the rows A, on the device of ctx;
 * the ranks of comm, in their order, have all rows of the matrix, at least one
 * each. A need live only until the call returns; its columns are those of the
 * whole matrix. Collective, like everything that is made from the operator or
 * called with it: all ranks make the same calls with the same parameters; where
 * numbers in them differ, operators, preconditioners and solvers are refused
 * with LCL_EINVAL and a sentence that names the number, on all ranks. A
 * vector is the rank's part of it, in host memory, and so are values of
 * lcl_operator_update(). A preconditioner is one for each rank's own rows and
 * columns, with one coarse correction of all ranks and overlap across them.
 * Sums are in the order of the ranks, so that all of them get the same bits and
 * end a solve in the same iteration; the monitor of rank 0 decides for all.
 * Destroy the operator on all ranks, before MPI_Finalize().
 *
 * Returns as lcl_operator_create(); LCL_EFORMAT also for rows that leave gaps
 * or overlap; LCL_EINVAL also if MPI is not running; LCL_EDEVICE also for an
 * error of MPI or of another rank. An error on one rank is an error on all;
 * where the reason is one rank's, that rank's log has it. On error *out is
 * NULL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_mpi(
    lcl_operator **out, lcl_context *ctx, MPI_Comm comm,
    const struct lcl_rows *A, const struct lcl_operator_params *params);

/* The same for a Kronecker system, of which the rank has block rows; a vector
 * is the rank's part of it, one stage after the other. New values are taken by
 * lcl_operator_update_kron_rows(). LCL_EINVAL also for stages, a block size, A,
 * B or tau that differ between ranks. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_kron_mpi(
    lcl_operator **out, lcl_context *ctx, MPI_Comm comm,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params);

/* The rows of the calling rank, by lcl_rows_share(), of a square matrix in a
 * file that all ranks of comm can read; collective. Of a plain Matrix Market
 * file each rank reads a part of the lines and sends the entries to the ranks
 * that own their rows, so that none holds the whole matrix; of other files each
 * rank reads as lcl_rows_read() does. Ownership and statuses as
 * lcl_rows_read(); LCL_EINVAL also if the ranks name files that differ, which
 * each checks with one other rank unless they are compressed, if their block
 * differs or MPI is not running; LCL_EDEVICE for an error of MPI or of another
 * rank. An error on one rank is an error on all; where the reason
 * is one rank's, that rank's log has it. */
LCL_NODISCARD LCL_API enum lcl_status lcl_rows_read_mpi(
    struct lcl_rows *out, MPI_Comm comm, const char *path, int block,
    const struct lcl_log *log);

LCL_END_DECLS

#endif
