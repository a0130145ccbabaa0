// SPDX-License-Identifier: BSD-3-Clause
// The inside of an operator.
#pragma once

#include "lib/operator/system.h"

struct lcl_operator {
    lcl_context *ctx;
    struct lcl_system system;
    struct lcl_operator_info info;
    uint64_t pattern;  // lcl_kron_pattern(), where it was made of a lcl_kron
    lcl_buffer *x, *y; // for vectors of the caller, made when first needed
};

// What all functions that create one of A begin with: *out is NULL, params that
// are NULL become the defaults, arguments and parameters are checked. Returns
// LCL_OK or LCL_EINVAL.
enum lcl_status lcl_operator_begin(lcl_operator **out, const lcl_context *ctx,
                                   const void *A, const char *function,
                                   const struct lcl_operator_params **params);
