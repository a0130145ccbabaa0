// SPDX-License-Identifier: BSD-3-Clause
// Unordered lists of entries, as files store them, and their conversion to CSR.
#pragma once

#include <levelcl/matrix.h>

// Entry (row, col) = val, zero-based.
struct lcl_entry {
    int32_t row;
    int32_t col;
    double val;
};

// Which part of the matrix the entries describe: all of it, one triangle of a
// symmetric or Hermitian matrix, or the strict triangle of a skew-symmetric
// one.
enum lcl_symmetry {
    LCL_SKEW_SYMMETRIC = -1,
    LCL_GENERAL = 0,
    LCL_SYMMETRIC = 1,
    LCL_HERMITIAN = 2, // of complex matrices; real ones are symmetric
};

// A list; all zero is empty.
struct lcl_entries {
    struct lcl_entry *at;
    int64_t count;
};

void lcl_entries_finish(struct lcl_entries *E);

// Builds A from E: expands the other triangle, sorts, and sums duplicates in
// list order. A->rows and A->cols are set, the rest of *A is zero. *duplicates
// is the number of list entries that were summed into an earlier one. A sum may
// overflow. On error the caller frees the arrays that A holds. Returns LCL_OK
// or LCL_ENOMEM.
enum lcl_status lcl_csr_from_entries(struct lcl_csr *A,
                                     const struct lcl_entries *E,
                                     enum lcl_symmetry symmetry,
                                     int64_t *duplicates,
                                     const struct lcl_log *log);

// Sorts the columns of each row of A and sums duplicates in their order.
// *duplicates counts the entries that were added to an earlier one; of the two
// images of an entry of a symmetric matrix it counts the lower one only.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_csr_order(struct lcl_csr *A, enum lcl_symmetry symmetry,
                              int64_t *duplicates, const struct lcl_log *log);
