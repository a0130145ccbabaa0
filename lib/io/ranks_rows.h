// SPDX-License-Identifier: BSD-3-Clause
// The ranks of MPI read one file together.
#pragma once

#include <levelcl/matrix.h>

// As lcl_rows_read_mpi() on the MPI_Comm at `mpi`; messages name `function`.
enum lcl_status lcl_rows_read_on(struct lcl_rows *out, const void *mpi,
                                 const char *path, int block,
                                 const struct lcl_log *log,
                                 const char *function);
