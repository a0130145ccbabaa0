// SPDX-License-Identifier: BSD-3-Clause
// Solvers on several devices: one on each rank, which run the same method.
#pragma once

#include "lib/krylov/krylov.h"

// A solver for an operator with parts on several devices. Statuses as
// lcl_solver_create(); on an error the caller destroys *out.
enum lcl_status lcl_team_solver_create(lcl_solver **out, lcl_operator *A,
                                       lcl_precond *M,
                                       const struct lcl_solver_params *params);
void lcl_team_solver_finish(lcl_solver *S);

// Arguments and statuses of lcl_solver_solve().
enum lcl_status lcl_team_solver_solve(lcl_solver *S, const double *b, double *x,
                                      struct lcl_report *report);
