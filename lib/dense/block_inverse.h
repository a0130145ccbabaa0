// SPDX-License-Identifier: BSD-3-Clause
// The inverses of the dense diagonal blocks of a sparse matrix on the device:
// found in one launch (block_jacobi.cl), applied in one (block_apply.cl).
#pragma once

#include "lib/dense/supervariable.h"
#include "lib/operator/spmv.h"

#include <levelcl/precond.h>

struct lcl_block_inverse_params {
    enum lcl_block_extraction extraction;
    enum lcl_block_apply apply;
    enum lcl_factor_storage storage;
};

// What the device counted in the last inversion.
struct lcl_block_counts {
    int32_t bad;        // blocks without an inverse
    int32_t fp32, bf16; // blocks stored so
};

struct lcl_block_inverse {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_block_inverse_params params; // no DEFAULT
    int64_t blocks, slabs, values;
    int rows_max; // of a block
    lcl_kernel *invert, *narrow, *product;
    int64_t invert_groups, product_groups;
    lcl_buffer *ptr, *slab_of, *slab, *norms, *bad, *counts;
    lcl_buffer *inverse;             // values of the slabs; with SPMV NULL:
    struct lcl_device_matrix sparse; // those of the sparse matrix
    struct lcl_spmv with_sparse;     // products
};

// For the blocks of A, which outlives the struct; nothing is inverted yet.
// Returns LCL_OK; LCL_EUNSUPPORTED (SPMV and another storage than FP64); else
// statuses as lcl_precond_create().
enum lcl_status lcl_block_inverse_init(
    struct lcl_block_inverse *V, const struct lcl_device_matrix *A,
    lcl_context *ctx, const struct lcl_diagonal_blocks *blocks,
    const struct lcl_block_inverse_params *params);
void lcl_block_inverse_finish(struct lcl_block_inverse *V);

// Enqueues extraction, inversion and insertion for the values that A has now.
enum lcl_status lcl_block_inverse_run(struct lcl_block_inverse *V);

// Waits for that. Blocks without an inverse have become their diagonals.
enum lcl_status lcl_block_inverse_counts(const struct lcl_block_inverse *V,
                                         struct lcl_block_counts *counts);

// The first of `most` rows at which it was seen that blocks have no inverse, a
// row a block. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_block_inverse_bad_rows(const struct lcl_block_inverse *V,
                                           int64_t *rows, int most);

// Enqueues x = D^-1 b for two vectors that differ. Nothing happens where
// element `at` of `stop` (int32) is not 0.
enum lcl_status lcl_block_inverse_apply(const struct lcl_block_inverse *V,
                                        const lcl_buffer *b, lcl_buffer *x,
                                        const lcl_buffer *stop, int at);

// Of what is kept on the device for the application.
uint64_t lcl_block_inverse_bytes(const struct lcl_block_inverse *V);
