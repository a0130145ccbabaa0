// SPDX-License-Identifier: BSD-3-Clause
// What Kronecker systems are refused for.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------- arguments

static void test_kron__null_is_misuse(void **state)
{
    struct test_kron T;
    lcl_operator *P = NULL;
    test_kron_init(&T, 2, 2, 5, TEST_KRON_EQUAL);
    assert_misuse(lcl_operator_create_kron(NULL, *state, &T.K, NULL));
    assert_misuse(lcl_operator_create_kron(&P, NULL, &T.K, NULL));
    assert_misuse(lcl_operator_create_kron(&P, *state, NULL, NULL));
    assert_misuse(lcl_operator_update_kron(NULL, &T.K));
    T.K.A = NULL;
    assert_misuse(lcl_operator_create_kron(&P, *state, &T.K, NULL));
    assert_null(P);
    test_kron_finish(&T);
}

static void expect_refused(lcl_context *ctx, const struct lcl_kron *K,
                           enum lcl_status status)
{
    lcl_operator *P;
    assert_int_equal(lcl_operator_create_kron(&P, ctx, K, NULL), status);
    assert_null(P);
}

static void test_kron__unsound_systems_are_refused(void **state)
{
    struct test_kron T, other;
    test_kron_init(&T, 16, 2, 6, TEST_KRON_CHAIN);
    test_kron_init(&other, 16, 1, 6, TEST_KRON_CHAIN);
    struct lcl_kron K = T.K;
    K.stages = 0;
    expect_refused(*state, &K, LCL_EFORMAT);
    K.stages = 17;
    expect_refused(*state, &K, LCL_EFORMAT);
    K = T.K;
    K.L = &other.L;
    expect_refused(*state, &K, LCL_EFORMAT);
    K = T.K;
    K.tau = NAN;
    expect_refused(*state, &K, LCL_EFORMAT);
    T.A[1] = INFINITY;
    expect_refused(*state, &T.K, LCL_EFORMAT);
    T.A[1] = 0;
    T.M.cols = 7;
    expect_refused(*state, &T.K, LCL_EFORMAT);
    T.M.cols = 6;
    T.L.val[0] = NAN;
    expect_refused(*state, &T.K, LCL_EFORMAT);
    test_kron_finish(&other);
    test_kron_finish(&T);
}

static void test_kron__too_many_rows_are_refused(void **state)
{
    enum { ROWS = 1 << 24 };
    const double one[256] = {1};
    int64_t *row_ptr = calloc(ROWS + 1, sizeof *row_ptr);
    int32_t no_column = 0;
    double no_value = 0;
    assert_non_null(row_ptr);
    const struct lcl_bsr T = {ROWS, ROWS, 0, 8, row_ptr, &no_column, &no_value};
    const struct lcl_kron K = {16, one, one, 1, &T, &T};
    expect_refused(*state, &K, LCL_ERANGE);
    free(row_ptr);
}

static void test_kron__methods_that_are_not_there_are_refused(void **state)
{
    static const struct lcl_precond_params wrong[] = {
        {.type = LCL_PRECOND_JACOBI},
        {.type = LCL_PRECOND_BLOCK_JACOBI, .storage = LCL_FACTOR_STORAGE_BF16},
        {.type = LCL_PRECOND_BLOCK_JACOBI,
         .storage = LCL_FACTOR_STORAGE_ADAPTIVE},
        {.type = LCL_PRECOND_ILDU0, .storage = LCL_FACTOR_STORAGE_ADAPTIVE},
    };
    struct test_kron T;
    lcl_precond *M;
    test_kron_init(&T, 3, 2, 9, TEST_KRON_EQUAL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(test_precond_create_kron(&M, *state, &T.K,
                                                  LCL_KRON_DEFAULT, &wrong[i]),
                         LCL_EUNSUPPORTED);
        assert_null(M);
    }
    test_kron_finish(&T);
    test_kron_init(&T, 11, 3, 9, TEST_KRON_EQUAL);
    assert_int_equal(test_precond_create_kron(&M, *state, &T.K,
                                              LCL_KRON_DEFAULT,
                                              &test_kron_methods[1]),
                     LCL_EUNSUPPORTED);
    test_kron_finish(&T);
}

