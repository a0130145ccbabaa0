/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks: the processes of an MPI communicator, without <mpi.h>. What a program
 * in several processes needs around a solve: ranks agree on an error and its
 * message, vectors move between rank 0 and all ranks, and a rank that dies or
 * stops ends the wait of the others.
 *
 * In a build of the library without MPI, lcl_ranks_create() returns
 * LCL_EUNSUPPORTED, and so there are no ranks to call the others with.
 *
 * Functions marked as collective are called by all ranks in the same order.
 * They return LCL_OK; LCL_EINVAL for wrong arguments; LCL_ENOMEM; LCL_ERANGE
 * for a message that is too long for MPI; or LCL_EDEVICE for an error of MPI or
 * of another rank, or for a rank that does not answer within the time limit,
 * which the log names. After LCL_ENOMEM, LCL_ERANGE and LCL_EDEVICE the ranks
 * are lost: all later calls fail, and MPI may still access memory of the failed
 * call. Report the error and call lcl_ranks_abort(). */
#ifndef LEVELCL_RANKS_H
#define LEVELCL_RANKS_H

#include <levelcl/kron.h>

#include <stddef.h>

LCL_BEGIN_DECLS

enum { LCL_RANKS_TEXT = 1024 };

/* Why a rank failed. */
struct lcl_ranks_failure {
    int code;                  /* a number of the application, such as its exit
                                  status */
    char text[LCL_RANKS_TEXT]; /* a sentence; "": none */
    int rank;                  /* set by lcl_ranks_agree() */
};

/* The rows that a rank has of a vector of `total` rows, or of `columns` vectors
 * one after the other: column j of the whole begins at j * total, column j of
 * the rank's part at j * rows. */
struct lcl_ranks_rows {
    int64_t first, rows, total;
    int columns;
};

/* Only the thread that calls MPI may use it. Two objects are independent. */
typedef struct lcl_ranks lcl_ranks;

/* Connects the ranks of the MPI communicator at `mpi_comm`, a pointer to an
 * MPI_Comm, by a duplicate of it; collective. NULL: MPI_COMM_WORLD, and MPI is
 * started, for calls from one thread, unless it is running. Messages go to log,
 * which may be NULL and is copied. Returns also LCL_EINVAL if MPI is not
 * running or has ended, for a communicator of two groups, and if
 * LEVELCL_RANK_TIMEOUT is not a number; LCL_EUNSUPPORTED. On error *out is NULL
 * and MPI keeps running if it has been started. */
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_create(
    lcl_ranks **out, const void *mpi_comm, const struct lcl_log *log);

/* Collective; destroy the operators of the ranks before. Ends MPI if
 * lcl_ranks_create() started it and the ranks are not lost. Accepts NULL
 * inside. */
LCL_API void lcl_ranks_destroy(lcl_ranks **ranks);

/* Ends all ranks at once by MPI_Abort(), with exit status `code`. NULL: those
 * of MPI_COMM_WORLD, also after lcl_ranks_create() has failed. Returns only if
 * MPI is not running. */
LCL_API void lcl_ranks_abort(const lcl_ranks *ranks, int code);

/* The number of the calling rank, from 0; of all ranks; and of the rank among
 * those of its host, from 0, by which it may choose a device. NULL: 0, 1, 0. */
LCL_API int lcl_ranks_rank(const lcl_ranks *ranks);
LCL_API int lcl_ranks_count(const lcl_ranks *ranks);
LCL_API int lcl_ranks_local(const lcl_ranks *ranks);

/* How many seconds later collective calls of this rank wait for the others;
 * INFINITY: without limit, as while another rank reads a file. 0: the default,
 * 25, or what the environment variable LEVELCL_RANK_TIMEOUT says (0 there: no
 * limit). No effect for NULL and for numbers below 0. */
LCL_API void lcl_ranks_set_timeout(lcl_ranks *ranks, double seconds);

/* The same status on all ranks; collective. Without an error anywhere, that is
 * the largest `own`. Otherwise it is the error of the lowest rank that has a
 * text, else of the lowest rank that has an error, and *failure, which is both
 * input and output, becomes that of this rank on all ranks: its number, its
 * code and its text, or the sentence of lcl_status_str() if it has none.
 * `failure` is read only if `own` is an error.
 *
 * failure->rank is -1 if the ranks are lost. Then a rank with an error returns
 * it and keeps its code and text; another one returns why the ranks are lost,
 * and its text is "". After an error of its own a rank waits at most 4 seconds,
 * with a text at most 2, so that it can still report why. */
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_agree(
    lcl_ranks *ranks, enum lcl_status own, struct lcl_ranks_failure *failure);

