// SPDX-License-Identifier: BSD-3-Clause
// The boundary rows of a distributed Kronecker operator (cl/kron/kron_halo.cl).
#pragma once

#include "lib/kron/rows.h"
#include "lib/storage/halo.h"

struct lcl_kron_boundary {
    // Entry k of the plan's boundary rows is block of_m[k] of M and of_l[k] of
    // L; -1: the matrix lacks it.
    int64_t *of_m, *of_l;
    lcl_buffer *row, *row_ptr, *col, *val;
    lcl_kernel *kernel;
};

// Creates B without values. `both` is the pattern of the plan of H. Returns
// LCL_OK, LCL_ERANGE, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *B is
// fit for lcl_kron_boundary_finish() in any case.
enum lcl_status lcl_kron_boundary_init(struct lcl_kron_boundary *B,
                                       const struct lcl_halo *H,
                                       const struct lcl_kron_rows *K,
                                       const struct lcl_rows *both);
void lcl_kron_boundary_finish(struct lcl_kron_boundary *B);

uint64_t lcl_kron_boundary_bytes(const struct lcl_kron_boundary *B);

// Copies the values of the rank's rows.
enum lcl_status lcl_kron_boundary_update(struct lcl_kron_boundary *B,
                                         const struct lcl_kron_rows *K);

// Enqueues the boundary rows of y, after the ghosts of H have arrived. `coef`
// are the coefficients of the operator of the own columns.
enum lcl_status lcl_kron_boundary_apply(const struct lcl_kron_boundary *B,
                                        const struct lcl_halo *H,
                                        const lcl_buffer *coef,
                                        const struct lcl_operands *v);
