// SPDX-License-Identifier: BSD-3-Clause
// Operators on a communicator of MPI.
#include "lib/distributed/ranks_operator.h"

#include <levelcl/mpi.h>

enum lcl_status lcl_operator_create_mpi(
    lcl_operator **out, lcl_context *ctx, MPI_Comm comm,
    const struct lcl_rows *A, const struct lcl_operator_params *params)
{
    return lcl_operator_create_on(out, ctx, &comm, A, params,
                                  "lcl_operator_create_mpi");
}
