// SPDX-License-Identifier: BSD-3-Clause
// A matrix of a level of a V-cycle, in fp32 or bf16 and scaled to a unit
// diagonal (cl/multilevel/cycle.cl.h, cycle.cl).
#pragma once

#include "host/program.h"
#include "lib/storage/matrix.h"
#include "lib/vector/operands.h"

#include <levelcl/precond.h>

// What a matrix does: between levels, P goes upwards and R down.
enum lcl_cycle_kind { LCL_CYCLE_LEVEL, LCL_CYCLE_UPWARDS, LCL_CYCLE_DOWN };

// What a launch computes (cycle.cl.h); each step is a kernel of its own.
enum lcl_cycle_step {
    LCL_CYCLE_FIRST,
    LCL_CYCLE_RESIDUAL,
    LCL_CYCLE_AGAIN,
    LCL_CYCLE_LAST,
    LCL_CYCLE_RESTRICT,
    LCL_CYCLE_PROLONG,
    LCL_CYCLE_BEFORE,
    LCL_CYCLE_RAISE,
    LCL_CYCLE_STEPS,
};

struct lcl_cycle_matrix {
    const struct lcl_device_matrix *D;
    enum lcl_cycle_kind kind;
    enum lcl_factor_storage storage; // FP32; of a LEVEL also BF16
    lcl_buffer *val;                 // blocks, float or bf16
    lcl_buffer *rest; // rows, float: what bf16 takes from the row sums; NULL
    lcl_kernel *store, *steps[LCL_CYCLE_STEPS];
    int64_t groups;
};

// The vectors of a step, in fp32; a step that needs only some ignores the
// others. lambda holds one fp64, and may not be NULL.
struct lcl_cycle_vectors {
    const lcl_buffer *lambda, *b, *x, *y;
    lcl_buffer *out;
};

// D must outlive *M. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; *M is fit for lcl_cycle_matrix_finish() in any case.
enum lcl_status lcl_cycle_matrix_init(struct lcl_cycle_matrix *M,
                                      lcl_context *ctx,
                                      const struct lcl_device_matrix *D,
                                      enum lcl_cycle_kind kind,
                                      enum lcl_factor_storage storage);
void lcl_cycle_matrix_finish(struct lcl_cycle_matrix *M);
uint64_t lcl_cycle_matrix_bytes(const struct lcl_cycle_matrix *M);

// Enqueues the conversion of the values of D, scaled by t of the rows and of
// the columns (fp64). Adds to lost[at] (uint32) the number of those that fp32
// cannot hold; for BF16, raises it to the bits of the largest sum of absolute
// rounding errors of a row (float).
enum lcl_status lcl_cycle_store(const struct lcl_cycle_matrix *M,
                                const lcl_buffer *t_row,
                                const lcl_buffer *t_col, lcl_buffer *lost,
                                int at);

// Bytes that a step moves at least.
double lcl_cycle_step_bytes(const struct lcl_cycle_matrix *M,
                            enum lcl_cycle_step step);

// Enqueues a step, unless the flag of `v` is set: with a matrix of kind LEVEL
// but for RESTRICT (DOWN), PROLONG and RAISE (UPWARDS).
enum lcl_status lcl_cycle_step(const struct lcl_cycle_matrix *M,
                               enum lcl_cycle_step step,
                               const struct lcl_cycle_vectors *vectors,
                               const struct lcl_operands *v);