/* all + r * bytes = the `bytes` bytes at `own` of rank r, on all ranks;
 * collective. The first bytes are therefore a broadcast of rank 0. `own` may be
 * a part of `all`. LCL_EINVAL on all ranks if `bytes` differs between them. For
 * numbers and short texts: each rank has room for all bytes twice. */
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_gather(lcl_ranks *ranks,
                                                       const void *own,
                                                       size_t bytes, void *all);

/* Between the whole vectors of rank 0 and the parts of all ranks, in both
 * directions; collective. `whole` is not used on other ranks. The rows of ranks
 * may overlap: scattered, each rank gets them; gathered, those of the highest
 * rank count; other rows of `whole` stay. LCL_EINVAL on all ranks, before
 * anything moves, for negative numbers, rows outside of the vector, sizes that
 * do not fit the memory, arrays that are NULL, and `total` or `columns` that
 * differ between ranks. */
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_scatter_rows(
    lcl_ranks *ranks, const struct lcl_ranks_rows *rows, const double *whole,
    double *part);
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_gather_rows(
    lcl_ranks *ranks, const struct lcl_ranks_rows *rows, const double *part,
    double *whole);

/* What follows has a communicator of its own: an error does not end `ranks`, so
 * that lcl_ranks_agree() can spread its message. Inside a call, once the ranks
 * have been connected, a rank waits at most 25 seconds for another one, or as
 * many as LEVELCL_RANK_TIMEOUT says (0: without a limit): then all ranks that
 * still answer return LCL_EDEVICE, and the log names the rank that did not. Of
 * the library only the thread that calls it calls MPI, so that
 * MPI_THREAD_SINGLE suffices. */

/* The rows of the calling rank, by lcl_rows_share(), of a square matrix in a
 * file that all ranks can read; collective. Of a plain Matrix Market file each
 * rank reads a part of the lines and sends the entries to the ranks that own
 * their rows, so that none holds the whole matrix; of other files each rank
 * reads as lcl_rows_read() does. Ownership and statuses as lcl_rows_read();
 * LCL_EINVAL also if the ranks name files that differ, which each checks with
 * one other rank unless they are compressed, or if their block differs;
 * LCL_EDEVICE for an error of MPI or of another rank. An error on one rank is
 * an error on all; where the reason is one rank's, that rank's log has it. */
LCL_NODISCARD LCL_API enum lcl_status lcl_ranks_read_rows(
    struct lcl_rows *out, const lcl_ranks *ranks, const char *path, int block,
    const struct lcl_log *log);

/* An operator of which the calling rank has the rows A, on the device of ctx;
 * the ranks, in their order, have all rows of the matrix, at least one each. A
 * need live only until the call returns; its columns are those of the whole
 * matrix. If `ranks` was made from a communicator of the caller, it need live
 * no longer. Collective, like everything that is made from the operator or
 * called with it: all ranks make the same calls with the same parameters; where
 * numbers in them differ, operators, preconditioners and solvers are refused
 * with LCL_EINVAL and a sentence that names the number, on all ranks. A vector
 * is the rank's part of it, in host memory, and so are values of
 * lcl_operator_update(). A preconditioner is one for each rank's own rows and
 * columns, with one coarse correction of all ranks and overlap across them.
 * Sums are in the order of the ranks, so that all of them get the same bits and
 * end a solve in the same iteration; the monitor of rank 0 decides for all.
 * Destroy the operator on all ranks, before MPI_Finalize(), which may wait for
 * ever after an error of a rank that does not answer: call lcl_ranks_abort()
 * then.
 *
 * Returns as lcl_operator_create(); LCL_EFORMAT also for rows that leave gaps
 * or overlap; LCL_EDEVICE also for an error of MPI or of another rank. An error
 * on one rank is an error on all; where the reason is one rank's, that rank's
 * log has it. On error *out is NULL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_ranks(
    lcl_operator **out, lcl_context *ctx, const lcl_ranks *ranks,
    const struct lcl_rows *A, const struct lcl_operator_params *params);

/* The same for a Kronecker system, of which the rank has block rows; a vector
 * is the rank's part of it, one stage after the other. New values are taken by
 * lcl_operator_update_kron_rows(). LCL_EINVAL also for stages, a block size, A,
 * B or tau that differ between ranks. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_kron_ranks(
    lcl_operator **out, lcl_context *ctx, const lcl_ranks *ranks,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params);

LCL_END_DECLS

#endif
