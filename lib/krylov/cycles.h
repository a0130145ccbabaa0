// SPDX-License-Identifier: BSD-3-Clause
// Cycles of a method from one true residual to the next.
#pragma once

#include "lib/krylov/krylov.h"

// S->norm_b of S->b: ||b - A 0||, so that it is summed as all residuals are.
enum lcl_status lcl_krylov_measure_b(struct lcl_solver *S);

// Solves from S->b, whose norm is known, and S->x; S->stop tells why it ended.
// Returns LCL_OK, LCL_EUNSUPPORTED (not symmetric, where the method needs
// that), LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_krylov_run(struct lcl_solver *S);
