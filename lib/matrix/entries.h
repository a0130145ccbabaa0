// SPDX-License-Identifier: BSD-3-Clause
// Entries in any order, as files store them, and the CSR matrix they make.
#pragma once

#include <levelcl/matrix.h>

// Entry (row, col) = val, zero-based.
struct lcl_entry {
    int32_t row;
    int32_t col;
    double val;
};

// What the entries stand for: themselves, one triangle of a symmetric matrix,
// or the strict triangle of a skew-symmetric one.
enum lcl_symmetry {
    LCL_SKEW_SYMMETRIC = -1,
    LCL_GENERAL = 0,
    LCL_SYMMETRIC = 1,
};

// A list that grows with what is put into it. All zero is empty.
struct lcl_entries {
    struct lcl_entry *at;
    int64_t count;
    int64_t capacity;
};

void lcl_entries_finish(struct lcl_entries *E);

// Makes A from E: expands the other triangle, sorts, and sums entries of the
// same place in the order of the list. A->rows and A->cols are set, the rest
// of *A is zero. *duplicates counts the entries of the list that were summed
// into an earlier one. A sum may overflow. On error the arrays that A
// holds are the caller's to free. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_csr_from_entries(struct lcl_csr *A,
                                     const struct lcl_entries *E,
                                     enum lcl_symmetry symmetry,
                                     int64_t *duplicates,
                                     const struct lcl_log *log);
