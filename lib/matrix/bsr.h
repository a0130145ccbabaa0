// SPDX-License-Identifier: BSD-3-Clause
// Conversions between scalar (CSR) and block (BSR) matrices.
#pragma once

#include <levelcl/matrix.h>

#include <math.h>
#include <stdbool.h>

// Number of values per block.
static inline int lcl_block_values(const struct lcl_bsr *A)
{
    return A->block_size * A->block_size;
}

// The Frobenius norm of a block of `values` values.
static inline double lcl_block_norm(const double *block, int values)
{
    double sum = 0;
    for (int e = 0; e < values; ++e)
        sum += block[e] * block[e];
    return sqrt(sum);
}

// A view of A with 1 x 1 blocks, on A's arrays.
static inline struct lcl_bsr lcl_bsr_of_csr(const struct lcl_csr *A)
{
    return (struct lcl_bsr){A->rows,    A->cols,    A->nnz, 1,
                            A->row_ptr, A->col_ind, A->val};
}

// The block pattern, on A's arrays: one entry per block. Its values are the
// matrix's if block_size is 1; otherwise do not read them.
static inline struct lcl_csr lcl_bsr_pattern(const struct lcl_bsr *A)
{
    return (struct lcl_csr){A->rows,    A->cols,    A->nnz,
                            A->row_ptr, A->col_ind, A->val};
}

// Whether A consists of full b x b blocks, see lcl_csr_natural_block().
bool lcl_csr_has_blocks(const struct lcl_csr *A, int b);

// Whether b is a block size that divides both numbers: LCL_OK or LCL_EINVAL.
enum lcl_status lcl_block_size_check(int64_t rows, int64_t cols, int b,
                                     const struct lcl_log *log);

// lcl_bsr_from_csr() that also returns the positions of A's entries: entry k is
// out->val[(*place)[k]]. The caller frees *place with lcl_free(); NULL on
// error.
enum lcl_status lcl_bsr_from_csr_placed(struct lcl_bsr *out, int64_t **place,
                                        const struct lcl_csr *A, int block_size,
                                        const struct lcl_log *log);
