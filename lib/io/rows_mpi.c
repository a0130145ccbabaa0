// SPDX-License-Identifier: BSD-3-Clause
// Rows of a file that the ranks of a communicator of MPI read together.
#include "lib/io/ranks_rows.h"

#include <levelcl/mpi.h>

enum lcl_status lcl_rows_read_mpi(struct lcl_rows *out, MPI_Comm comm,
                                  const char *path, int block,
                                  const struct lcl_log *log)
{
    return lcl_rows_read_on(out, &comm, path, block, log, "lcl_rows_read_mpi");
}
