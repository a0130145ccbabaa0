// SPDX-License-Identifier: BSD-3-Clause
// Small matrices for tests. Free each with test_csr_finish(); running out of
// memory fails the test.
#pragma once

#include <levelcl/matrix.h>

// About `per_row` random off-diagonal entries in each row, with values in [-1,
// 1), and a diagonal that exceeds their sum. The pattern is not symmetric. The
// same seed gives the same matrix on every machine.
struct lcl_csr test_random_csr(int64_t n, double per_row, unsigned seed);

// The same for a seed of its own, with half the diagonal.
struct lcl_csr test_loose_csr(int64_t n, double per_row);

// Up to 6 entries per row, every seventh row empty; columns near the diagonal
// and far from it, on both sides. Values in [-1, 1).
struct lcl_csr test_stretched_csr(int64_t rows, int64_t cols, unsigned seed);

// 7-point Laplacian on nx x ny x nz cells, x fastest: 6 and -1. With nz = 1 the
// pattern is a 5-point stencil.
struct lcl_csr test_laplacian(int64_t nx, int64_t ny, int64_t nz);

// The graph Laplacian plus 0.05 of nx x ny points, whose squares one of both
// diagonals divides at random.
struct lcl_csr test_triangulation(int64_t nx, int64_t ny);

// The matrix with `unknowns` rows per row of A and a full block for every
// entry.
struct lcl_csr test_expand_blocks(const struct lcl_csr *A, int64_t unknowns);

// A block of random values in [-1, 1) for each entry of A; freed with
// test_bsr_finish().
struct lcl_bsr test_random_blocks(const struct lcl_csr *A, int block_size,
                                  unsigned seed);

// n rows from a dense row-major array, in which 0 means not stored.
struct lcl_csr test_csr_from_dense(int64_t n, const double *dense);

// Row i is coupled to four rows of lower numbers, the lowest most often: a few
// rows have most couplings.
struct lcl_csr test_power_law(int64_t n);

// The identity.
struct lcl_csr test_identity(int64_t n);

// A diagonal, and a full row `row`, whose column is empty otherwise.
struct lcl_csr test_dense_row(int64_t n, int64_t row);

// A with one row and one column more: their entries are `row` and `column` and
// meet in `corner`. What is 0 is not stored. Takes A over.
struct lcl_csr test_bordered(struct lcl_csr A, double row, double column,
                             double corner);

// A and B as diagonal blocks of one matrix. Takes both over.
struct lcl_csr test_joined(struct lcl_csr A, struct lcl_csr B);

// Chunks of `part` rows. The first and last 1 + p rows of chunk p store two of
// three columns between them at random, the first row all of them; the other
// rows have only the diagonal, which exceeds the sum of its row.
struct lcl_csr test_long_rows(int64_t parts, int64_t part, unsigned seed);

// Rows with the given lengths, up to `cols`, with ones spread over all columns.
struct lcl_csr test_rows_of_lengths(int64_t rows, int64_t cols,
                                    const int64_t *length);

// A random permutation, freed with free().
int32_t *test_random_permutation(int64_t n, unsigned seed);

// The entry (i, j), or 0 if it is not stored.
double test_entry(const struct lcl_csr *A, int64_t i, int64_t j);

// The next number of a sequence in [0, 1), the same on every machine.
double test_random(uint64_t *state);

void test_csr_finish(struct lcl_csr *A);
void test_bsr_finish(struct lcl_bsr *A);

// A problem of the library by name.
struct lcl_csr test_problem(const char *name);

// 8 rows with a zero in the middle of the elimination, a tiny and a missing
// diagonal, all in the first of two subdomains; the second has regular pivots.
struct lcl_csr test_bad_pivots(void);
