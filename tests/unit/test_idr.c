// SPDX-License-Identifier: BSD-3-Clause
// The reference of IDR(s) and its shadow vectors.
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include "lib/ref/bicgstab.h"
#include "lib/ref/idr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 600 };

static const int sizes[] = {1, 2, 4, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void apply_nothing(void *user, const double *r, double *z)
{
    const struct lcl_csr *A = user;
    memcpy(z, r, (size_t)A->rows * sizeof *z);
}

static struct lcl_ref_idr method(struct lcl_csr *A, int s, double *history)
{
    return (struct lcl_ref_idr){.apply = apply_nothing,
                                .user = A,
                                .s = s,
                                .rtol = 1e-10,
                                .max_iters = LIMIT,
                                .history = history};
}

// Solves and returns the number of products.
static int expect_solved(struct lcl_csr *A, int s)
{
    double history[LIMIT + 1];
    double *b = test_right_side(A);
    double *x = calloc((size_t)A->rows, sizeof *x);
    struct lcl_ref_idr K = method(A, s, history);
    assert_non_null(x);
    assert_int_equal(lcl_ref_idr(&K, A, b, x), LCL_OK);
    assert_true(history[0] == 1);
    assert_true(history[K.iterations] <= 1e-10);
    assert_true(K.iterations == 0 || history[K.iterations - 1] > 1e-10);
    assert_true(test_residual(A, b, x) <= 2e-10);
    free(x);
    free(b);
    return K.iterations;
}

// ------------------------------------------------------------------ solving

static void test_idr__solves_a_grid_for_every_s(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(10, 9, 8);
    for (int i = 0; i < SIZES; ++i)
        assert_in_range(expect_solved(&A, sizes[i]), 10, 120);
    test_csr_finish(&A);
}

// Convection along x by central differences, stronger than the diffusion.
static struct lcl_csr convection(double strength)
{
    struct lcl_csr A = test_laplacian(14, 12, 6);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i + 1)
                A.val[k] += strength;
            else if (A.col_ind[k] == i - 1)
                A.val[k] -= strength;
    return A;
}

static void test_idr__more_shadow_vectors_take_fewer_products(void **state)
{
    (void)state;
    struct lcl_csr A = convection(3);
    const int one = expect_solved(&A, 1), four = expect_solved(&A, 4);
    assert_true(four < one);
    test_csr_finish(&A);
}

static void test_idr__one_shadow_vector_is_as_good_as_bicgstab(void **state)
{
    (void)state;
    double history[LIMIT + 1];
    struct lcl_csr A = test_laplacian(12, 11, 10);
    double *b = test_right_side(&A);
    double *x = calloc((size_t)A.rows, sizeof *x);
    struct lcl_ref_bicgstab K = {.apply = apply_nothing,
                                 .user = &A,
                                 .rtol = 1e-10,
                                 .max_iters = LIMIT,
                                 .history = history};
    assert_int_equal(lcl_ref_bicgstab(&K, &A, b, x), LCL_OK);
    const int products = 2 * K.iterations;
    assert_in_range(expect_solved(&A, 1), products * 2 / 3, products * 3 / 2);
    free(x);
    free(b);
    test_csr_finish(&A);
}

