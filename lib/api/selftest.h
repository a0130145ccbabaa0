// SPDX-License-Identifier: BSD-3-Clause
// The known system that a device solves before it is trusted.
#pragma once

#include "host/runtime.h"

// Solves a small system with the default method and compares with the solution
// that is known. Returns LCL_OK, LCL_ESELFTEST (wrong result, in a plain
// sentence) or what went wrong on the way.
enum lcl_status lcl_self_test(lcl_context *ctx);
