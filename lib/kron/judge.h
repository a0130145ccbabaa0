// SPDX-License-Identifier: BSD-3-Clause
// lib/operator/judge.h for Kronecker systems, cl/kron/kron_judge.cl.
#pragma once

#include "lib/kron/boundary.h"
#include "lib/operator/judge.h"

// op.judge of all methods.
enum lcl_status lcl_kron_judge(lcl_operator *A, const struct lcl_judged *v);

// The boundary rows, once the ghosts of H are there; the arguments are those of
// lcl_kron_boundary_apply().
enum lcl_status lcl_kron_judge_boundary(const struct lcl_kron_boundary *B,
                                        const struct lcl_halo *H,
                                        const lcl_buffer *coef,
                                        const struct lcl_judged *v);
