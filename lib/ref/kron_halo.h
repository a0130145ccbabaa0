// SPDX-License-Identifier: BSD-3-Clause
// Reference of the boundary rows of a distributed Kronecker operator.
#pragma once

#include <levelcl/kron.h>

// Elements (i, j) of a vector: row i of stage j is v[i by_row + j by_stage].
struct lcl_ref_stages {
    double *v;
    int64_t by_row, by_stage;
};

// Block row row[r] of y becomes block row r of (A (x) M + tau B (x) L) x, for
// all rows r of M and L. Their columns below n are blocks of x, the others are
// ghosts.
void lcl_ref_kron_halo(const struct lcl_kron *K, const int32_t *row, int64_t n,
                       struct lcl_ref_stages x, struct lcl_ref_stages ghost,
                       struct lcl_ref_stages y);
