// SPDX-License-Identifier: BSD-3-Clause
// Statistics of couplings on the device, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/multilevel/couplings.h"
#include "lib/ref/couplings.h"

#include <math.h>
#include <stdlib.h>

static struct lcl_couplings survey(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    struct lcl_device_matrix D;
    struct lcl_couplings C = {.rows = -1};
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &view), LCL_OK);
    assert_int_equal(lcl_survey_couplings(&C, ctx, &D), LCL_OK);
    lcl_device_matrix_finish(&D);
    return C;
}

static void expect_same(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_couplings C = survey(ctx, A);
    struct lcl_ref_couplings E;
    assert_int_equal(lcl_ref_couplings(&E, A), LCL_OK);
    assert_int_equal(C.rows, E.rows);
    test_expect_same("opposite", &C.opposite, &E.opposite, 1);
    if (E.rows == 0) {
        assert_true(C.median_low == 0 && C.median_high == 0);
        return;
    }
    if (!(C.median_low <= E.median && E.median < C.median_high))
        fail_msg("median in [%g, %g), expected %g", C.median_low, C.median_high,
                 E.median);
    assert_true(C.median_high <= C.median_low * 1.125);
}

// Takes A over.
static void expect_all(lcl_context *ctx, struct lcl_csr A)
{
    uint64_t seed = 5;
    expect_same(ctx, &A);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= -pow(10, 6 * test_random(&seed));
    expect_same(ctx, &A);
    // half of the entries are noise, or zero
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= k % 4 == 1 ? 1e-18 : k % 4 == 3 ? 0 : 1;
    expect_same(ctx, &A);
    test_csr_finish(&A);
}

static void test_couplings__grids_match(void **state)
{
    const int64_t side = test_size(4, 20);
    expect_all(*state, test_laplacian(side, side, side));
    expect_all(*state, test_laplacian(test_size(70, 5000), 1, 1));
}

static void test_couplings__random_matrices_match(void **state)
{
    const int64_t n = test_size(66, 900);
    expect_all(*state, test_random_csr(n, 0.4, 3));
    expect_all(*state, test_random_csr(n, 12, 4));
    expect_all(*state, test_stretched_csr(n, n, 8));
    expect_all(*state, test_dense_row(n, n / 3));
}

static void test_couplings__rows_without_couplings_do_not_count(void **state)
{
    struct lcl_csr A = test_laplacian(3, 3, 1);
    expect_all(*state, test_identity(1));
    expect_all(*state, test_identity(21));
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = A.val[k] < 0 ? 0 : A.val[k];
    expect_all(*state, A);
}

static void test_couplings__an_empty_matrix_has_none(void **state)
{
    int64_t row_ptr[] = {0};
    int32_t col = 0;
    double val = 0;
    const struct lcl_csr A = {0, 0, 0, row_ptr, &col, &val};
    expect_same(*state, &A);
}

static void test_couplings__extreme_values_match(void **state)
{
    const double scales[] = {1e-320, 1e-305, 1e305};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
        struct lcl_csr A = test_laplacian(4, 4, 2);
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] *= scales[s];
        expect_same(*state, &A);
        test_csr_finish(&A);
    }
}

// Grids: all of the opposite sign, ratio 1; in 2D with couplings in x of 30
// times the others, the median is 30, a bound of its interval.
static void test_couplings__known_matrices_are_told_apart(void **state)
{
    struct lcl_csr A = test_laplacian(9, 9, 1);
    struct lcl_couplings C = survey(*state, &A);
    assert_true(C.opposite == 1 && C.median_low == 1 && C.rows == 81);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (llabs(A.col_ind[k] - i) == 1)
                A.val[k] *= 30;
    C = survey(*state, &A);
    assert_true(C.opposite == 1 && C.median_low == 30);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = fabs(A.val[k]);
    C = survey(*state, &A);
    assert_true(C.opposite == 0);
    test_csr_finish(&A);
}

static void test_couplings__blocks_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(3, 1, 1);
    struct lcl_bsr B = test_random_blocks(&A, 2, 1);
    struct lcl_device_matrix D;
    struct lcl_couplings C;
    assert_int_equal(lcl_device_matrix_init(&D, *state, &B), LCL_OK);
    assert_int_equal(lcl_survey_couplings(&C, *state, &D), LCL_EUNSUPPORTED);
    lcl_device_matrix_finish(&D);
    test_bsr_finish(&B);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_couplings__grids_match),
        cmocka_unit_test(test_couplings__random_matrices_match),
        cmocka_unit_test(test_couplings__rows_without_couplings_do_not_count),
        cmocka_unit_test(test_couplings__an_empty_matrix_has_none),
        cmocka_unit_test(test_couplings__extreme_values_match),
        cmocka_unit_test(test_couplings__known_matrices_are_told_apart),
        cmocka_unit_test(test_couplings__blocks_are_refused),
    };
    return test_device_run(tests);
}
