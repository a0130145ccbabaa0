// SPDX-License-Identifier: BSD-3-Clause
// Looking into host matrices.
#pragma once

#include <levelcl/matrix.h>

// Where entry (i, j) of A is stored, or -1: columns of a row ascend.
int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j);
