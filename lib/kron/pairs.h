// SPDX-License-Identifier: BSD-3-Clause
// Two block matrices with interleaved values, on the union of their patterns.
#pragma once

#include <levelcl/matrix.h>

#include <stddef.h>

// Number of blocks in the union of both patterns.
int64_t lcl_pairs_count(const struct lcl_bsr *M, const struct lcl_bsr *L);

// Creates the union of both patterns, `count` blocks, without values. On
// success the caller owns *out and frees it with lcl_bsr_finish(). Returns
// LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_pairs_pattern(struct lcl_bsr *out, const struct lcl_bsr *M,
                                  const struct lcl_bsr *L, int64_t count,
                                  const struct lcl_log *log);

// Writes block k of A to every second value from `out` on; zeros if k is -1.
void lcl_pairs_put(double *out, const struct lcl_bsr *A, int64_t k);

// Interleaved entries (r, c) of block k: value 2 ((k b + r) b + c) belongs to
// M, the next one to L; 0 if the matrix lacks the block. `row_ptr` is that of
// the union.
struct lcl_pairs {
    const struct lcl_bsr *M, *L;
    const int64_t *row_ptr;
};

// Bytes of the interleaved values of one block.
size_t lcl_pairs_size(const struct lcl_bsr *A);

// An lcl_fill_fn whose elements are the interleaved values of one block; arg:
// struct lcl_pairs.
void lcl_pairs_fill(void *arg, int64_t first, int64_t count, void *to);
