// SPDX-License-Identifier: BSD-3-Clause
// The rows of one rank.
#pragma once

#include <levelcl/matrix.h>

#define LCL_ROWS_MAX (INT64_C(1) << 50)

// Which rows: those of `rank` of `size` ranks, by lcl_rows_share().
struct lcl_share {
    int block, rank, size;
};

// Refuses ranks and blocks that cannot be. Returns LCL_OK or LCL_EINVAL.
enum lcl_status lcl_share_check(const struct lcl_share *share,
                                const struct lcl_log *log);

// Sets first, rows and total; the arrays are NULL. Returns LCL_OK, or
// LCL_EINVAL: more ranks than blocks.
enum lcl_status lcl_rows_init(struct lcl_rows *R, int64_t total,
                              const struct lcl_share *share,
                              const struct lcl_log *log);

// Allocates the arrays. Returns LCL_OK or LCL_ENOMEM; on error the caller
// finishes R.
enum lcl_status lcl_rows_allocate(struct lcl_rows *R, int64_t nnz,
                                  const struct lcl_log *log);

// Copies the rows of a rank from the whole matrix. Returns LCL_OK, LCL_EFORMAT
// (A is not square), LCL_EINVAL or LCL_ENOMEM; on error the caller finishes R.
enum lcl_status lcl_rows_of_rank(struct lcl_rows *R, const struct lcl_csr *A,
                                 const struct lcl_share *share,
                                 const struct lcl_log *log);

// Takes the arrays of A, whose rows are those of R. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_rows_adopt(struct lcl_rows *R, struct lcl_csr *A,
                               const struct lcl_log *log);
