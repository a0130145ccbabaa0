// SPDX-License-Identifier: BSD-3-Clause
// A permutation and scalings that bring large entries to the diagonal.
#pragma once

#include <levelcl/matrix.h>

struct lcl_limit; // host/limit.h

// The transversal of a square matrix: one entry of each row and each column.
struct lcl_transversal {
    int64_t n;
    int32_t *column; // that of row i is a_ij, j = column[i]
    // Powers of two: |r_i a_ij c_j| is at most 2, and at least 1/2 on the
    // transversal.
    double *row_scale, *column_scale;
};

// Finds a transversal with the largest product of absolute values (Duff and
// Koster, SIAM J. Matrix Anal. Appl. 22 (2001), section 4; option 5 of MC64):
// shortest augmenting paths in the costs log2(max_k |a_ik| / |a_ij|), whose
// dual variables are the scalings. Returns LCL_OK; LCL_EPIVOT (every
// transversal has a zero: the matrix is singular); LCL_ECANCELLED, if `limit`
// is not NULL; LCL_ENOMEM. On error *T is empty.
enum lcl_status lcl_transversal_find(struct lcl_transversal *T,
                                     const struct lcl_csr *A,
                                     const struct lcl_limit *limit,
                                     const struct lcl_log *log);
void lcl_transversal_finish(struct lcl_transversal *T);
