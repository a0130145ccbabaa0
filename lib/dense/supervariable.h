// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a matrix make up its diagonal blocks.
#pragma once

#include <levelcl/log.h>
#include <levelcl/matrix.h>
#include <levelcl/status.h>

struct lcl_diagonal_blocks {
    int64_t count;
    int32_t *ptr; // count + 1; block p has the rows ptr[p] .. ptr[p + 1] - 1
    int rows_max; // of a block
};

// Supervariable blocking, as Anzt, Dongarra, Flegar and Quintana-Orti use it
// ("Variable-size batched Gauss-Jordan elimination for block-Jacobi
// preconditioning on graphics processors"): rows that follow each other and
// have the same columns, and the rows of a block row, are a natural block, cut
// off where it reaches `bound` rows; then, from left to right, neighbours are
// joined while they have `bound` rows at most. On success the caller owns
// *blocks.
// Returns LCL_OK, LCL_EINVAL (bound < 1) or LCL_ENOMEM.
enum lcl_status lcl_supervariables(struct lcl_diagonal_blocks *blocks,
                                   const struct lcl_bsr *A, int bound,
                                   const struct lcl_log *log);

// Takes blocks of the caller: `count` pointers that ascend strictly from 0 to
// n, no two of them more than `limit` apart.
// Returns LCL_OK, LCL_EINVAL (the message names the first pointer that is
// wrong) or LCL_ENOMEM.
enum lcl_status lcl_diagonal_blocks_take(struct lcl_diagonal_blocks *blocks,
                                         const int64_t *ptr, int64_t count,
                                         int64_t n, int limit,
                                         const struct lcl_log *log);
void lcl_diagonal_blocks_finish(struct lcl_diagonal_blocks *blocks);

// What of A is inside the blocks.
struct lcl_diagonal_share {
    int64_t entries;
    int64_t missing_diagonals; // entries (i, i) that are not stored
};
struct lcl_diagonal_share lcl_diagonal_blocks_share(
    const struct lcl_diagonal_blocks *blocks, const struct lcl_bsr *A);
