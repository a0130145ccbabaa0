// SPDX-License-Identifier: BSD-3-Clause
// Inverses of diagonal blocks on the device compared with the reference.
#pragma once

#include "lib/dense/block_inverse.h"
#include "lib/dense/slab.h"
#include "lib/ref/block_jacobi.h"

struct test_diagonal {
    lcl_context *ctx;
    struct lcl_device_matrix matrix;
    struct lcl_block_inverse inverse;
    struct lcl_ref_block_jacobi reference;
    struct lcl_block_counts counts; // after test_diagonal_run()
    struct lcl_slab *slabs;         // likewise
    uint32_t *slab_of;              // slab of each block
};

// Initialises *T for `blocks` of A, which is stored in blocks of `block` rows.
// Both must outlive *T.
void test_diagonal_init(struct test_diagonal *T, lcl_context *ctx,
                        const struct lcl_csr *A, int block,
                        const struct lcl_diagonal_blocks *blocks,
                        const struct lcl_block_inverse_params *params);
// The same with 64-bit row pointers.
void test_diagonal_init_wide(struct test_diagonal *T, lcl_context *ctx,
                             const struct lcl_csr *A,
                             const struct lcl_diagonal_blocks *blocks,
                             const struct lcl_block_inverse_params *params);
void test_diagonal_finish(struct test_diagonal *T);

// Inverts; every byte of the values is 0xff before.
void test_diagonal_run(struct test_diagonal *T);

// Position of entry (i, j) of block p among the values.
int64_t test_diagonal_place(const struct test_diagonal *T, int64_t p, int i,
                            int j);

// All values at their positions in fp64 storage, freed with free().
double *test_diagonal_values(const struct test_diagonal *T);

// Entry (i, j) of each block, row-major, block after block, for any storage;
// freed with free().
double *test_diagonal_entries(const struct test_diagonal *T);

// The storage format of block p.
enum lcl_factor_storage test_diagonal_storage(const struct test_diagonal *T,
                                              int64_t p);

// Random blocks of up to `most` rows, freed with lcl_diagonal_blocks_finish().
struct lcl_diagonal_blocks test_random_diagonal(int64_t n, int most,
                                                unsigned seed);

// Matrices of n rows by their pattern: arrow, tridiagonal, dense diagonal
// blocks, scattered, one dense row, every second diagonal entry missing. All
// but the last are diagonally dominant.
enum { TEST_STRUCTURES = 6 };
struct lcl_csr test_structure(int kind, int64_t n);

// A band of random numbers without a diagonal.
struct lcl_csr test_pivoting(int64_t n, unsigned seed);
