// SPDX-License-Identifier: BSD-3-Clause
// The references of factorisation and triangular solve of blocks compared with
// the definition: on a full pattern ILU(0) is LU, so its solve is the inverse;
// and the references of the storage formats compared with known numbers.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/ref/ildu0_block.h"
#include "lib/ref/store.h"

#include <math.h>
#include <stdlib.h>

enum { N = 24 };

// The N / block block rows of a full matrix.
static double *to_blocks(const struct lcl_csr *A, int64_t block)
{
    double *blocks = calloc(N * N, sizeof *blocks);
    assert_non_null(blocks);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t j = 0; j < N; ++j) {
            const int64_t k = i / block * (N / block) + j / block;
            blocks[(k * block + i % block) * block + j % block] =
                test_entry(A, i, j);
        }
    return blocks;
}

static void expect_inverse(const struct lcl_csr *A, int block)
{
    const struct lcl_precond_params params = LCL_PRECOND_PARAMS_INIT;
    const int64_t part_ptr[] = {0, N / block};
    struct lcl_csr B = test_random_csr(N / block, N / block - 1, 2);
    struct lcl_ref_ildu0_block F;
    double *blocks = to_blocks(A, block), x[N], b[N];
    assert_int_equal(B.nnz, (N / block) * (N / block));
    assert_int_equal(
        lcl_ref_ildu0_block_init(&F, &B, blocks, block, part_ptr, 1, &params),
        LCL_OK);
    for (int i = 0; i < N; ++i)
        x[i] = i - 5;
    lcl_csr_multiply(A, x, b);
    lcl_ref_trisolve_block(&F, b, b);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(b[i] - x[i]) < 1e-12);
    assert_int_equal(F.repaired, 0);
    lcl_ref_ildu0_block_finish(&F);
    test_csr_finish(&B);
    free(blocks);
}

static void test_ildu0_block__full_patterns_are_inverted(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(N, N - 1, 1);
    for (int block = 1; block <= 8; ++block)
        if (N % block == 0)
            expect_inverse(&A, block);
    test_csr_finish(&A);
}

// y += M x
static void add_product(double *y, const double *M, const double *x)
{
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            y[r] += M[r * 3 + c] * x[c];
}

// b = L y with unit L, and x = D^-1 y, for blocks of 3.
static void multiply_lower(const struct lcl_ref_ildu0_block *F, const double *y,
                           double *b, double *x)
{
    const struct lcl_csr *B = F->B;
    for (int64_t i = 0; i < B->rows; ++i) {
        for (int r = 0; r < 3; ++r) {
            b[i * 3 + r] = y[i * 3 + r];
            x[i * 3 + r] = 0;
        }
        add_product(x + i * 3, F->inv_d + i * 9, y + i * 3);
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
            if (B->col_ind[k] < i)
                add_product(b + i * 3, F->val + k * 9,
                            y + (int64_t)B->col_ind[k] * 3);
    }
}

static void test_ildu0_block__lower_solves_undo_products(void **state)
{
    (void)state;
    const struct lcl_precond_params params = LCL_PRECOND_PARAMS_INIT;
    const int64_t part_ptr[] = {0, N / 3};
    struct lcl_csr A = test_random_csr(N, N - 1, 3);
    struct lcl_csr B = test_random_csr(N / 3, N / 3 - 1, 2);
    struct lcl_ref_ildu0_block F;
    double *blocks = to_blocks(&A, 3), y[N], b[N], x[N], got[N];
    assert_int_equal(
        lcl_ref_ildu0_block_init(&F, &B, blocks, 3, part_ptr, 1, &params),
        LCL_OK);
    for (int i = 0; i < N; ++i)
        y[i] = i - 5;
    multiply_lower(&F, y, b, x);
    lcl_ref_lower_block(&F, true, b, got);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(got[i] - x[i]) < 1e-12);
    lcl_ref_lower_block(&F, false, b, b);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(b[i] - y[i]) < 1e-12);
    lcl_ref_ildu0_block_finish(&F);
    test_csr_finish(&A);
    test_csr_finish(&B);
    free(blocks);
}

// Two pivots of the block are 0; each is replaced by tol times the largest
// entry.
static void test_ildu0_block__singular_blocks_are_repaired(void **state)
{
    (void)state;
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_BOOST,
                                              .pivot_tol = 0.25};
    const int64_t part_ptr[] = {0, 1};
    const double block[] = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    const double inverse[] = {0, 0.25, 0, 1, 0, 0, 0, 0, 1};
    struct lcl_csr A = test_identity(1);
    struct lcl_ref_ildu0_block F;
    assert_int_equal(
        lcl_ref_ildu0_block_init(&F, &A, block, 3, part_ptr, 1, &params),
        LCL_OK);
    assert_int_equal(F.repaired, 1);
    for (int e = 0; e < 9; ++e)
        assert_true(F.inv_d[e] == inverse[e]);
    lcl_ref_ildu0_block_finish(&F);
    test_csr_finish(&A);
}

static void test_store__ties_go_to_even(void **state)
{
    (void)state;
    const enum lcl_factor_storage bf16 = LCL_FACTOR_STORAGE_BF16;
    assert_true(lcl_ref_rounded(1 + 0x1p-8, bf16) == 1);
    assert_true(lcl_ref_rounded(1 + 3 * 0x1p-8, bf16) == 1 + 0x1p-6);
    assert_true(lcl_ref_rounded(1 + 0x1p-8 + 0x1p-40, bf16) == 1 + 0x1p-7);
    assert_true(lcl_ref_rounded(-0x1.ffp5, bf16) == -64);
    assert_true(lcl_ref_rounded(1e-39, bf16) == 0);
    assert_true(lcl_ref_rounded(1e39, bf16) == INFINITY);
    assert_true(lcl_ref_rounded(1 + 0x1p-24, LCL_FACTOR_STORAGE_FP32) == 1);
    assert_true(lcl_ref_rounded(0.1, LCL_FACTOR_STORAGE_FP64) == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ildu0_block__full_patterns_are_inverted),
        cmocka_unit_test(test_ildu0_block__lower_solves_undo_products),
        cmocka_unit_test(test_ildu0_block__singular_blocks_are_repaired),
        cmocka_unit_test(test_store__ties_go_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
