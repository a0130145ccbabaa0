// SPDX-License-Identifier: BSD-3-Clause
// The plain C with which levelbench compares the device: the same factors, the
// residual that it claims, the iterations of the device.
#include "lib/partition/partition.h"
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tools/levelbench/core_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, RESTART = 3 };

static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_ILDU0},
    {.type = LCL_PRECOND_ILUK, .ilu_level = 1},
    {.type = LCL_PRECOND_ILUT, .ilut_p = 4, .ilut_tol = 0.01},
    {.type = LCL_PRECOND_RAS},
    {.type = LCL_PRECOND_RAS, .ilut_p = 5},
    {.type = LCL_PRECOND_RAS, .overlap = 2, .ilu_level = 1},
};

// The same system on the device and on one core.
struct pair {
    const struct lcl_csr *A;
    struct lcl_subdomains P;
    lcl_operator *op;
    lcl_precond *M;
    struct core_system S;
};

static void divide(struct pair *T, struct lcl_precond_params params)
{
    const struct lcl_csr *A = T->A;
    const struct lcl_partition_params natural = {.type = LCL_PARTITION_NATURAL,
                                                 .rows = ROWS};
    int32_t *labels = malloc((size_t)A->rows * sizeof *labels);
    assert_non_null(labels);
    assert_int_equal(lcl_partition_create(&T->P, A, &natural, A->rows, NULL),
                     LCL_OK);
    for (int64_t p = 0; p < T->P.parts; ++p)
        for (int64_t k = T->P.part_ptr[p]; k < T->P.part_ptr[p + 1]; ++k)
            labels[T->P.row[k]] = (int32_t)p;
    params.partition.type = LCL_PARTITION_LABELS;
    params.partition.labels = labels;
    params.partition.labels_count = A->rows;
    params.storage = LCL_FACTOR_STORAGE_FP64;
    params.coarse = LCL_COARSE_NONE;
    assert_int_equal(lcl_precond_create(&T->M, T->op, &params), LCL_OK);
    free(labels);
}

// given = x, of the system's order, in the caller's.
static void scatter(const struct core_system *S, const double *x, double *given)
{
    for (int64_t i = 0; i < S->A.rows; ++i)
        given[S->perm[i]] = x[i];
}

static void pair_open(struct pair *T, lcl_context *ctx, const struct lcl_csr *A,
                      const struct lcl_precond_params *params)
{
    const struct lcl_operator_params scalar = {.block_size = 1};
    *T = (struct pair){.A = A};
    assert_int_equal(lcl_operator_create(&T->op, ctx, A, &scalar), LCL_OK);
    divide(T, *params);
    assert_int_equal(core_system_init(&T->S, A, &T->P, T->M, NULL), LCL_OK);
}

static void pair_close(struct pair *T)
{
    core_system_finish(&T->S);
    lcl_precond_destroy(&T->M);
    lcl_operator_destroy(&T->op);
    lcl_subdomains_finish(&T->P);
}

typedef void check_fn(const struct pair *T, lcl_context *ctx);

static void for_each_pair(lcl_context *ctx, check_fn *check)
{
    struct lcl_csr all[] = {test_laplacian(9, 8, 5),
                            test_random_csr(500, 5, 3)};
    for (size_t a = 0; a < sizeof all / sizeof *all; ++a) {
        for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
            struct pair T;
            pair_open(&T, ctx, &all[a], &methods[m]);
            check(&T, ctx);
            pair_close(&T);
        }
        test_csr_finish(&all[a]);
    }
}

// ------------------------------------------------------------------- products

static void check_product(const struct pair *T, lcl_context *ctx)
{
    const int64_t n = T->A->rows;
    double *given = test_random_vector(n, 5), *expected = test_vector(n);
    double *x = test_vector(n), *y = test_vector(n);
    (void)ctx;
    lcl_csr_multiply(T->A, given, expected);
    core_system_gather(&T->S, given, x);
    core_multiply(&T->S.A, x, y);
    scatter(&T->S, y, x);
    test_expect_near("A x", x, expected, n, 1e-13);
    free(given);
    free(expected);
    free(x);
    free(y);
}

static void test_core__multiplies_with_the_matrix(void **state)
{
    for_each_pair(*state, check_product);
}

// ------------------------------------------------------------------- factors

static void check_apply(const struct pair *T, lcl_context *ctx)
{
    const int64_t n = T->A->rows;
    double *given = test_random_vector(n, 7), *expected = test_vector(n);
    double *x = test_vector(n), *y = test_vector(n);
    (void)ctx;
    assert_int_equal(lcl_precond_apply(T->M, given, expected), LCL_OK);
    core_system_gather(&T->S, given, x);
    memset(y, 0xff, (size_t)n * sizeof *y);
    core_apply(&T->S.M, x, y);
    scatter(&T->S, y, x);
    test_expect_near("M^-1 x", x, expected, n, 1e-11);
    free(given);
    free(expected);
    free(x);
    free(y);
}

static void test_core__applies_the_factors_of_the_device(void **state)
{
    for_each_pair(*state, check_apply);
}

static void test_core__refuses_other_subdomains(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 5);
    struct pair T;
    struct lcl_subdomains other;
    struct core_system S;
    const struct lcl_partition_params natural = {.type = LCL_PARTITION_NATURAL,
                                                 .rows = ROWS + 20};
    pair_open(&T, *state, &A, &methods[0]);
    assert_int_equal(lcl_partition_create(&other, &A, &natural, A.rows, NULL),
                     LCL_OK);
    assert_int_equal(core_system_init(&S, &A, &other, T.M, NULL), LCL_EINVAL);
    core_system_finish(&S);
    lcl_subdomains_finish(&other);
    pair_close(&T);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- GMRES

