// SPDX-License-Identifier: BSD-3-Clause
// Reference of the block-Jacobi preconditioner.
#pragma once

#include "lib/dense/supervariable.h"

#include <levelcl/precond.h>

#include <stdbool.h>

struct lcl_ref_block_jacobi {
    int64_t blocks;
    const int32_t *ptr; // of the blocks
    int64_t *at;        // start of each block in `inverse`, blocks + 1
    double *inverse;    // dense row-major blocks, contiguous
    double *norm;       // ||D_p||, maximum norms
    double *norm_inverse;
    bool *bad; // blocks without a finite inverse: replaced by the inverse of
               // the diagonal, 1 for entries without one
};

// Creates the reference for the blocks of A, which must outlive the struct.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_block_jacobi_init(
    struct lcl_ref_block_jacobi *J, const struct lcl_csr *A,
    const struct lcl_diagonal_blocks *blocks);
void lcl_ref_block_jacobi_finish(struct lcl_ref_block_jacobi *J);

// x = D^-1 b with the values of block p rounded to storage[p].
void lcl_ref_block_jacobi_apply(const struct lcl_ref_block_jacobi *J,
                                const enum lcl_factor_storage *storage,
                                const double *b, double *x);

// The shortest format that block p admits; see LCL_FACTOR_STORAGE_ADAPTIVE.
enum lcl_factor_storage lcl_ref_block_storage(
    const struct lcl_ref_block_jacobi *J, int64_t p);
