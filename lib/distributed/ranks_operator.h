// SPDX-License-Identifier: BSD-3-Clause
// Operators whose rows are distributed among the ranks of MPI.
#pragma once

#include "lib/comm/comm.h"

#include <levelcl/operator.h>
#include <levelcl/ranks.h>

// Common start of functions that create an operator from A on the ranks, which
// must not be NULL; as lcl_operator_begin(), but another argument that is wrong
// on one rank is refused on all. On error *comm is NULL.
enum lcl_status lcl_ranks_operator_begin(
    struct lcl_comm **comm, lcl_operator **out, lcl_context *ctx,
    const lcl_ranks *ranks, const void *A, const char *function,
    const struct lcl_operator_params **params);

// Common end of these functions: A owns C if st is LCL_OK, else C is destroyed.
// Returns st.
enum lcl_status lcl_ranks_operator_end(lcl_operator *A, struct lcl_comm *C,
                                       enum lcl_status st);
