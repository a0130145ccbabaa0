// SPDX-License-Identifier: BSD-3-Clause
// State of hec_level, for tests.
#pragma once

#include "lib/trisolve/hec_triangle.h"
#include "lib/trisolve/trisolve.h"

struct lcl_hec_level {
    struct lcl_hec_triangle lower, upper;
    lcl_buffer *x; // rows + 1, in the order of the levels; the last one is 0
};
