// SPDX-License-Identifier: BSD-3-Clause
// Selection of the diagonal blocks of a matrix.
#pragma once

#include <levelcl/log.h>
#include <levelcl/matrix.h>
#include <levelcl/status.h>

struct lcl_diagonal_blocks {
    int64_t count;
    int32_t *ptr; // count + 1; block p is rows ptr[p] .. ptr[p + 1] - 1
    int rows_max; // maximum over the blocks
};

// Supervariable blocking as in Anzt, Dongarra, Flegar and Quintana-Orti
// ("Variable-size batched Gauss-Jordan elimination for block-Jacobi
// preconditioning on graphics processors"): consecutive rows with the same
// columns, and the rows of a block row, form a natural block, cut off at
// `bound` rows; then neighbours are merged from left to right while they have
// at most `bound` rows together. On success the caller owns *blocks. Returns
// LCL_OK, LCL_EINVAL (bound < 1) or LCL_ENOMEM.
enum lcl_status lcl_supervariables(struct lcl_diagonal_blocks *blocks,
                                   const struct lcl_bsr *A, int bound,
                                   const struct lcl_log *log);

// Uses blocks supplied by the caller: `count` pointers that ascend strictly
// from 0 to n, with at most `limit` rows between neighbours. Returns LCL_OK,
// LCL_EINVAL (the message names the first wrong pointer) or LCL_ENOMEM.
enum lcl_status lcl_diagonal_blocks_from_ptr(struct lcl_diagonal_blocks *blocks,
                                             const int64_t *ptr, int64_t count,
                                             int64_t n, int limit,
                                             const struct lcl_log *log);
void lcl_diagonal_blocks_finish(struct lcl_diagonal_blocks *blocks);

// The part of A inside the blocks.
struct lcl_diagonal_share {
    int64_t entries;
    int64_t missing_diagonals; // entries (i, i) that are not stored
};
struct lcl_diagonal_share lcl_diagonal_blocks_share(
    const struct lcl_diagonal_blocks *blocks, const struct lcl_bsr *A);
