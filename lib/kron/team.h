// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators on several devices of one process.
#pragma once

#include "lib/distributed/team_operator.h"

#include <levelcl/kron.h>

// Creates an operator with a part on each context. K is in the caller's
// numbering, checked; rows of *D are block rows, and the function owns *D, also
// on error. Returns as lcl_kron_distributed_create(); on error *out is NULL.
enum lcl_status lcl_kron_team_create(lcl_operator **out,
                                     lcl_context *const *ctx,
                                     const struct lcl_kron *K,
                                     struct lcl_distribution *D,
                                     const struct lcl_operator_params *params);
