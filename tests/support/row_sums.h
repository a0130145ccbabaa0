// SPDX-License-Identifier: BSD-3-Clause
// Kernels that sum over the rows of a matrix, for their tests.
#pragma once

#include "host/program.h"

#include <levelcl/matrix.h>

// sum[q] = sum q of `count` by the source and kernel in `spec`, with teams of
// `lanes`, on three groups, whose partial sums were poisoned.
void test_row_sums(double *sum, int count, lcl_context *ctx,
                   struct lcl_spec spec, const struct lcl_bsr *A, bool wide,
                   int lanes);
