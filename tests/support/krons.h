// SPDX-License-Identifier: BSD-3-Clause
// Small systems in Kronecker form with random values.
#pragma once

#include <levelcl/kron.h>
#include <levelcl/solver.h>

enum test_kron_patterns {
    TEST_KRON_EQUAL, // M and L have the same pattern
    TEST_KRON_NEAR,  // L lacks a few blocks
    TEST_KRON_FAR,   // patterns have little in common
    TEST_KRON_CHAIN, // both block tridiagonal
    TEST_KRON_PATTERNS,
};

struct test_kron {
    struct lcl_kron K; // refer to the following
    struct lcl_bsr M, L;
    double A[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    double B[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
};

// About `rows` block rows with blocks of b rows and dominant diagonal blocks. T
// must not move.
void test_kron_init(struct test_kron *T, int stages, int b, int64_t rows,
                    enum test_kron_patterns patterns);
// The same with the patterns of p for M and of q for L.
void test_kron_of(struct test_kron *T, int stages, int b,
                  const struct lcl_csr *p, const struct lcl_csr *q);
void test_kron_finish(struct test_kron *T);

// New values on the same patterns.
void test_kron_change(struct test_kron *T);

// The block rows first .. first + rows - 1 of K. Must not move.
struct test_kron_part {
    struct lcl_kron_rows K; // refers to the following
    struct lcl_rows M, L;
};
void test_kron_part_init(struct test_kron_part *part, const struct lcl_kron *K,
                         int64_t first, int64_t rows);
void test_kron_part_finish(struct test_kron_part *part);

// The explicit matrix; the caller finishes it.
struct lcl_csr test_kron_whole(const struct lcl_kron *K);

// All product types.
enum { TEST_KRON_TYPES = 3 };
extern const enum lcl_kron_type test_kron_types[TEST_KRON_TYPES];

// All preconditioners, with several subdomains.
#define TEST_KRON_PARTS                                                        \
 .partition = {                                                                \
     .type = LCL_PARTITION_NATURAL,                                            \
     .rows = 20,                                                               \
 }
enum { TEST_KRON_METHODS = 4 };
extern const struct lcl_precond_params test_kron_methods[TEST_KRON_METHODS];

// Creates a preconditioner of K and checks its info; failures here fail the
// test.
lcl_precond *test_kron_precond(lcl_context *ctx, const struct lcl_kron *K,
                               const struct lcl_precond_params *params,
                               enum lcl_kron_type type);

// Fails unless a solver finds a known solution.
void test_kron_expect_solved(lcl_precond *M, const struct lcl_kron *K,
                             enum lcl_solver_type type);
