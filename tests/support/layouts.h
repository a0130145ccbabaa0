// SPDX-License-Identifier: BSD-3-Clause
// Random matrices in layouts of a caller, and what they mean.
#pragma once

#include <levelcl/layout.h>

#include <stdbool.h>

struct test_layout {
    struct lcl_layout L;
    int64_t *row_ptr;
    int32_t *row_ptr32, *row, *col;
    int64_t values; // in all arrays, which are one: val
    double *val;
};

// Takes type, triangle, order, block_size, base, rows, cols and nnz of L.
// Positions repeat; the diagonal dominates if each row is listed (LDU).
// `lower`: LDU has its own. `wide`: row pointers of 64 bits.
void test_layout_init(struct test_layout *T, const struct lcl_layout *L,
                      bool lower, bool wide, unsigned seed);
void test_layout_finish(struct test_layout *T);

// Other values, of which the diagonal of LDU dominates.
void test_layout_renew(struct test_layout *T, unsigned seed);

// The matrix by rows, freed by the caller, of a complex one the real form: each
// entry of L added in the order of its arrays.
double *test_layout_dense(const struct test_layout *T);
