// SPDX-License-Identifier: BSD-3-Clause
// Residuals in quadruple precision, the reference of verdicts.
#pragma once

#include <levelcl/kron.h>

__extension__ typedef __float128 quad;

static inline quad quad_abs(quad v)
{
    return v < 0 ? -v : v;
}

// r = b - A x and size = |A| |x| + |b|, A->rows each.
void test_quad_residual(quad *r, quad *size, const struct lcl_csr *A,
                        const double *x, const double *b);
// The same for a Kronecker system, whose coefficients tau b_ij are rounded.
void test_quad_kron_residual(quad *r, quad *size, const struct lcl_kron *K,
                             const double *x, const double *b);

// ||b - A x||_2 <= tolerance, exactly so.
bool test_quad_within(const struct lcl_csr *A, const double *x, const double *b,
                      double tolerance);
