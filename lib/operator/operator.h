// SPDX-License-Identifier: BSD-3-Clause
// Internals of an operator.
#pragma once

#include "lib/operator/system.h"

struct lcl_operator {
    lcl_context *ctx;
    struct lcl_system system;
    struct lcl_operator_info info;
    uint64_t pattern;  // lcl_kron_pattern() if created from a lcl_kron
    lcl_buffer *x, *y; // for vectors of the caller, allocated on first use
};

// Common start of all functions that create an operator from A: sets *out to
// NULL, replaces NULL params by the defaults, checks arguments and parameters.
// Returns LCL_OK or LCL_EINVAL.
enum lcl_status lcl_operator_begin(lcl_operator **out, const lcl_context *ctx,
                                   const void *A, const char *function,
                                   const struct lcl_operator_params **params);
