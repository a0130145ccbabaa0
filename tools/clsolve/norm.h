// SPDX-License-Identifier: BSD-3-Clause
// Norms of vectors of any scale.
#pragma once

#include <stdint.h>

// ||x||_2, also where squares of entries of x are 0 or infinite.
double norm_2(const double *x, int64_t n);
