// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned MINRES (Paige and Saunders 1975).
#pragma once

#include <levelcl/matrix.h>

struct lcl_ref_minres {
    void (*apply)(void *user, const double *r, double *z); // z = M^-1 r
    void *user;
    double rtol;
    int max_iters;
    double *history; // max_iters + 1: ||b - A x|| / ||b|| after each iteration
    int iterations;  // set: history[iterations] is the last element written
};

// Solves A x = b from the given x for symmetric A and positive definite M.
// Returns LCL_OK (the residual met rtol), LCL_ITERATION_LIMIT, LCL_BREAKDOWN
// (<v, M^-1 v> is negative, or the Krylov space is exhausted),
// LCL_NOT_FINITE or LCL_ENOMEM.
enum lcl_status lcl_ref_minres(struct lcl_ref_minres *K,
                               const struct lcl_csr *A, const double *b,
                               double *x);
