// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators whose rows are distributed among the ranks of MPI.
#pragma once

#include <levelcl/kron.h>

// lcl_operator_create_kron_mpi() on the MPI_Comm at `mpi`; messages name
// `function`.
enum lcl_status lcl_operator_create_kron_on(
    lcl_operator **out, lcl_context *ctx, const void *mpi,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params,
    const char *function);
