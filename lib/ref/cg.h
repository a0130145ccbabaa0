// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned CG (Hestenes and Stiefel 1952).
#pragma once

#include <levelcl/matrix.h>

struct lcl_ref_cg {
    void (*apply)(void *user, const double *r, double *z); // z = M^-1 r
    void *user;
    double rtol;
    int max_iters;
    double *history; // max_iters + 1: ||r|| / ||b|| after each iteration
    int iterations;  // set: history[iterations] is the last element written
};

// Solves A x = b from the given x for symmetric definite A and M.
// Returns LCL_OK (the recurrence met rtol), LCL_ITERATION_LIMIT, LCL_BREAKDOWN
// (<p, A p> or <r, M^-1 r> is not positive), LCL_NOT_FINITE or LCL_ENOMEM.
enum lcl_status lcl_ref_cg(struct lcl_ref_cg *K, const struct lcl_csr *A,
                           const double *b, double *x);
