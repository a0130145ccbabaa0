// SPDX-License-Identifier: BSD-3-Clause
// Coarse/fine splittings on the device, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/multilevel/splitting.h"
#include "lib/ref/splitting.h"

#include <stdlib.h>
#include <string.h>

static bool depends(const struct lcl_csr *A, const uint8_t *strong, int64_t i,
                    int64_t j)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return strong[k];
    return false;
}

// No two coarse rows depend on each other; a fine row on which others depend
// itself depends on a coarse one; coarse rows have dependents.
static void expect_independent_set(const struct lcl_csr *A,
                                   const struct lcl_ref_splitting *S)
{
    uint8_t *influences = calloc((size_t)A->rows + 1, 1);
    assert_non_null(influences);
    for (int64_t k = 0; k < A->nnz; ++k)
        influences[A->col_ind[k]] |= S->strong[k];
    for (int64_t i = 0; i < A->rows; ++i) {
        bool covered = false;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int32_t j = A->col_ind[k];
            if (!S->strong[k] || S->coarse[j] < 0)
                continue;
            covered = true;
            assert_true(S->coarse[i] < 0 || !depends(A, S->strong, j, i));
        }
        assert_true(S->coarse[i] >= 0 ? influences[i]
                                      : covered || !influences[i]);
    }
    free(influences);
}

static void expect_splitting(lcl_context *ctx, const struct lcl_csr *A,
                             double theta)
{
    const struct lcl_splitting_params params = {.theta = theta};
    struct lcl_device_matrix D;
    struct lcl_splitting S;
    struct lcl_ref_splitting E;
    assert_int_equal(lcl_ref_splitting_init(&E, A, theta > 0 ? theta : 0.25),
                     LCL_OK);
    expect_independent_set(A, &E);
    test_upload_csr(&D, ctx, A);
    assert_int_equal(
        lcl_splitting_init(&S, ctx, &D, theta > 0 ? &params : NULL), LCL_OK);
    test_expect_bytes("strong", S.strong, E.strong, A->nnz);
    test_expect_bytes("negative", S.negative, E.negative, A->rows);
    test_expect_words("coarse", S.coarse, E.coarse, A->rows);
    assert_int_equal(S.count, E.count);
    lcl_splitting_finish(&S);
    lcl_device_matrix_finish(&D);
    lcl_ref_splitting_finish(&E);
}

// Takes A over.
static void expect_all(lcl_context *ctx, struct lcl_csr A)
{
    const double thetas[] = {0, 0.01, 0.7, 1};
    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; ++t)
        expect_splitting(ctx, &A, thetas[t]);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = k % 3 == 0 ? A.val[k] : -A.val[k];
    expect_splitting(ctx, &A, 0);
    test_csr_finish(&A);
}

// Row `centre` is coupled to all others, and these to it only.
static struct lcl_csr star(int64_t n, int64_t centre)
{
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + centre] = dense[centre * n + i] = -1;
        dense[i * n + i] = 2;
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

static void test_splitting__grids_match(void **state)
{
    const int64_t side = test_size(4, 14);
    expect_all(*state, test_laplacian(side, side, side));
    expect_all(*state, test_laplacian(2 * side, side + 1, 1));
    expect_all(*state, test_laplacian(test_size(17, 3000), 1, 1));
}

static void test_splitting__unsymmetric_patterns_match(void **state)
{
    const int64_t n = test_size(24, 1200);
    expect_all(*state, test_random_csr(n, 0.4, 3));
    expect_all(*state, test_random_csr(n, 3, 4));
    expect_all(*state, test_random_csr(n, 14, 5));
    expect_all(*state, test_stretched_csr(n, n, 8));
}

static void test_splitting__rows_with_many_couplings_match(void **state)
{
    const int64_t n = test_size(24, 700);
    struct lcl_csr dense = test_dense_row(n, n / 3);
    for (int64_t k = 0; k < dense.nnz; ++k)
        dense.val[k] = k % 2 ? -1 : 1;
    expect_all(*state, dense);
    expect_all(*state, test_dense_row(n, 0));
    expect_all(*state, star(n, 0));
    expect_all(*state, star(n, n - 1));
}

// Row i depends on row i + 1 only, so that one end decides all: many rounds.
static void test_splitting__chains_match(void **state)
{
    const int64_t n = test_size(20, 400);
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = i % 5 == 4 ? -2 : 2;
        for (int64_t j = i + 1; j < n && j <= i + 1 + i % 3; ++j)
            dense[i * n + j] = i % 5 == 4 ? 1 : -1;
    }
    expect_all(*state, test_csr_from_dense(n, dense));
    free(dense);
}

static void test_splitting__rows_without_couplings_are_fine(void **state)
{
    const double holes[] = {
        1, 0, 0,  0, // no coupling
        0, 1, -1, 1, //
        0, 0, 0,  0, // empty
        0, 2, 0,  1, // the sign of the diagonal
    };
    struct lcl_csr A = test_laplacian(3, 3, 1);
    expect_all(*state, test_identity(1));
    expect_all(*state, test_identity(21));
    expect_all(*state, test_csr_from_dense(4, holes));
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = A.val[k] < 0 ? 0 : A.val[k];
    expect_all(*state, A);
}

static void test_splitting__an_empty_matrix_has_none(void **state)
{
    int64_t row_ptr[] = {0};
    int32_t col = 0;
    double val = 0;
    const struct lcl_csr A = {0, 0, 0, row_ptr, &col, &val};
    expect_splitting(*state, &A, 0);
}

static void test_splitting__blocks_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(3, 1, 1);
    struct lcl_bsr B = test_random_blocks(&A, 2, 1);
    struct lcl_device_matrix D;
    struct lcl_splitting S;
    assert_int_equal(lcl_device_matrix_init(&D, *state, &B), LCL_OK);
    assert_int_equal(lcl_splitting_init(&S, *state, &D, NULL),
                     LCL_EUNSUPPORTED);
    assert_null(S.strong);
    lcl_device_matrix_finish(&D);
    test_bsr_finish(&B);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splitting__grids_match),
        cmocka_unit_test(test_splitting__unsymmetric_patterns_match),
        cmocka_unit_test(test_splitting__rows_with_many_couplings_match),
        cmocka_unit_test(test_splitting__chains_match),
        cmocka_unit_test(test_splitting__rows_without_couplings_are_fine),
        cmocka_unit_test(test_splitting__an_empty_matrix_has_none),
        cmocka_unit_test(test_splitting__blocks_are_refused),
    };
    return test_device_run(tests);
}
