// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned pipelined CG (Ghysels and Vanroose 2014).
#pragma once

#include "lib/ref/cg.h"

// The vectors of an iteration: v = A m, m = M^-1 w; the others as in the paper.
struct lcl_ref_pipelined {
    int64_t n;
    double *v, *m, *z, *q, *s, *p, *x, *r, *u, *w;
};

// <r, u>, <w, u> and <r, r>
struct lcl_ref_pipelined_dots {
    double ru, wu, rr;
};

struct lcl_ref_pipelined_dots lcl_ref_cg_pipelined_dots(
    const struct lcl_ref_pipelined *V);

// z = v + beta z,  q = m + beta q,  s = w + beta s,  p = u + beta p,
// r = r - alpha s,  u = u - alpha q,  w = w - alpha z
// after x = x + step p with the p before.
void lcl_ref_cg_pipelined_update(struct lcl_ref_pipelined *V, double beta,
                                 double alpha, double step);

// As lcl_ref_cg(), by Algorithm 4.
enum lcl_status lcl_ref_cg_pipelined(struct lcl_ref_cg *K,
                                     const struct lcl_csr *A, const double *b,
                                     double *x);
