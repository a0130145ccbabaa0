// SPDX-License-Identifier: BSD-3-Clause
// Reference of sparse products and of transposition.
#pragma once

#include <levelcl/matrix.h>

// C = A B with ascending columns; sums are in the order of k, by fma(). Entries
// that cancel stay. A->cols = B->rows. Returns LCL_OK or LCL_ENOMEM; the caller
// frees *C with lcl_csr_finish() in any case.
enum lcl_status lcl_ref_spgemm(struct lcl_csr *C, const struct lcl_csr *A,
                               const struct lcl_csr *B,
                               const struct lcl_log *log);

// T = A^T; entry k of T is entry (*map)[k] of A, and the caller frees *map with
// lcl_free(). Otherwise as above.
enum lcl_status lcl_ref_transpose(struct lcl_csr *T, int64_t **map,
                                  const struct lcl_csr *A,
                                  const struct lcl_log *log);

// Block k of y is the transpose of block map[k] of x, for n blocks of `block`
// rows.
void lcl_ref_transpose_values(double *y, const double *x, const int32_t *map,
                              int64_t n, int block);
