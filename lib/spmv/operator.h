// SPDX-License-Identifier: BSD-3-Clause
// The inside of an operator.
#pragma once

#include "lib/precond/system.h"

struct lcl_operator {
    lcl_context *ctx;
    struct lcl_system system;
    struct lcl_operator_info info;
    uint64_t pattern;  // lcl_kron_pattern(), where it was made of a lcl_kron
    lcl_buffer *x, *y; // for vectors of the caller, made when first needed
};

// An enum that is out of range, a block size that cannot be. Returns LCL_OK or
// LCL_EINVAL.
enum lcl_status lcl_operator_check_params(const struct lcl_operator_params *p,
                                          const struct lcl_log *log);
