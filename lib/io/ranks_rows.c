// SPDX-License-Identifier: BSD-3-Clause
// The ranks of MPI read one file together.
#include "lib/io/ranks_rows.h"

#include "host/log.h"
#include "lib/comm/mpi.h"
#include "lib/comm/ranks.h"
#include "lib/io/shared.h"

enum lcl_status lcl_rows_read_on(struct lcl_rows *out, const void *mpi,
                                 const char *path, int block,
                                 const struct lcl_log *log,
                                 const char *function)
{
    struct lcl_comm *C;
    if (!out || !path)
        return lcl_misuse(log, "%s: an argument is NULL", function);
    *out = (struct lcl_rows)LCL_ROWS_INIT;
    enum lcl_status st = lcl_mpi_comm_create(&C, mpi, log);
    if (st == LCL_OK)
        st = lcl_rows_read_shared(out, path, block, C);
    lcl_mpi_comm_destroy(&C);
    return st;
}

enum lcl_status lcl_ranks_read_rows(struct lcl_rows *out,
                                    const lcl_ranks *ranks, const char *path,
                                    int block, const struct lcl_log *log)
{
    static const char function[] = "lcl_ranks_read_rows";
    if (!ranks)
        return lcl_misuse(log, "%s: ranks is NULL", function);
    return lcl_rows_read_on(out, lcl_ranks_mpi(ranks), path, block, log,
                            function);
}
