// SPDX-License-Identifier: BSD-3-Clause
// Looking into host matrices.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Where entry (i, j) of A is stored, or -1: columns of a row ascend.
int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j);

// Whether none is NaN or infinite.
bool lcl_all_finite(const double *val, int64_t count);
