// SPDX-License-Identifier: BSD-3-Clause
// The transpose of a Kronecker system, A^T (x) M^T + tau B^T (x) L^T, by the
// same type of product: functions of struct lcl_operator_ops.
#pragma once

#include "lib/kron/kron.h"

// Statuses as lcl_operator_create_kron(); LCL_EUNSUPPORTED (2^32 blocks or
// more).
enum lcl_status lcl_kron_transpose(lcl_operator *A);

// Copies the coefficients and values of A to A->transposed.op. Returns LCL_OK
// or LCL_EDEVICE.
enum lcl_status lcl_kron_transpose_values(const lcl_operator *A);
