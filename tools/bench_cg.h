// SPDX-License-Identifier: BSD-3-Clause
// The published loop of CG in plain sequential C.
#pragma once

#include <levelcl/matrix.h>

struct cpu_loop {
    double tolerance; // of ||r||
    int max_iters;
    // Results.
    int iterations;
    double seconds;
    double condition; // see below; 0: unknown
};

// Solves A x = b from x = 0 in fp64. `condition` is the ratio of the extreme
// eigenvalues of the tridiagonal matrix of the coefficients of CG: from below,
// an estimate of the condition number of A in norm 2. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status cpu_loop_fp64(struct cpu_loop *loop, const struct lcl_csr *A,
                              const double *b);
// The same with all numbers in fp32, without the condition.
enum lcl_status cpu_loop_fp32(struct cpu_loop *loop, const struct lcl_csr *A,
                              const double *b);
