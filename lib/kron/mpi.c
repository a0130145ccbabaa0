// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators on a communicator of MPI.
#include "lib/kron/ranks.h"

#include <levelcl/mpi.h>

enum lcl_status lcl_operator_create_kron_mpi(
    lcl_operator **out, lcl_context *ctx, MPI_Comm comm,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params)
{
    return lcl_operator_create_kron_on(out, ctx, &comm, K, params,
                                       "lcl_operator_create_kron_mpi");
}
