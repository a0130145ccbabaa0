// SPDX-License-Identifier: BSD-3-Clause
// Checks of and searches in host matrices.
#pragma once

#include <levelcl/matrix.h>

// Checks rows, cols and nnz of A only; otherwise as below.
enum lcl_status lcl_csr_check_counts(const struct lcl_csr *A, const char *what,
                                     const struct lcl_log *log);

// Checks all of A except its values; messages call the matrix `what`. Returns
// LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_csr_check_pattern(const struct lcl_csr *A, const char *what,
                                      const struct lcl_log *log);

// Checks all of A except its columns and values. Returns LCL_OK, LCL_EINVAL or
// LCL_EFORMAT.
enum lcl_status lcl_csr_check_rows(const struct lcl_csr *A,
                                   const struct lcl_log *log);

// The last of `rows` rows that starts at or before entry k, 0 if none does.
int64_t lcl_row_of(const int64_t *row_ptr, int64_t rows, int64_t k);

// The row of entry k of A.
int64_t lcl_csr_row_of(const struct lcl_csr *A, int64_t k);

// Position of the first of the ascending numbers `from` to to-1 that is >=
// value, or `to`.
int64_t lcl_seek(const int32_t *sorted, int64_t from, int64_t to,
                 int64_t value);

// Position of the first entry of row i with column >= j, or the start of the
// next row.
int64_t lcl_csr_seek(const struct lcl_csr *A, int64_t i, int64_t j);

// Position of entry (i, j) of A, or -1; columns of a row must ascend.
int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j);

// inverse[perm[i]] = i for i < n
void lcl_permutation_invert(int32_t *inverse, const int32_t *perm, int64_t n);

// B = A with rows and columns in the new numbering, where row i is row perm[i]
// of A, and sorted columns (Mehta et al., Algorithm 3.2). Entry k of B is entry
// map[k] of A; *map has nnz elements and the caller frees it with lcl_free().
// A may have no values.
enum lcl_status lcl_csr_reorder(struct lcl_csr *B, int64_t **map,
                                const struct lcl_csr *A, const int32_t *perm,
                                const struct lcl_log *log);