static void test_kron__wrong_parameters_are_refused(void **state)
{
    static const int32_t labels[] = {0, 0, 1, 2, 3, 3, 3, 3};
    const struct lcl_partition_params labelled = {.type = LCL_PARTITION_LABELS,
                                                  .labels = labels};
    struct lcl_precond_params params = {.partition = labelled};
    struct test_kron T;
    lcl_precond *M;
    lcl_operator *P;
    test_kron_init(&T, 2, 2, 4, TEST_KRON_CHAIN);
    for (int count = 0; count < 9; ++count) {
        params.partition.labels_count = count;
        if (count != 4) // 8: rows 3 and 4 are of one block
            assert_int_equal(test_precond_create_kron(
                                 &M, *state, &T.K, LCL_KRON_DEFAULT, &params),
                             LCL_EINVAL);
    }
    const struct lcl_operator_params wrong = {.kron = LCL_KRON_COUNT};
    assert_misuse(lcl_operator_create_kron(&P, *state, &T.K, &wrong));
    params = (struct lcl_precond_params){.pivot_tol = -1};
    assert_int_equal(
        test_precond_create_kron(&M, *state, &T.K, LCL_KRON_DEFAULT, &params),
        LCL_EINVAL);
    test_kron_finish(&T);
}

static void test_kron__other_patterns_are_refused_in_updates(void **state)
{
    struct test_kron T, other;
    lcl_operator *P;
    test_kron_init(&T, 3, 2, 8, TEST_KRON_CHAIN);
    test_kron_init(&other, 3, 2, 8, TEST_KRON_FAR);
    assert_int_equal(lcl_operator_create_kron(&P, *state, &T.K, NULL), LCL_OK);
    assert_int_equal(lcl_operator_update_kron(P, &other.K), LCL_EFORMAT);
    T.K.stages = 1;
    assert_int_equal(lcl_operator_update_kron(P, &T.K), LCL_EFORMAT);
    T.K.stages = 3;
    T.K.tau = NAN;
    assert_int_equal(lcl_operator_update_kron(P, &T.K), LCL_EFORMAT);
    T.K.tau = 1;
    assert_misuse(lcl_operator_update_kron(P, NULL));
    assert_misuse(lcl_operator_update(P, T.M.val));
    lcl_operator_destroy(&P);
    test_kron_finish(&other);
    test_kron_finish(&T);
}

static void test_kron__matrices_are_not_updated_with_systems(void **state)
{
    struct lcl_csr A = test_identity(10);
    struct test_kron T;
    lcl_operator *P;
    test_kron_init(&T, 2, 2, 8, TEST_KRON_CHAIN);
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_OK);
    assert_misuse(lcl_operator_update_kron(P, &T.K));
    lcl_operator_destroy(&P);
    test_kron_finish(&T);
    test_csr_finish(&A);
}

static void test_kron__conjugate_gradients_are_refused(void **state)
{
    for (int m = 0; m < TEST_KRON_METHODS; ++m) {
        const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
        struct test_kron T;
        lcl_solver *S = NULL;
        test_kron_init(&T, 3, 2, 8, TEST_KRON_CHAIN);
        lcl_precond *M = test_kron_precond(*state, &T.K, &test_kron_methods[m],
                                           LCL_KRON_ONE_PASS);
        double *b = test_random_vector(48, 1), *x = test_vector(48);
        enum lcl_status st = test_solver_create(&S, M, &cg);
        if (st == LCL_OK)
            st = lcl_solver_solve(S, b, x, NULL);
        assert_int_equal(st, LCL_EUNSUPPORTED);
        lcl_solver_destroy(&S);
        test_precond_destroy(&M);
        test_kron_finish(&T);
        free(b);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__null_is_misuse),
        cmocka_unit_test(test_kron__unsound_systems_are_refused),
        cmocka_unit_test(test_kron__too_many_rows_are_refused),
        cmocka_unit_test(test_kron__methods_that_are_not_there_are_refused),
        cmocka_unit_test(test_kron__wrong_parameters_are_refused),
        cmocka_unit_test(test_kron__other_patterns_are_refused_in_updates),
        cmocka_unit_test(test_kron__matrices_are_not_updated_with_systems),
        cmocka_unit_test(test_kron__conjugate_gradients_are_refused),
    };
    return test_device_run(tests);
}
