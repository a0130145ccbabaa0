// SPDX-License-Identifier: BSD-3-Clause
// The ranks of MPI read one file together.
#include "host/log.h"
#include "lib/comm/mpi.h"
#include "lib/comm/ranks.h"
#include "lib/io/shared.h"

enum lcl_status lcl_ranks_read_rows(struct lcl_rows *out,
                                    const lcl_ranks *ranks, const char *path,
                                    int block, const struct lcl_log *log)
{
    struct lcl_comm *C;
    if (!ranks || !out || !path)
        return lcl_misuse(log, "lcl_ranks_read_rows: an argument is NULL");
    *out = (struct lcl_rows)LCL_ROWS_INIT;
    enum lcl_status st = lcl_mpi_comm_create(&C, lcl_ranks_mpi(ranks), log);
    if (st == LCL_OK)
        st = lcl_rows_read_shared(out, path, block, C);
    lcl_mpi_comm_destroy(&C);
    return st;
}
