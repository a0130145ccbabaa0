// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests.
#pragma once

#include "lib/operator/operator.h"

#include <levelcl/solver.h>

// Whether the caller names something that only subdomains have.
bool lcl_wants_subdomains(const struct lcl_precond_params *p);

// Whether diagonal entries of A are 0 or missing; false for blocks.
bool lcl_lacks_diagonals(const lcl_operator *A);

// Replaces types that are DEFAULT, for an A with a matrix, by A->look; *reason
// is a sentence that says why.
void lcl_choose(struct lcl_precond_params *precond,
                struct lcl_solver_params *solver, const char **reason,
                const lcl_operator *A);
