// SPDX-License-Identifier: BSD-3-Clause
// Rows of `parts`, which verify.cl writes and the host adds up.
#pragma once

#define VERIFY_HIGH     0 // the sum of |scale r_i|^POWER
#define VERIFY_LOW      1 // and what rounding left of it
#define VERIFY_LARGEST  2 // the largest |r_i|
#define VERIFY_BACKWARD 3 // the largest backward_i
#define VERIFY_BAD_R    4 // how many r_i are not finite
#define VERIFY_BAD_X    5 // how many x_i are not finite
#define VERIFY_ROWS     6
