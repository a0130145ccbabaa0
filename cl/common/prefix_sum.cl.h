// SPDX-License-Identifier: BSD-3-Clause
// What the prefix sums of vector.cl add up, shared with the host.
#pragma once

enum {
    LCL_SUM_NUMBERS, // in[i]
    LCL_SUM_LEADERS, // 1 where vertex i has no lower mate in[i]
    LCL_SUM_USED,    // 1 where in[i] is not 0
};
