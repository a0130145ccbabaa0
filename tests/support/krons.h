// SPDX-License-Identifier: BSD-3-Clause
// Small systems in Kronecker form with random values.
#pragma once

#include <levelcl/kron.h>

enum test_kron_patterns {
    TEST_KRON_EQUAL, // M and L have one pattern
    TEST_KRON_NEAR,  // L lacks a few blocks
    TEST_KRON_FAR,   // patterns have little in common
    TEST_KRON_CHAIN, // blocks next to the diagonal in both
    TEST_KRON_PATTERNS,
};

struct test_kron {
    struct lcl_kron K; // on the following
    struct lcl_bsr M, L;
    double A[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    double B[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
};

// About `rows` block rows of blocks of b, diagonal blocks dominating. T must
// not move.
void test_kron_init(struct test_kron *T, int stages, int b, int64_t rows,
                    enum test_kron_patterns patterns);
void test_kron_finish(struct test_kron *T);
