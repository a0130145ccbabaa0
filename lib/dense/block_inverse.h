// SPDX-License-Identifier: BSD-3-Clause
// The inverses of the dense diagonal blocks of a sparse matrix on the device:
// one launch computes them (block_jacobi.cl), one applies them
// (block_apply.cl).
#pragma once

#include "lib/dense/supervariable.h"
#include "lib/spmv/spmv.h"

#include <levelcl/precond.h>

struct lcl_block_inverse_params {
    enum lcl_block_extraction extraction;
    enum lcl_block_apply apply;
    enum lcl_factor_storage storage;
};

// Counters of the last inversion.
struct lcl_block_counts {
    int32_t bad;        // singular blocks
    int32_t fp32, bf16; // number of blocks stored in each format
};

struct lcl_block_inverse {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_block_inverse_params params; // DEFAULTs resolved
    int64_t blocks, slabs, values;
    int rows_max; // maximum over the blocks
    lcl_kernel *invert, *narrow, *product;
    int64_t invert_groups, product_groups;
    lcl_buffer *ptr, *slab_of, *slab, *norms, *bad, *counts;
    lcl_buffer *inverse;             // values of the slabs; NULL with SPMV:
    struct lcl_device_matrix sparse; // values as a sparse matrix,
    struct lcl_spmv with_sparse;     // and its products
};

// Initialises V for the blocks of A, which must outlive V; inverts nothing yet.
// Returns LCL_OK; LCL_EUNSUPPORTED (SPMV with a storage other than FP64);
// otherwise statuses as lcl_precond_create().
enum lcl_status lcl_block_inverse_init(
    struct lcl_block_inverse *V, const struct lcl_device_matrix *A,
    lcl_context *ctx, const struct lcl_diagonal_blocks *blocks,
    const struct lcl_block_inverse_params *params);
void lcl_block_inverse_finish(struct lcl_block_inverse *V);

// Enqueues extraction, inversion and insertion for the current values of A.
enum lcl_status lcl_block_inverse_run(struct lcl_block_inverse *V);

// Waits for the inversion and reads the counters. Singular blocks have been
// replaced by their diagonals.
enum lcl_status lcl_block_inverse_counts(const struct lcl_block_inverse *V,
                                         struct lcl_block_counts *counts);

// Fills `rows` with the rows, at most `most` and one per block, at which the
// inversion found blocks singular. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_block_inverse_bad_rows(const struct lcl_block_inverse *V,
                                           int64_t *rows, int most);

// Enqueues y = D^-1 x.
enum lcl_status lcl_block_inverse_apply(const struct lcl_block_inverse *V,
                                        const struct lcl_operands *v);

// Bytes kept on the device for the application.
uint64_t lcl_block_inverse_bytes(const struct lcl_block_inverse *V);
