// SPDX-License-Identifier: BSD-3-Clause
// Runs cycles of a method from one true residual to the next.
#pragma once

#include "lib/krylov/krylov.h"

// Removes the component of S->b that A cannot reach, S->norm_removed, where A
// has a null space. Computes S->norm_b of S->b as ||b - A 0||, so that it is
// summed in the same order as all residuals; 0: nothing but rounding is left.
enum lcl_status lcl_krylov_measure_b(struct lcl_solver *S);

// Solves from S->b, whose norm must be known, and S->x; S->stop holds the
// reason for ending. Returns LCL_OK, LCL_EUNSUPPORTED (not symmetric, where the
// method requires it), LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_krylov_run(struct lcl_solver *S);
