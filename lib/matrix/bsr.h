// SPDX-License-Identifier: BSD-3-Clause
// Between matrices of entries and matrices of blocks.
#pragma once

#include <levelcl/matrix.h>

#include <math.h>

// A block is so many values.
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

// A as blocks of one entry, on A's arrays.
static inline struct lcl_bsr lcl_bsr_of_csr(const struct lcl_csr *A)
{
    return (struct lcl_bsr){A->rows,    A->cols,    A->nnz, 1,
                            A->row_ptr, A->col_ind, A->val};
}

// Which blocks are stored, on A's arrays: one entry a block. Its values are
// those of the matrix where block_size is 1, and else not to be looked at.
static inline struct lcl_csr lcl_bsr_pattern(const struct lcl_bsr *A)
{
    return (struct lcl_csr){A->rows,    A->cols,    A->nnz,
                            A->row_ptr, A->col_ind, A->val};
}

// lcl_bsr_from_csr() that also says where A's entries went: entry k is
// out->val[(*place)[k]]. *place is the caller's to free with lcl_free(); NULL
// on error.
enum lcl_status lcl_bsr_from_csr_placed(struct lcl_bsr *out, int64_t **place,
                                        const struct lcl_csr *A, int block_size,
                                        const struct lcl_log *log);