static double true_residual(const struct lcl_csr *A, const double *b,
                            const double *x)
{
    double *y = test_vector(A->rows), rr = 0, bb = 0;
    lcl_csr_multiply(A, x, y);
    for (int64_t i = 0; i < A->rows; ++i) {
        rr += (b[i] - y[i]) * (b[i] - y[i]);
        bb += b[i] * b[i];
    }
    free(y);
    return sqrt(rr / bb);
}

static int device_iterations(const struct pair *T, const double *b)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_GMRES, .rtol = 1e-9, .restart = RESTART};
    double *x = test_vector(T->A->rows);
    lcl_solver *solver;
    struct lcl_report report;
    assert_int_equal(lcl_solver_create(&solver, T->op, T->M, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(solver, b, x, &report), LCL_OK);
    lcl_solver_destroy(&solver);
    free(x);
    return report.iterations;
}

static struct core_gmres gmres(const struct core_system *S, int max_iters)
{
    return (struct core_gmres){.A = &S->A,
                               .M = &S->M,
                               .restart = RESTART,
                               .rtol = 1e-9,
                               .max_iters = max_iters};
}

static void check_solve(const struct pair *T, lcl_context *ctx)
{
    const int64_t n = T->A->rows;
    double *given = test_random_vector(n, 9), *b = test_vector(n);
    double *x = test_vector(n);
    struct core_gmres K = gmres(&T->S, 1000);
    (void)ctx;
    core_system_gather(&T->S, given, b);
    assert_int_equal(core_gmres(&K, b, x), LCL_OK);
    scatter(&T->S, x, b);
    const double residual = true_residual(T->A, given, b);
    assert_true(K.residual <= 1e-9);
    assert_true(fabs(residual - K.residual) <= 1e-3 * K.residual);
    const int iterations = device_iterations(T, given);
    assert_true(iterations > RESTART); // the cycles count
    if (abs(iterations - K.iterations) > 1)
        fail_msg("%d iterations, on the device %d", K.iterations, iterations);
    free(given);
    free(b);
    free(x);
}

static void test_core__solves_as_the_device(void **state)
{
    for_each_pair(*state, check_solve);
}

static void check_limit(const struct pair *T, lcl_context *ctx)
{
    const int64_t n = T->A->rows;
    double *b = test_random_vector(n, 9), *x = test_vector(n);
    struct core_gmres K = gmres(&T->S, RESTART + 1);
    (void)ctx;
    assert_int_equal(core_gmres(&K, b, x), LCL_ITERATION_LIMIT);
    assert_int_equal(K.iterations, RESTART + 1);
    assert_true(fabs(true_residual(&T->S.A, b, x) - K.residual) <=
                1e-6 * K.residual);
    memset(b, 0, (size_t)n * sizeof *b);
    assert_int_equal(core_gmres(&K, b, x), LCL_OK);
    assert_true(K.iterations == 0 && K.residual == 0);
    b[n / 2] = NAN;
    assert_int_equal(core_gmres(&K, b, x), LCL_NOT_FINITE);
    free(b);
    free(x);
}

static void test_core__stops_at_limits_and_trivial_sides(void **state)
{
    for_each_pair(*state, check_limit);
}

// One part: the factors of a tridiagonal matrix are complete, and nothing
// overlaps.
static void test_core__solves_with_one_part(void **state)
{
    struct lcl_csr A = test_laplacian(ROWS, 1, 1);
    double *b = test_random_vector(ROWS, 1), *x = test_vector(ROWS);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        struct pair T;
        pair_open(&T, *state, &A, &methods[m]);
        check_apply(&T, *state);
        struct core_gmres K = gmres(&T.S, 100);
        assert_int_equal(core_gmres(&K, b, x), LCL_OK);
        assert_true(K.iterations <= 2 && K.residual <= 1e-12);
        pair_close(&T);
    }
    free(b);
    free(x);
    test_csr_finish(&A);
}

// A is singular and b is not in its range.
static void test_core__reports_a_breakdown(void **state)
{
    const double dense[] = {1, 0, 0, 0};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    const struct core_factors M = {.L = {.rows = 2, .row_ptr = (int64_t[3]){0}},
                                   .U = {.rows = 2, .row_ptr = (int64_t[3]){0}},
                                   .inv_d = (double[]){1, 1},
                                   .n = 2};
    struct core_gmres K = {
        .A = &A, .M = &M, .restart = 5, .rtol = 1e-9, .max_iters = 50};
    double x[2];
    (void)state;
    assert_int_equal(core_gmres(&K, (double[]){1, 1}, x), LCL_BREAKDOWN);
    assert_true(fabs(K.residual - sqrt(0.5)) < 1e-12);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core__multiplies_with_the_matrix),
        cmocka_unit_test(test_core__applies_the_factors_of_the_device),
        cmocka_unit_test(test_core__refuses_other_subdomains),
        cmocka_unit_test(test_core__solves_as_the_device),
        cmocka_unit_test(test_core__stops_at_limits_and_trivial_sides),
        cmocka_unit_test(test_core__solves_with_one_part),
        cmocka_unit_test(test_core__reports_a_breakdown),
    };
    return test_device_run(tests);
}
