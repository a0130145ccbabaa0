// SPDX-License-Identifier: BSD-3-Clause
// Splitting of the rows of a matrix into coarse and fine ones on the device
// (PMIS: De Sterck, Yang, Heys, 2006), for classical multigrid.
#pragma once

#include "lib/multilevel/strength.h"

// Row i depends on row j /= i, the coupling (i, j) is strong, if -s a_ij > 0
// and -s a_ij >= theta max_k(-s a_ik), s the sign of a_ii (1 for 0).
struct lcl_splitting_params {
    double theta; // 0 selects 0.25
};

struct lcl_splitting {
    int64_t n, nnz;
    int64_t count;        // number of coarse rows
    lcl_buffer *strong;   // nnz, uint8: 1 for strong couplings
    lcl_buffer *negative; // n, uint8: 1 if s < 0
    // n, int32: number of a coarse row, ascending with the rows; -1 for fine
    // rows
    lcl_buffer *coarse;
};

// No two coarse rows depend on each other. A fine row depends on a coarse row,
// or no row depends on it. Rows without strong couplings on which no row
// depends, with or without other couplings, are fine and have nothing to
// interpolate from: their rows of a prolongation are empty and smoothing alone
// treats them. Reads a counter every few rounds, then the number of coarse
// rows. A has block size 1; params may be NULL. Returns LCL_OK,
// LCL_EUNSUPPORTED (blocks), LCL_ESELFTEST (the device computes impossible
// results), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *S is
// all zero.
enum lcl_status lcl_splitting_init(struct lcl_splitting *S, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_splitting_params *params);
void lcl_splitting_finish(struct lcl_splitting *S);
