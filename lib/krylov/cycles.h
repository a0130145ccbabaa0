// SPDX-License-Identifier: BSD-3-Clause
// Runs cycles of a method from one true residual to the next.
#pragma once

#include "lib/krylov/krylov.h"

// Removes the component of S->b that A cannot reach, S->norm_removed, where A
// has a null space. Computes S->norm_b of S->b as ||b - A 0||, so that it is
// summed in the same order as all residuals; 0: nothing but rounding is left.
// Sets S->at_zero: who gives S->x other values clears it.
enum lcl_status lcl_krylov_measure_b(struct lcl_solver *S);

// The steps of lcl_krylov_run(), for solves of several columns.

// Whether LCL_NORM_ROWS is asked for or the values of A suggest it.
bool lcl_krylov_is_by_rows(const struct lcl_solver *S);
// Resets the counters and the history of a solve.
void lcl_krylov_begin(struct lcl_solver *S);
// CG with a coarse correction: selects the form that is symmetric for the
// current values of A, on all ranks.
enum lcl_status lcl_krylov_choose_form(struct lcl_solver *S);
// Sets the targets from the parameters, S->norm_b and S->start_rr.
void lcl_krylov_set_target(struct lcl_solver *S);
// Returns the reason to stop after a cycle that began with ||r||^2 = before, by
// its true residual S->rr, or NONE to restart.
enum lcl_stop lcl_krylov_judge(const struct lcl_solver *S, double before);

// Solves from S->b, whose norm must be known, and S->x; S->stop holds the
// reason for ending. Returns LCL_OK, LCL_EUNSUPPORTED (not symmetric, where the
// method requires it), LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_krylov_run(struct lcl_solver *S);
