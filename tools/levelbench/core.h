// SPDX-License-Identifier: BSD-3-Clause
// Baseline of levelbench on the host: products, triangular solves and GMRES(m)
// in plain sequential C, compiled with -O2 in all builds.
#pragma once

#include <levelcl/solver.h>

// y = A x
void core_multiply(const struct lcl_csr *A, const double *x, double *y);

// Factors L D U of all subdomains, L and U with unit diagonals that are not
// stored.
struct core_factors {
    struct lcl_csr L, U;
    double *inv_d;
    int64_t n; // rows of the vectors
    // If subdomains overlap, otherwise NULL:
    int32_t *row;  // of the vectors, for each row of the factors
    int32_t *from; // for each row of the vectors, the row of the factors that
                   // belongs to the subdomain that owns it
    double *x;     // a vector of the factors
};

// y = M^-1 x; overlapping subdomains as in restricted additive Schwarz.
void core_apply(const struct core_factors *M, const double *x, double *y);

struct core_gmres {
    const struct lcl_csr *A;
    const struct core_factors *M;
    int restart;
    double rtol;
    int max_iters;
    void (*restarted)(void *user, int iterations, double residual); // or NULL
    void *user;
    int iterations;  // set: products with A, without those of residuals
    double residual; // set: ||b - A x|| / ||b||
};

// Solves A x = b from x = 0 by GMRES(m), right-preconditioned, with modified
// Gram-Schmidt. Returns LCL_OK if the true residual is within rtol,
// LCL_ITERATION_LIMIT, LCL_BREAKDOWN (the Krylov space is exhausted without a
// solution), LCL_NOT_FINITE or LCL_ENOMEM.
enum lcl_status core_gmres(struct core_gmres *K, const double *b, double *x);
