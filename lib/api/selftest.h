// SPDX-License-Identifier: BSD-3-Clause
// The self-test of a device: solves a system with a known solution.
#pragma once

#include "host/runtime.h"

// Solves a small system with the default method and compares the result with
// the known solution. Returns LCL_OK, LCL_ESELFTEST (wrong result; logs a
// message) or the error of a step.
enum lcl_status lcl_self_test(lcl_context *ctx);
