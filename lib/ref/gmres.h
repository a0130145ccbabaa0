// SPDX-License-Identifier: BSD-3-Clause
// Reference of GMRES(m) (Saad and Schultz, SIAM J. Sci. Stat. Comput. 7, 1986)
// and FGMRES(m) (Saad, SIAM J. Sci. Comput. 14, 1993), right-preconditioned,
// with classical Gram-Schmidt applied twice.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

struct lcl_ref_gmres {
    void (*apply)(void *user, const double *r, double *z); // z = M^-1 r
    void *user;
    int restart;   // m >= 1; n if that is less
    bool flexible; // x + Z y with the stored Z = M^-1 V
    double rtol;
    int max_iters;   // products with A
    double *history; // max_iters + 1: ||r|| / ||b|| after each product
    int iterations;  // set: history[iterations] is the last element written
    int restarts;
    bool exhausted; // the space could not grow: nu = 0
};

// Solves A x = b from the given x. Returns LCL_OK (the recurrence met rtol),
// LCL_ITERATION_LIMIT, LCL_BREAKDOWN (exhausted, and A M^-1 is singular),
// LCL_NOT_FINITE or LCL_ENOMEM; x is the iterate of the last residual.
enum lcl_status lcl_ref_gmres(struct lcl_ref_gmres *K, const struct lcl_csr *A,
                              const double *b, double *x);

// ------------------------------------------------------------------- parts
// V has columns of `ld` values, of which the first n are used.

// h = V^T w for k columns
void lcl_ref_gmres_dots(int64_t n, int64_t ld, int k, const double *V,
                        const double *w, double *h);
// y = y + a V c for k columns
void lcl_ref_gmres_sum(int64_t n, int64_t ld, int k, double a, const double *V,
                       const double *c, double *y);

// Scalars of a cycle of at most m columns: R packed by columns.
struct lcl_ref_gmres_scalars {
    double *R, *cosine, *sine, *g; // m (m + 1) / 2, m, m, m + 1
};

// Computes column j of R from h (j + 1 coefficients) and nu below it: rotation
// j, g_j and g_{j+1}, whose magnitude is the residual norm. Returns the
// diagonal.
double lcl_ref_gmres_rotate(struct lcl_ref_gmres_scalars *s, int j,
                            const double *h, double nu);
// y = R^-1 g for k columns
void lcl_ref_gmres_solve(const struct lcl_ref_gmres_scalars *s, int k,
                         double *y);