// In exact arithmetic the method ends after n + n / s products.
static void test_idr__small_systems_end_in_time(void **state)
{
    (void)state;
    enum { N = 16 };
    struct lcl_csr A = test_random_csr(N, N, 5);
    for (int i = 0; i < SIZES; ++i)
        assert_in_range(expect_solved(&A, sizes[i]), 1, N + N / sizes[i]);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ endings

// For a skew-symmetric matrix A r is orthogonal to r, which ends the outer
// step; two shadow vectors span the space of two rows before that.
static void test_idr__skew_matrices_break_down_in_the_outer_step(void **state)
{
    (void)state;
    const double skew[] = {0, 1, -1, 0}, b[] = {1, 0};
    double x[2] = {0}, history[LIMIT + 1];
    struct lcl_csr A = test_csr_from_dense(2, skew);
    struct lcl_ref_idr K = method(&A, 1, history);
    assert_int_equal(lcl_ref_idr(&K, &A, b, x), LCL_BREAKDOWN);
    assert_int_equal(K.iterations, 1);
    K = method(&A, 2, history);
    x[0] = x[1] = 0;
    assert_int_equal(lcl_ref_idr(&K, &A, b, x), LCL_OK);
    assert_true(fabs(x[0]) < 1e-9 && fabs(x[1] - 1) < 1e-9);
    test_csr_finish(&A);
}

static void test_idr__other_endings_are_told_apart(void **state)
{
    (void)state;
    const double zeros[] = {1, 0, 0, 0}, b[] = {0, 1};
    double x[2] = {0}, history[LIMIT + 1];
    struct lcl_csr A = test_csr_from_dense(2, zeros);
    struct lcl_ref_idr K = method(&A, 1, history);
    assert_int_equal(lcl_ref_idr(&K, &A, b, x), LCL_BREAKDOWN);
    assert_int_equal(K.iterations, 0);
    K.max_iters = 0;
    assert_int_equal(lcl_ref_idr(&K, &A, b, x), LCL_ITERATION_LIMIT);
    const double nan[] = {NAN, 1};
    assert_int_equal(lcl_ref_idr(&K, &A, nan, x), LCL_NOT_FINITE);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ shadow

static void test_idr__shadow_vectors_are_well_conditioned(void **state)
{
    (void)state;
    enum { N = 4096 };
    static uint32_t words[N];
    static double p[8][N];
    uint64_t seed = 3;
    lcl_ref_idr_words(N, 8, words);
    for (int j = 0; j < 8; ++j)
        lcl_ref_idr_vector(N, words, j, p[j]);
    for (int trial = 0; trial < 20; ++trial) {
        double a[8], aa = 0, sum = 0;
        for (int j = 0; j < 8; ++j) {
            a[j] = 2 * test_random(&seed) - 1;
            aa += a[j] * a[j];
        }
        for (int i = 0; i < N; ++i) {
            double v = 0;
            for (int j = 0; j < 8; ++j)
                v += a[j] * p[j][i];
            sum += v * v;
        }
        assert_true(sum >= N * aa && sum <= 4 * N * aa);
    }
}

// Rows at distance 8 must not have the same signs.
static void test_idr__shadow_vectors_have_no_period(void **state)
{
    (void)state;
    enum { N = 8192 };
    static uint32_t words[N];
    int seen[256] = {0};
    lcl_ref_idr_words(N, 8, words);
    for (int i = 0; i < N; i += 8)
        ++seen[words[i] & 0xff];
    int used = 0;
    for (int k = 0; k < 256; ++k)
        used += seen[k] > 0;
    assert_int_equal(used, 16);
    for (int k = 0; k < 256; ++k)
        if (seen[k] > 0)
            assert_in_range(seen[k], 32, 96);
}

static void test_idr__few_rows_leave_room_for_few_vectors(void **state)
{
    (void)state;
    assert_int_equal(lcl_ref_idr_room(1, 4), 1);
    assert_int_equal(lcl_ref_idr_room(3, 4), 2);
    assert_int_equal(lcl_ref_idr_room(3, 3), 2);
    assert_int_equal(lcl_ref_idr_room(4, 3), 3);
    assert_int_equal(lcl_ref_idr_room(7, 5), 4);
    assert_int_equal(lcl_ref_idr_room(8, 5), 5);
    assert_int_equal(lcl_ref_idr_room(1000, 8), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idr__solves_a_grid_for_every_s),
        cmocka_unit_test(test_idr__more_shadow_vectors_take_fewer_products),
        cmocka_unit_test(test_idr__one_shadow_vector_is_as_good_as_bicgstab),
        cmocka_unit_test(test_idr__small_systems_end_in_time),
        cmocka_unit_test(test_idr__skew_matrices_break_down_in_the_outer_step),
        cmocka_unit_test(test_idr__other_endings_are_told_apart),
        cmocka_unit_test(test_idr__shadow_vectors_are_well_conditioned),
        cmocka_unit_test(test_idr__shadow_vectors_have_no_period),
        cmocka_unit_test(test_idr__few_rows_leave_room_for_few_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
