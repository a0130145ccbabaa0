// SPDX-License-Identifier: BSD-3-Clause
// The transpose of a Kronecker system, A^T (x) M^T + tau B^T (x) L^T.
#pragma once

#include "lib/operator/kron.h"

// T->op = the transpose of A, lcl_kron_of(A), with its present values and in
// its numbering, by the same type of product. On error the caller finishes *T.
// Statuses as lcl_operator_create_kron(); LCL_EUNSUPPORTED (2^32 blocks or
// more).
enum lcl_status lcl_kron_transpose(struct lcl_transposed *T,
                                   const lcl_operator *A);

// Gives T->op the present values and coefficients of A. Returns LCL_OK or
// LCL_EDEVICE.
enum lcl_status lcl_kron_transpose_values(const struct lcl_transposed *T,
                                          const lcl_operator *A);
