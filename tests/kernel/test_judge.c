// SPDX-License-Identifier: BSD-3-Clause
// judge.cl and kron_judge.cl, compared with quadruple precision where double
// precision has no correct digit.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/quad.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/operator/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of quadruple precision, in units of the size of a row.
#define ROUNDING 1e-30

// r and `backward` are n doubles, uploaded poisoned.
struct verdict {
    int64_t n;
    double *r, *backward;
    quad *want, *size;
};

static void verdict_init(struct verdict *V, int64_t n)
{
    *V = (struct verdict){.n = n,
                          .r = test_vector(n),
                          .backward = test_vector(n),
                          .want = calloc((size_t)n, sizeof *V->want),
                          .size = calloc((size_t)n, sizeof *V->size)};
    assert_non_null(V->want);
    assert_non_null(V->size);
}

// No verdict is smaller than the exact residual, or much larger.
static void expect_right(const struct verdict *V)
{
    for (int64_t i = 0; i < V->n; ++i) {
        const quad want = quad_abs(V->want[i]), slack = ROUNDING * V->size[i];
        const quad got = quad_abs((quad)V->r[i]);
        if (got < (1 - 1e-15) * want - slack ||
            got > (1 + 1e-15) * want + slack)
            fail_msg("row %lld: %.17g, expected %.17g", (long long)i, V->r[i],
                     (double)V->want[i]);
        const quad share = V->size[i] > 0 ? want / V->size[i] : 0;
        assert_true(quad_abs(V->backward[i] - share) <=
                    1e-14 * share + 2 * ROUNDING);
    }
}

static void verdict_finish(struct verdict *V)
{
    free(V->r);
    free(V->backward);
    free(V->want);
    free(V->size);
}

// b = A x in double precision: only rounding is left of b - A x.
static double *rounded_product(const struct lcl_csr *A, const double *x)
{
    double *b = test_vector(A->rows);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            b[i] += A->val[k] * x[A->col_ind[k]];
    return b;
}

// v in column q of `columns` interleaved ones, the others NaN.
static lcl_buffer *interleaved(lcl_context *ctx, const double *v, int64_t n,
                               int columns, int q)
{
    double *all = test_vector(n * columns);
    for (int64_t i = 0; i < n * columns; ++i)
        all[i] = i % columns == q ? v[i / columns] : NAN;
    lcl_buffer *out = test_upload(ctx, all, n * columns, sizeof *all);
    free(all);
    return out;
}

static void expect_matrix(lcl_context *ctx, struct lcl_csr A, int block,
                          int columns, int q, const double *x)
{
    double *b = rounded_product(&A, x);
    struct verdict V;
    struct lcl_bsr B;
    struct lcl_device_matrix D;
    verdict_init(&V, A.rows);
    test_quad_residual(V.want, V.size, &A, x, b);
    assert_int_equal(lcl_bsr_from_csr(&B, &A, block, NULL), LCL_OK);
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &B), LCL_OK);
    lcl_buffer *on[] = {interleaved(ctx, x, A.cols, columns, q),
                        interleaved(ctx, b, A.rows, columns, q),
                        test_poisoned(ctx, A.rows, sizeof *b),
                        test_poisoned(ctx, A.rows, sizeof *b)};
    const struct lcl_judged v = {.x = on[0],
                                 .b = on[1],
                                 .columns = columns,
                                 .column = q,
                                 .r = on[2],
                                 .backward = on[3]};
    assert_int_equal(lcl_judge_matrix(ctx, &D, &v), LCL_OK);
    test_download(on[2], V.r, V.n, sizeof *b);
    test_download(on[3], V.backward, V.n, sizeof *b);
    expect_right(&V);
    for (int k = 0; k < 4; ++k)
        lcl_buffer_destroy(&on[k]);
    lcl_device_matrix_finish(&D);
    lcl_bsr_finish(&B);
    verdict_finish(&V);
    free(b);
    test_csr_finish(&A);
}

static void test_judge__rounding_of_a_product_is_seen(void **state)
{
    static const int blocks[] = {1, 3, 8};
    const int64_t n = test_size(48, 2400);
    double *x = test_random_vector(n, 11);
    for (int k = 0; k < 3; ++k)
        expect_matrix(*state, test_random_csr(n, 5, 3 + (unsigned)k), blocks[k],
                      1, 0, x);
    expect_matrix(*state, test_random_csr(n, 40, 9), 1, 1, 0, x);
    expect_matrix(*state, test_dense_row(n, n / 2), 1, 1, 0, x);
    expect_matrix(*state, test_identity(1), 1, 1, 0, x);
    free(x);
}

