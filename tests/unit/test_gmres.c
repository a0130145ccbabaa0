// SPDX-License-Identifier: BSD-3-Clause
// The reference of GMRES(m) and FGMRES(m).
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include "lib/ref/gmres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 600 };

static void apply_nothing(void *user, const double *r, double *z)
{
    const struct lcl_csr *A = user;
    memcpy(z, r, (size_t)A->rows * sizeof *z);
}

// A diagonal that grows with each application.
struct changing {
    int64_t n;
    int calls;
};

static void apply_changing(void *user, const double *r, double *z)
{
    struct changing *C = user;
    ++C->calls;
    for (int64_t i = 0; i < C->n; ++i)
        z[i] = r[i] / (5 + (double)((i + C->calls) % 3));
}

static struct lcl_ref_gmres method(struct lcl_csr *A, int restart,
                                   double *history)
{
    return (struct lcl_ref_gmres){.apply = apply_nothing,
                                  .user = A,
                                  .restart = restart,
                                  .rtol = 1e-10,
                                  .max_iters = LIMIT,
                                  .history = history};
}

// Solves and returns the number of products.
static int expect_solved(struct lcl_csr *A, struct lcl_ref_gmres K)
{
    double history[LIMIT + 1];
    double *b = test_right_side(A);
    double *x = calloc((size_t)A->rows, sizeof *x);
    assert_non_null(x);
    K.history = history;
    assert_int_equal(lcl_ref_gmres(&K, A, b, x), LCL_OK);
    assert_true(history[0] == 1);
    assert_true(history[K.iterations] <= 1e-10);
    for (int i = 1; i <= K.iterations; ++i)
        assert_true(history[i] <= history[i - 1] * (1 + 1e-12));
    assert_true(test_residual(A, b, x) <= 2e-10);
    assert_int_equal(K.restarts, (K.iterations - 1) / K.restart);
    free(x);
    free(b);
    return K.iterations;
}

// ------------------------------------------------------------------ solving

static void test_gmres__solves_a_grid_for_every_restart(void **state)
{
    (void)state;
    static const int restarts[] = {1, 5, 30, 100};
    struct lcl_csr A = test_laplacian(10, 9, 8);
    int before = LIMIT;
    for (int i = 0; i < 4; ++i) {
        const int took = expect_solved(&A, method(&A, restarts[i], NULL));
        assert_true(took <= before);
        before = took;
    }
    test_csr_finish(&A);
}

static void test_gmres__flexible_is_the_same_where_nothing_changes(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(300, 6, 4);
    struct lcl_ref_gmres K = method(&A, 12, NULL);
    const int plain = expect_solved(&A, K);
    K.flexible = true;
    assert_int_equal(expect_solved(&A, K), plain);
    test_csr_finish(&A);
}

static void test_gmres__flexible_takes_changing_preconditioners(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct changing C = {.n = A.rows};
    struct lcl_ref_gmres K = method(&A, 20, NULL);
    K.apply = apply_changing;
    K.user = &C;
    K.flexible = true;
    assert_in_range(expect_solved(&A, K), 10, 200);
    test_csr_finish(&A);
}

// In exact arithmetic the method ends after n products.
static void test_gmres__small_systems_end_in_time(void **state)
{
    (void)state;
    enum { N = 16 };
    struct lcl_csr A = test_random_csr(N, N, 5);
    assert_in_range(expect_solved(&A, method(&A, N, NULL)), 1, N);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ endings

// e_i -> e_{i+1}: only a basis of all n columns contains the solution.
static void test_gmres__cyclic_shift_needs_all_columns(void **state)
{
    (void)state;
    enum { N = 7 };
    double dense[N * N] = {0}, b[N] = {1}, x[N] = {0}, history[LIMIT + 1];
    for (int i = 0; i < N; ++i)
        dense[(i + 1) % N * N + i] = 1;
    struct lcl_csr A = test_csr_from_dense(N, dense);
    struct lcl_ref_gmres K = method(&A, N - 1, history);
    K.max_iters = 40;
    assert_int_equal(lcl_ref_gmres(&K, &A, b, x), LCL_ITERATION_LIMIT);
    assert_true(history[40] == 1);
    assert_int_equal(K.restarts, 6);
    K.restart = 100;
    assert_int_equal(lcl_ref_gmres(&K, &A, b, x), LCL_OK);
    assert_int_equal(K.iterations, N);
    assert_true(K.exhausted && fabs(x[N - 1] - 1) < 1e-14);
    test_csr_finish(&A);
}

static void test_gmres__exhausted_spaces_hold_the_solution(void **state)
{
    (void)state;
    const double dense[] = {2, 0, 0, 0, 3, 0, 0, 0, 3}, b[] = {1, 2, -1};
    double x[3] = {0}, history[LIMIT + 1];
    struct lcl_csr A = test_csr_from_dense(3, dense);
    struct lcl_ref_gmres K = method(&A, 3, history);
    assert_int_equal(lcl_ref_gmres(&K, &A, b, x), LCL_OK);
    assert_int_equal(K.iterations, 2);
    assert_true(K.exhausted);
    assert_true(fabs(x[0] - 0.5) < 1e-14 && fabs(x[2] + 1. / 3) < 1e-14);
    test_csr_finish(&A);
}

static void test_gmres__singular_matrices_break_down(void **state)
{
    (void)state;
    const double dense[] = {1, 0, 0, 0}, b[] = {1, 1};
    double x[2] = {0}, history[LIMIT + 1];
    struct lcl_csr A = test_csr_from_dense(2, dense);
    struct lcl_ref_gmres K = method(&A, 2, history);
    assert_int_equal(lcl_ref_gmres(&K, &A, b, x), LCL_BREAKDOWN);
    assert_int_equal(K.iterations, 1);
    assert_true(fabs(x[0] - 1) < 1e-14);
    assert_true(fabs(history[1] - sqrt(0.5)) < 1e-14);
    test_csr_finish(&A);
}

static void test_gmres__other_endings_are_told_apart(void **state)
{
    (void)state;
    const double nan[] = {NAN, 1, 2, 3}, b[] = {1, 2, 3, 4};
    double x[4] = {0}, history[LIMIT + 1];
    struct lcl_csr A = test_random_csr(4, 3, 2);
    struct lcl_ref_gmres K = method(&A, 2, history);
    K.max_iters = 3; // in the middle of a cycle
    K.rtol = 1e-15;
    assert_int_equal(lcl_ref_gmres(&K, &A, b, x), LCL_ITERATION_LIMIT);
    assert_int_equal(K.iterations, 3);
    assert_true(fabs(test_residual(&A, b, x) - history[3]) < 1e-14);
    memset(x, 0, sizeof x);
    assert_int_equal(lcl_ref_gmres(&K, &A, nan, x), LCL_NOT_FINITE);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmres__solves_a_grid_for_every_restart),
        cmocka_unit_test(
            test_gmres__flexible_is_the_same_where_nothing_changes),
        cmocka_unit_test(test_gmres__flexible_takes_changing_preconditioners),
        cmocka_unit_test(test_gmres__small_systems_end_in_time),
        cmocka_unit_test(test_gmres__cyclic_shift_needs_all_columns),
        cmocka_unit_test(test_gmres__exhausted_spaces_hold_the_solution),
        cmocka_unit_test(test_gmres__singular_matrices_break_down),
        cmocka_unit_test(test_gmres__other_endings_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
