// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILUT(p, tol) on subdomains.
#pragma once

#include "lib/factor/pattern.h"
#include "lib/partition/subdomains.h"

struct lcl_ilut {
    int p;           // p >= 1
    double tol;      // >= 0
    bool comparison; // the values are magnitudes: take those of couplings as
                     // negative
};

// Makes the pattern of ILUT (Saad, Iterative Methods for Sparse Linear Systems,
// 2003, Section 10.4.1) of the square A with the values `val` on each part of
// P, in the order of the part. Row i of L D and of U keeps the p largest
// entries each that are at least tol times the 2-norm of row i of A in the
// part, and the diagonal; of equal entries, those of smaller columns. A pivot
// below 1e-10 times the largest entry of its row is replaced by that bound.
// Statuses as lcl_ilu_pattern().
enum lcl_status lcl_ilut_pattern(struct lcl_host_pattern *H,
                                 const struct lcl_csr *A, const double *val,
                                 const struct lcl_subdomains *P,
                                 const struct lcl_ilut *params,
                                 const struct lcl_fill_limit *limit,
                                 const struct lcl_log *log);