static void test_judge__a_column_of_several_is_meant(void **state)
{
    const int64_t n = test_size(48, 1200);
    double *x = test_random_vector(n, 12);
    expect_matrix(*state, test_random_csr(n, 5, 4), 1, 4, 2, x);
    expect_matrix(*state, test_random_csr(n, 5, 5), 1, 8, 7, x);
    free(x);
}

// Terms of 1e-200 to 1e+200, so that double-double has no correct digit either.
static void test_judge__terms_of_any_size_are_added(void **state)
{
    const int64_t n = test_size(40, 800);
    double *x = test_random_vector(n, 13);
    struct lcl_csr A = test_random_csr(n, 7, 6);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= pow(10, (double)(k % 5) * 3);
    for (int64_t j = 0; j < n; ++j)
        x[j] *= pow(10, (double)(j % 21 - 10) * 18);
    expect_matrix(*state, A, 1, 1, 0, x);
    free(x);
}

static void test_judge__numbers_that_are_not_finite_stay(void **state)
{
    lcl_context *ctx = *state;
    struct lcl_csr A = test_laplacian(3, 1, 1);
    const double b[] = {1, 1, 1}, x[] = {NAN, 0, 0};
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    struct lcl_device_matrix D;
    double r[3];
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &B), LCL_OK);
    lcl_buffer *on[] = {
        test_upload(ctx, x, 3, sizeof *x), test_upload(ctx, b, 3, sizeof *b),
        test_poisoned(ctx, 3, sizeof *b), test_poisoned(ctx, 3, sizeof *b)};
    const struct lcl_judged v = {
        .x = on[0], .b = on[1], .columns = 1, .r = on[2], .backward = on[3]};
    assert_int_equal(lcl_judge_matrix(ctx, &D, &v), LCL_OK);
    test_download(on[2], r, 3, sizeof *r);
    assert_true(isnan(r[0]) && isnan(r[1]) && r[2] == 1);
    for (int k = 0; k < 4; ++k)
        lcl_buffer_destroy(&on[k]);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- kronecker

static void expect_kron(lcl_context *ctx, const struct lcl_kron *K,
                        enum lcl_kron_type type)
{
    const struct lcl_operator_params params = {.kron = type};
    lcl_operator *A;
    struct verdict V;
    assert_int_equal(lcl_operator_create_kron(&A, ctx, K, &params), LCL_OK);
    const int64_t n = A->range.n;
    double *x = test_random_vector(n, 21), *b = test_vector(n);
    lcl_buffer *on[5];
    for (int k = 0; k < 4; ++k)
        on[k] = test_poisoned(ctx, n, sizeof *x);
    on[4] = test_poisoned(ctx, 2 * A->range.groups, sizeof *x);
    verdict_init(&V, n);
    assert_int_equal(lcl_apply_host(A, x, b), LCL_OK);
    test_quad_kron_residual(V.want, V.size, K, x, b);
    assert_int_equal(lcl_numbering_write(A->numbering, x, on[0]), LCL_OK);
    assert_int_equal(lcl_numbering_write(A->numbering, b, on[1]), LCL_OK);
    const struct lcl_judged v = {.x = on[0],
                                 .b = on[1],
                                 .columns = 1,
                                 .r = on[2],
                                 .backward = on[3],
                                 .sums = on[4]};
    assert_int_equal(lcl_judge(A, &v), LCL_OK);
    assert_int_equal(lcl_numbering_read(A->numbering, on[2], V.r), LCL_OK);
    assert_int_equal(lcl_numbering_read(A->numbering, on[3], V.backward),
                     LCL_OK);
    expect_right(&V);
    for (int k = 0; k < 5; ++k)
        lcl_buffer_destroy(&on[k]);
    verdict_finish(&V);
    free(x);
    free(b);
    lcl_operator_destroy(&A);
}

static void test_judge__kronecker_systems(void **state)
{
    static const struct {
        int stages, block;
        enum test_kron_patterns patterns;
    } all[] = {
        {1, 1, TEST_KRON_EQUAL}, {3, 2, TEST_KRON_NEAR}, {4, 1, TEST_KRON_FAR}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (int t = 0; t < TEST_KRON_TYPES; ++t) {
            struct test_kron T;
            test_kron_init(&T, all[k].stages, all[k].block, test_size(12, 60),
                           all[k].patterns);
            expect_kron(*state, &T.K, test_kron_types[t]);
            test_kron_finish(&T);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge__rounding_of_a_product_is_seen),
        cmocka_unit_test(test_judge__a_column_of_several_is_meant),
        cmocka_unit_test(test_judge__terms_of_any_size_are_added),
        cmocka_unit_test(test_judge__numbers_that_are_not_finite_stay),
        cmocka_unit_test(test_judge__kronecker_systems),
    };
    return test_device_run(tests);
}
