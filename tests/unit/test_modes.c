// SPDX-License-Identifier: BSD-3-Clause
// Elasticity: the matrix, its coordinates and its rigid body modes.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_modes__elasticity_is_symmetric_to_the_bit(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("elasticity:5");
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            assert_true(A.val[k] == test_entry(&A, A.col_ind[k], i));
    lcl_csr_finish(&A);
}

// Rows that do not touch the clamped face x = 0 do not see it.
static void test_modes__rigid_motions_need_no_force(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("elasticity:4");
    struct lcl_dense X, B;
    assert_int_equal(lcl_problem_coordinates(&X, "elasticity:4", NULL), LCL_OK);
    assert_int_equal(lcl_rigid_body_modes(&B, &X, NULL), LCL_OK);
    assert_int_equal(X.cols, 3);
    assert_int_equal(B.cols, 6);
    assert_int_equal(B.rows, A.rows);
    double *force = calloc((size_t)A.rows, sizeof *force);
    for (int64_t c = 0; c < B.cols; ++c) {
        double clamped = 0;
        lcl_csr_multiply(&A, B.val + c * B.rows, force);
        for (int64_t i = 0; i < A.rows; ++i)
            if (X.val[i / 3] > 1)
                assert_true(fabs(force[i]) < 1e-14);
            else
                clamped = fmax(clamped, fabs(force[i]));
        assert_true(clamped > 1e-2);
    }
    free(force);
    lcl_dense_finish(&B);
    lcl_dense_finish(&X);
    lcl_csr_finish(&A);
}

// Cholesky's factors exist.
static void test_modes__the_clamped_cube_is_positive_definite(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("elasticity:2");
    const int64_t n = A.rows;
    double *L = calloc((size_t)(n * n), sizeof *L);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            double sum = test_entry(&A, i, j);
            for (int64_t k = 0; k < j; ++k)
                sum -= L[i * n + k] * L[j * n + k];
            assert_true(i != j || sum > 1e-3);
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    free(L);
    lcl_csr_finish(&A);
}

static void test_modes__plane_nodes_have_one_rotation(void **state)
{
    (void)state;
    double at[] = {0, 4, 0, 0}; // (0, 0) and (4, 0)
    const struct lcl_dense X = {2, 2, at};
    const double expected[] = {1, 0, 1, 0, 0, 1, 0, 1, 0, -1, 0, 1};
    struct lcl_dense B;
    assert_int_equal(lcl_rigid_body_modes(&B, &X, NULL), LCL_OK);
    assert_int_equal(B.rows, 4);
    assert_int_equal(B.cols, 3);
    for (int k = 0; k < 12; ++k)
        assert_true(B.val[k] == expected[k]);
    lcl_dense_finish(&B);
}

static void test_modes__wrong_coordinates_are_refused(void **state)
{
    (void)state;
    double one[3] = {0}, bad[4] = {0, 1, NAN, 2};
    double far[40] = {[0] = 1.7e308};
    const struct {
        struct lcl_dense X;
        enum lcl_status status;
        const char *message;
    } cases[] = {
        {{1, 1, one}, LCL_EINVAL, "expected one row of 2 or 3 for each node"},
        {{1, 4, bad}, LCL_EINVAL, "the coordinates are 1 x 4"},
        {{0, 3, one}, LCL_EINVAL, "the coordinates are 0 x 3"},
        {{2, 2, bad}, LCL_EINVAL, "coordinate 1 of node 0 is not finite"},
        {{20, 2, far}, LCL_EINVAL, "differences of the coordinates overflow"},
        {{715827883, 3, one}, LCL_ERANGE, "expected at most 2147483647"},
        {{1, 3, NULL}, LCL_EINVAL, "an argument is NULL"},
    };
    for (int i = 1; i < 20; ++i)
        far[i] = -1.7e308;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct test_capture capture;
        struct lcl_dense B = {7, 7, one};
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_rigid_body_modes(&B, &cases[i].X, &capture.log),
                         cases[i].status);
        assert_non_null(strstr(capture.last, cases[i].message));
    }
}

static void test_modes__only_elasticity_has_coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum lcl_status status;
    } cases[] = {{"lap3d:4", LCL_EINVAL},
                 {"elasticity:0", LCL_EINVAL},
                 {"elasticity:", LCL_EINVAL},
                 {"", LCL_EINVAL},
                 {"elasticity:99999999999999999999", LCL_ERANGE},
                 {"elasticity:900", LCL_ERANGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct test_capture capture;
        struct lcl_dense X = {7, 7, NULL};
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(
            lcl_problem_coordinates(&X, cases[i].name, &capture.log),
            cases[i].status);
        assert_non_null(strstr(capture.last, cases[i].name));
        assert_true(X.rows == 0 && !X.val);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes__elasticity_is_symmetric_to_the_bit),
        cmocka_unit_test(test_modes__rigid_motions_need_no_force),
        cmocka_unit_test(test_modes__the_clamped_cube_is_positive_definite),
        cmocka_unit_test(test_modes__plane_nodes_have_one_rotation),
        cmocka_unit_test(test_modes__wrong_coordinates_are_refused),
        cmocka_unit_test(test_modes__only_elasticity_has_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
