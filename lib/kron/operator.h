// SPDX-License-Identifier: BSD-3-Clause
// Functions that the Kronecker operators of all methods share.
#pragma once

#include "lib/kron/judge.h"
#include "lib/kron/transposed.h"

// The struct lcl_operator_ops of a method that applies by `function`.
#define LCL_KRON_OPERATOR(function)                                            \
 {                                                                             \
  .apply = (function), .judge = lcl_kron_judge,                                \
  .update_kron = lcl_kron_operator_update, .transpose = lcl_kron_transpose,    \
  .transpose_values = lcl_kron_transpose_values,                               \
  .destroy = lcl_kron_operator_destroy                                         \
 }

// lcl_operator_update_kron()
enum lcl_status lcl_kron_operator_update(lcl_operator *A,
                                         const struct lcl_kron *K);
void lcl_kron_operator_destroy(lcl_operator *A);
