// SPDX-License-Identifier: BSD-3-Clause
// The Radau IIA methods. Source: Hairer and Wanner, "Solving Ordinary
// Differential Equations II", 2nd ed. (1996), section IV.5.
#pragma once

enum { LCL_RADAU_MAX = 9 };

// Computes the nodes c_0 < ... < c_{s-1} = 1 and the s x s Butcher matrix,
// row-major, for 1 <= s <= LCL_RADAU_MAX.
void lcl_radau(int s, double *c, double *matrix);
