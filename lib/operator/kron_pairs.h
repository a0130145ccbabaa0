// SPDX-License-Identifier: BSD-3-Clause
// Two matrices of blocks with their values next to each other, on a pattern
// that holds both.
#pragma once

#include <levelcl/matrix.h>

#include <stddef.h>

// Blocks of the union of both patterns.
int64_t lcl_pairs_count(const struct lcl_bsr *M, const struct lcl_bsr *L);

// The union of `count` blocks, without values. On success the caller owns *out
// and finishes it with lcl_bsr_finish(). Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_pairs_pattern(struct lcl_bsr *out, const struct lcl_bsr *M,
                                  const struct lcl_bsr *L, int64_t count,
                                  const struct lcl_log *log);

// Block k of A as every second value from `out` on, zeros for block -1.
void lcl_pairs_put(double *out, const struct lcl_bsr *A, int64_t k);

// Entry (r, c) of block k of both: value 2 ((k b + r) b + c) is of M, the next
// one of L, 0 where the matrix lacks the block. `row_ptr` is that of the union.
struct lcl_pairs {
    const struct lcl_bsr *M, *L;
    const int64_t *row_ptr;
};

// Bytes of the pairs of a block.
size_t lcl_pairs_size(const struct lcl_bsr *A);

// An lcl_fill_fn whose elements are the pairs of a block; arg: struct
// lcl_pairs.
void lcl_pairs_fill(void *arg, int64_t first, int64_t count, void *to);
