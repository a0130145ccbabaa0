// SPDX-License-Identifier: BSD-3-Clause
// CG for several columns at once: products and preconditioner make one pass
// over their data for all of them. The kernels are in cl/krylov/cg_columns.cl.
#pragma once

#include "lib/krylov/pipeline.h"
#include "lib/vector/interleaved.h"

enum { LCL_COLUMNS_MOST = 8 };

// All buffers hold interleaved columns.
struct lcl_cg_columns {
    lcl_solver *S; // of the caller
    int columns;   // 2, 4 or 8
    // The solver that the pipeline runs: x, r, b, and the largest ||r_q||^2 /
    // ||b_q||^2.
    struct lcl_solver joint;
    // The history, targets and stop reason of each column; no buffers.
    struct lcl_solver column[LCL_COLUMNS_MOST];
    bool open[LCL_COLUMNS_MOST];  // takes part in a cycle
    int before[LCL_COLUMNS_MOST]; // iterations before the cycle
    lcl_operator A, M, start;     // interleaved
    struct lcl_interleaved vectors;
    struct lcl_pipeline pipeline;
    lcl_kernel *beta, *p_kernel, *alpha, *r_kernel;
    lcl_buffer *p, *v;
    lcl_buffer *z;    // NULL: M = I, z is r
    lcl_buffer *dots; // partial sums of <p, v>
    lcl_buffer *rz;   // rz_groups partial sums of <r, z>; others may follow
    int rz_groups;
    lcl_buffer *limits; // of each column: target, weight of ||r||^2
    double *host_sums;
};

// Whether the method, the norm and the null space of S admit columns at once.
bool lcl_cg_columns_suit(const lcl_solver *S);

// Sets up for the operators that S uses now, which must keep their values.
// Returns LCL_OK; LCL_EUNSUPPORTED without a message if one of them has no form
// for columns; or another error of lcl_operator_interleave(). *K is fit for
// lcl_cg_columns_finish() in any case; the histories of columns are the
// caller's.
enum lcl_status lcl_cg_columns_init(struct lcl_cg_columns *K, lcl_solver *S,
                                    int columns);
void lcl_cg_columns_finish(struct lcl_cg_columns *K);

// R = B - A X; rr[q] = ||r_q||^2. Blocking.
enum lcl_status lcl_cg_columns_residual(struct lcl_cg_columns *K,
                                        const lcl_buffer *X, double *rr);

// X = X + start (B - A X) in the open columns above their target.
enum lcl_status lcl_cg_columns_correct(struct lcl_cg_columns *K);

// One cycle for the open columns, from R: sets their stop reasons and appends
// to their histories.
enum lcl_status lcl_cg_columns_cycle(struct lcl_cg_columns *K);
