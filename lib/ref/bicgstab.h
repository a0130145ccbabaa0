// SPDX-License-Identifier: BSD-3-Clause
// Reference of BiCGSTAB (van der Vorst 1992), right-preconditioned.
#pragma once

#include <levelcl/matrix.h>

struct lcl_ref_bicgstab {
    void (*apply)(void *user, const double *r, double *z); // z = M^-1 r
    void *user;
    double rtol;
    int max_iters;
    double *history; // max_iters + 1: ||r|| / ||b|| after each iteration
    int iterations;  // set: history[iterations] is the last element written
};

// Solves A x = b from the given x, without restarts. Returns LCL_OK (the
// recurrence met rtol), LCL_ITERATION_LIMIT, LCL_BREAKDOWN, LCL_NOT_FINITE or
// LCL_ENOMEM.
enum lcl_status lcl_ref_bicgstab(struct lcl_ref_bicgstab *K,
                                 const struct lcl_csr *A, const double *b,
                                 double *x);
