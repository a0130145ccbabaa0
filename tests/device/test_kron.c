// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems as their users see them: operators and solves.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"

#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"

#include <stdlib.h>

// ------------------------------------------------------------------- operators

static void expect_operator(lcl_operator *P, const struct lcl_kron *K)
{
    struct lcl_csr A = test_kron_whole(K);
    const int64_t n = A.rows;
    double *x = test_random_vector(n, 1), *expected = test_vector(n);
    double *y = test_random_vector(n, 2);
    lcl_csr_multiply(&A, x, expected);
    assert_int_equal(lcl_operator_apply(P, x, y), LCL_OK);
    test_expect_near("y", y, expected, n, 1e-12);
    lcl_csr_finish(&A);
    free(x);
    free(y);
    free(expected);
}

// Three columns with room behind each, which stays as it is.
static void expect_columns(lcl_operator *P, const struct lcl_kron *K)
{
    struct lcl_csr A = test_kron_whole(K);
    const int64_t n = A.rows, ldx = n + 2, ldy = n + 1;
    double *x = test_random_vector(3 * ldx, 1);
    double *y = test_random_vector(3 * ldy, 2), *expected = test_vector(n);
    for (int q = 0; q < 3; ++q)
        y[q * ldy + n] = 7;
    assert_int_equal(lcl_operator_apply_many(P, x, ldx, y, ldy, 3), LCL_OK);
    for (int q = 0; q < 3; ++q) {
        lcl_csr_multiply(&A, x + q * ldx, expected);
        test_expect_near("Y", y + q * ldy, expected, n, 1e-12);
        assert_true(y[q * ldy + n] == 7);
    }
    lcl_csr_finish(&A);
    free(x);
    free(y);
    free(expected);
}

static void expect_operator_info(const lcl_operator *P,
                                 const struct lcl_kron *K,
                                 enum lcl_kron_type type)
{
    const struct lcl_operator_info *info = lcl_operator_info(P);
    assert_int_equal(info->kron, type);
    assert_int_equal(info->stages, K->stages);
    assert_int_equal(info->rows, lcl_kron_rows(K));
    assert_int_equal(info->cols, info->rows);
    assert_int_equal(info->block_size, K->M->block_size);
    assert_true(info->bytes > 0 && info->traffic > 0);
}

static void test_kron__operators_multiply(void **state)
{
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p)
        for (int t = 0; t < TEST_KRON_TYPES; ++t) {
            const struct lcl_operator_params params = {.kron =
                                                           test_kron_types[t]};
            struct test_kron T;
            lcl_operator *P;
            test_kron_init(&T, 3, 2, 60, (enum test_kron_patterns)p);
            assert_int_equal(
                lcl_operator_create_kron(&P, *state, &T.K, &params), LCL_OK);
            expect_operator_info(P, &T.K, test_kron_types[t]);
            expect_operator(P, &T.K);
            expect_columns(P, &T.K);
            test_kron_change(&T);
            assert_int_equal(lcl_operator_update_kron(P, &T.K), LCL_OK);
            expect_operator(P, &T.K);
            lcl_operator_destroy(&P);
            test_kron_finish(&T);
        }
}

static void test_kron__default_operators_take_one_pass(void **state)
{
    struct test_kron T;
    lcl_operator *P;
    test_kron_init(&T, 3, 2, 20, TEST_KRON_NEAR);
    assert_int_equal(lcl_operator_create_kron(&P, *state, &T.K, NULL), LCL_OK);
    expect_operator_info(P, &T.K, LCL_KRON_ONE_PASS);
    expect_operator(P, &T.K);
    lcl_operator_destroy(&P);
    test_kron_finish(&T);
}

// ------------------------------------------------------------------- solves

static void test_kron__solvers_solve_with_every_method(void **state)
{
    for (int m = 0; m < TEST_KRON_METHODS; ++m)
        for (int t = 0; t < TEST_KRON_TYPES; ++t) {
            struct test_kron T;
            test_kron_init(&T, 3, 2, 80, TEST_KRON_NEAR);
            lcl_precond *M = test_kron_precond(
                *state, &T.K, &test_kron_methods[m], test_kron_types[t]);
            test_kron_expect_solved(M, &T.K, LCL_SOLVER_BICGSTAB);
            test_kron_expect_solved(M, &T.K, LCL_SOLVER_IDR);
            test_kron_change(&T);
            assert_int_equal(test_precond_update_kron(M, &T.K), LCL_OK);
            test_kron_expect_solved(M, &T.K, LCL_SOLVER_BICGSTAB);
            test_precond_destroy(&M);
            test_kron_finish(&T);
        }
}

static void test_kron__every_partition_serves_all_stages(void **state)
{
    static const struct lcl_partition_params partitions[] = {
        {.type = LCL_PARTITION_DEFAULT, .rows = 20},
        {.type = LCL_PARTITION_METIS, .weights = LCL_WEIGHTS_ON, .rows = 20},
        {.type = LCL_PARTITION_GEOMETRIC, .box = {4, 2, 2}, .grid = {16, 2, 2}},
    };
    struct test_kron T;
    test_kron_init(&T, 3, 2, 60, TEST_KRON_NEAR);
    assert_int_equal(T.M.rows, 64);
    for (size_t k = 0; k < sizeof partitions / sizeof *partitions; ++k) {
        const struct lcl_precond_params params = {.partition = partitions[k]};
        lcl_precond *M =
            test_kron_precond(*state, &T.K, &params, LCL_KRON_ONE_PASS);
        const struct lcl_precond_info *info = lcl_precond_info(M);
        assert_int_equal(info->type, LCL_PRECOND_ILDU0);
        assert_true(info->factors.parts >= 12 && info->factors.parts % 3 == 0);
        assert_true(info->factors.part_rows_max <= 20);
        assert_true(info->factors.weighted || k != 1);
        test_kron_expect_solved(M, &T.K, LCL_SOLVER_BICGSTAB);
        test_precond_destroy(&M);
    }
    test_kron_finish(&T);
}

static void test_kron__ic0_takes_symmetric_stages(void **state)
{
    const double A[] = {2, 0.5, -0.5, 1}, B[] = {1, 0.25, 0.5, 2};
    const struct lcl_precond_params params = {.type = LCL_PRECOND_IC0,
                                              TEST_KRON_PARTS};
    struct lcl_csr p = test_laplacian(8, 8, 1), q = test_identity(64);
    const struct lcl_bsr M = lcl_bsr_of_csr(&q), L = lcl_bsr_of_csr(&p);
    const struct lcl_kron K = {2, A, B, 0.5, &M, &L};
    struct test_kron T;
    lcl_precond *P = test_kron_precond(*state, &K, &params, LCL_KRON_ONE_PASS);
    test_kron_expect_solved(P, &K, LCL_SOLVER_BICGSTAB);
    test_precond_destroy(&P);
    test_kron_init(&T, 2, 2, 20, TEST_KRON_EQUAL);
    assert_int_equal(
        test_precond_create_kron(&P, *state, &T.K, LCL_KRON_DEFAULT, &params),
        LCL_EUNSUPPORTED);
    assert_null(P);
    test_kron_finish(&T);
    test_csr_finish(&p);
    test_csr_finish(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__operators_multiply),
        cmocka_unit_test(test_kron__default_operators_take_one_pass),
        cmocka_unit_test(test_kron__solvers_solve_with_every_method),
        cmocka_unit_test(test_kron__every_partition_serves_all_stages),
        cmocka_unit_test(test_kron__ic0_takes_symmetric_stages),
    };
    return test_device_run(tests);
}
