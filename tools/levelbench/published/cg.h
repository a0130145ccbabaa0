// SPDX-License-Identifier: BSD-3-Clause
// The published loop of CG in plain sequential C, and in fp32 on the device.
#pragma once

#include "lib/spmv/binned.h"

struct cg_loop {
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
enum lcl_status cpu_loop_fp64(struct cg_loop *loop, const struct lcl_csr *A,
                              const double *b);
// The same with all numbers in fp32, without the condition.
enum lcl_status cpu_loop_fp32(struct cg_loop *loop, const struct lcl_csr *A,
                              const double *b);

// The same on the device, with the row-binned product. Returns LCL_OK or the
// statuses of lcl_binned_init() and of launches.
enum lcl_status cg_loop_fp32(struct cg_loop *loop, lcl_context *ctx,
                             const struct lcl_csr *A, const double *b,
                             enum lcl_binned_rows rows);
