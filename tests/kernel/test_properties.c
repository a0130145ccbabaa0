// SPDX-License-Identifier: BSD-3-Clause
// properties.cl compared with the references, and what the host makes of the
// sums.
#include "tests/support/device.h"
#include "tests/support/row_sums.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/symmetry.h"
#include "lib/storage/properties.h"

#include "cl/storage/properties.cl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_spec spec = {.source = "properties.cl",
                                     .kernel = "properties"};

// Rows get diagonals of both signs, zero diagonals, dominance and none.
static struct lcl_csr mixed(int64_t n, unsigned seed)
{
    struct lcl_csr A = test_random_csr(n, 5, seed);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] *= (double[]){1, -1, 0, 40, -0.01}[i % 5];
    return A;
}

static void expect_sums(const double *got, const double *expected)
{
    test_expect_near("counts", got, expected, PROPERTIES_COUNTS, 0);
    test_expect_near("weights", got + 4, expected + 4, 2, 1e-13 * expected[5]);
    test_expect_near("couplings", got + 6, expected + 6, 2, 0);
    test_expect_near("sizes", got + PROPERTIES_SIZES,
                     expected + PROPERTIES_SIZES, 2, 0);
    test_expect_near("penalties", got + PROPERTIES_SIZES + 2,
                     expected + PROPERTIES_SIZES + 2, 2,
                     1e-13 * expected[PROPERTIES_SIZES + 2]);
    test_expect_near("asymmetry", got + PROPERTIES_ASYMMETRY,
                     expected + PROPERTIES_ASYMMETRY, 2,
                     1e-13 * expected[PROPERTIES_ASYMMETRY + 1]);
}

static void expect_host(const struct lcl_bsr *A, const double *expected,
                        bool refuted)
{
    const struct lcl_properties_matrix M = lcl_properties_matrix_of(A);
    double host[PROPERTIES_SUMS], sums[PROPERTIES_SUMS];
    memcpy(sums, expected, sizeof sums);
    if (refuted)
        sums[PROPERTIES_ASYMMETRY] = sums[PROPERTIES_ASYMMETRY + 1];
    assert_int_equal(lcl_properties_host_sums(host, &M, NULL), LCL_OK);
    expect_sums(host, sums);
}

// The device and the host, in blocks, against the host's sums over entries; the
// asymmetry by two products.
static void expect_look(lcl_context *ctx, struct lcl_csr A, int block,
                        bool wide, int lanes, bool refuted)
{
    double device[PROPERTIES_SUMS], expected[PROPERTIES_SUMS];
    const struct lcl_bsr entries = lcl_bsr_of_csr(&A);
    const struct lcl_properties_matrix M = lcl_properties_matrix_of(&entries);
    int64_t *place;
    struct lcl_bsr B;
    assert_int_equal(lcl_bsr_from_csr_placed(&B, &place, &A, block, NULL),
                     LCL_OK);
    assert_int_equal(lcl_properties_host_sums(expected, &M, NULL), LCL_OK);
    lcl_ref_symmetry(&A, expected + PROPERTIES_ASYMMETRY,
                     expected + PROPERTIES_ASYMMETRY + 1);
    test_row_sums(device, PROPERTIES_SUMS, ctx, spec, &B, wide, lanes);
    expect_sums(device, expected);
    expect_host(&B, expected, refuted);
    lcl_free(place);
    lcl_bsr_finish(&B);
    test_csr_finish(&A);
}

static void test_properties__sums_are_the_reference_s(void **state)
{
    static const int blocks[] = {1, 2, 3, 8};
    const int64_t n = test_size(48, 2400);
    const int width = lcl_context_caps(*state)->width;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b)
        for (int lanes = 1; lanes <= width; lanes *= 2)
            expect_look(*state, mixed(n, b + 1), blocks[b], b % 2, lanes, true);
    expect_look(*state, test_random_csr(n, 5, 3), 1, false, width, true);
    expect_look(*state, test_random_csr(n, 5, 4), 3, true, 1, true);
    expect_look(*state, test_identity(1), 1, false, 1, false);
}

// No sample refutes so small a difference.
static void test_properties__sums_of_a_nearly_symmetric_matrix(void **state)
{
    static const int blocks[] = {1, 2, 3, 8};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
        struct lcl_csr A = test_laplacian(6, 8, test_size(2, 80));
        A.val[A.row_ptr[A.rows / 2]] *= 1 + 3e-9;
        expect_look(*state, A, blocks[b], b % 2, 1, false);
    }
}

