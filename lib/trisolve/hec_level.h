// SPDX-License-Identifier: BSD-3-Clause
// State of hec_level and hec_wait, and its memory.
#pragma once

#include "lib/trisolve/hec_triangle.h"
#include "lib/trisolve/trisolve.h"

// Memory of an entry of the factors: value, column and source, in the rows of
// the factorisation and again in a triangle.
enum { LCL_LEVEL_ENTRY_BYTES = 2 * (8 + 4 + 4) };

struct lcl_hec_level {
    struct lcl_hec_triangle lower, upper;
    lcl_buffer *x; // rows + 1, in the order of the levels; the last one is 0
};
