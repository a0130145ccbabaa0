// SPDX-License-Identifier: BSD-3-Clause
// The residual of lib/operator/judge.h for Kronecker systems
// (cl/kron/kron_judge.cl).
#pragma once

#include "lib/kron/boundary.h"
#include "lib/operator/judge.h"

// The `judge` of the operators of all methods.
enum lcl_status lcl_kron_judge(lcl_operator *A, const struct lcl_judged *v);

// Adds the boundary rows, after the ghosts of H have arrived; arguments as for
// lcl_kron_boundary_apply().
enum lcl_status lcl_kron_judge_boundary(const struct lcl_kron_boundary *B,
                                        const struct lcl_halo *H,
                                        const lcl_buffer *coef,
                                        const struct lcl_judged *v);