static struct lcl_properties look_at(lcl_context *ctx, const struct lcl_csr *A)
{
    struct lcl_device_matrix D;
    struct lcl_properties look;
    double sum[PROPERTIES_SUMS];
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_properties_sums(sum, ctx, &D), LCL_OK);
    lcl_properties_from_sums(&look, sum);
    lcl_device_matrix_finish(&D);
    return look;
}

// A Laplacian with a penalty on the diagonal of its first rows.
static bool is_penalised(lcl_context *ctx, double penalty)
{
    struct lcl_csr A = test_laplacian(6, 5, 4);
    for (int64_t i = 0; i < 7; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] += penalty;
    const bool found = look_at(ctx, &A).penalty;
    test_csr_finish(&A);
    return found;
}

// The Laplacian has 6 on the diagonal, whose exponent is 2.
static void test_properties__penalties_are_found(void **state)
{
    assert_false(is_penalised(*state, 0));
    assert_false(is_penalised(*state, 0x1p18));
    assert_true(is_penalised(*state, 0x1p19));
    assert_true(is_penalised(*state, 1e30));
    assert_true(is_penalised(*state, -1e300));
    struct lcl_csr A = test_identity(9);
    assert_false(look_at(*state, &A).penalty);
    test_csr_finish(&A);
}

static void test_properties__the_laplacian_is_elliptic(void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 4);
    const int64_t inner = 4 * 3 * 2; // all others have row sums above 0.9
    struct lcl_properties look = look_at(*state, &A);
    assert_true(look.symmetric);
    assert_int_equal(look.positive, A.rows);
    assert_int_equal(look.negative, 0);
    assert_true(look.close >= inner && look.close < A.rows);
    assert_int_equal(look.loose, 0);
    assert_true(look.opposite == 1);
    assert_true(look.couplings == (double)(A.nnz - A.rows));
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= -1;
    look = look_at(*state, &A);
    assert_int_equal(look.positive, 0);
    assert_int_equal(look.negative, A.rows);
    assert_true(look.opposite == 1);
    test_csr_finish(&A);
}

static void test_properties__a_diagonal_has_no_couplings(void **state)
{
    struct lcl_csr A = test_identity(7);
    A.val[3] = 0;
    A.val[4] = -2;
    const struct lcl_properties look = look_at(*state, &A);
    assert_int_equal(look.positive, 5);
    assert_int_equal(look.negative, 1);
    assert_int_equal(look.close, 0);
    assert_int_equal(look.loose, 0);
    assert_true(look.opposite == 0);
    assert_true(look.couplings == 0 && look.squares == 0);
    test_csr_finish(&A);
}

// A diagonal cancels exactly, pairs of entries up to rounding.
static void test_properties__one_different_entry_is_asymmetry(void **state)
{
    struct lcl_csr A = test_laplacian(7, 5, 3);
    struct lcl_properties look = look_at(*state, &A);
    assert_true(look.symmetric && look.asymmetry <= 1e-14);
    A.val[1] *= 1 + 1e-6;
    look = look_at(*state, &A);
    assert_true(look.asymmetry >= 1e-11);
    A.val[1] *= 1 + 1e-3;
    assert_true(!look_at(*state, &A).symmetric);
    A.val[1] = NAN;
    assert_true(!look_at(*state, &A).symmetric);
    test_csr_finish(&A);
}

// In chunks, by threads.
static void test_properties__a_large_diagonal(void **state)
{
    const int64_t n = test_size(9, (1 << 21) + 9);
    struct lcl_csr A = test_identity(n);
    A.val[n - 1] = -1;
    A.val[1] = 0;
    const struct lcl_properties look = look_at(*state, &A);
    assert_true(look.symmetric);
    assert_int_equal(look.positive, n - 2);
    assert_int_equal(look.negative, 1);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties__sums_are_the_reference_s),
        cmocka_unit_test(test_properties__sums_of_a_nearly_symmetric_matrix),
        cmocka_unit_test(test_properties__penalties_are_found),
        cmocka_unit_test(test_properties__the_laplacian_is_elliptic),
        cmocka_unit_test(test_properties__a_diagonal_has_no_couplings),
        cmocka_unit_test(test_properties__a_large_diagonal),
        cmocka_unit_test(test_properties__one_different_entry_is_asymmetry),
    };
    return test_device_run(tests);
}
