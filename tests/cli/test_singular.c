// SPDX-License-Identifier: BSD-3-Clause
// Systems without a solution are found, and no solvable ones.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"
#include "tools/clsolve/singular.h"

#include <math.h>
#include <stdlib.h>

// The entries of a row add up to `shift`.
static struct lcl_csr neumann(int64_t nx, int64_t ny, double shift)
{
    struct lcl_csr A = test_laplacian(nx, ny, 1);
    for (int64_t i = 0; i < A.rows; ++i) {
        int64_t diagonal = 0;
        double sum = 0;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                diagonal = k;
            else
                sum += A.val[k];
        A.val[diagonal] = shift - sum;
    }
    return A;
}

// Row i is multiplied by left^u, column j by right^u, u in [-1, 1) by i or j.
static void scale(struct lcl_csr *A, double left, double right)
{
    double *u = test_random_vector(A->rows, 17);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            A->val[k] *= pow(left, u[i]) * pow(right, u[A->col_ind[k]]);
    free(u);
}

// For a random b and x = 0; frees A.
static struct singularity find(struct lcl_csr A, double rtol)
{
    double *b = test_random_vector(A.rows, 3);
    double *x = calloc((size_t)A.rows, sizeof *x);
    struct singularity out;
    assert_non_null(x);
    singular_find(&out, &A, b, x, rtol);
    free(x);
    free(b);
    test_csr_finish(&A);
    return out;
}

static void test_singular__constants_are_named(void **state)
{
    const struct singularity out = find(neumann(23, 17, 0), 1e-8);
    (void)state;
    assert_true(out.found && out.constant);
    assert_true(out.share > 1e-3 && out.share < 1);
    assert_true(out.gradient < 1e-15);
}

static void test_singular__other_null_vectors_are_found(void **state)
{
    static const double left[] = {1, 2, 2}, right[] = {2, 2, 1};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct lcl_csr A = neumann(7, 6, 0);
        scale(&A, left[k], right[k]);
        const struct singularity out = find(A, 1e-8);
        assert_true(out.found && !out.constant);
        assert_true(out.share > 1e-3 && out.share < 1);
        assert_true(out.gradient < 1e-10);
    }
    const double dense[] = {1, 1, 0, 1, 2, 1, 0, 1, 1};
    const struct singularity out = find(test_csr_from_dense(3, dense), 1e-8);
    assert_true(out.found && !out.constant);
}

// Two Laplacians without couplings between them.
static const double two_parts[] = {1, -1, 0, 0,  -1, 1, 0,  0,
                                   0, 0,  2, -2, 0,  0, -2, 2};

// Constants on each of the parts.
static void test_singular__components_are_named(void **state)
{
    static const double b[] = {1, 2, -1, -2}, consistent[] = {1, -1, 2, -2};
    struct lcl_csr A = test_csr_from_dense(4, two_parts);
    struct singularity out;
    (void)state;
    singular_look(&out, &A, b, 1, 1e-8);
    assert_true(out.found && out.components == 2 && !out.constant);
    assert_true(fabs(out.share - sqrt(0.9)) < 1e-14);
    singular_look(&out, &A, consistent, 1, 1e-8);
    assert_false(out.found);
    A.val[7] = 3; // one of them is regular
    singular_look(&out, &A, b, 1, 1e-8);
    assert_true(out.found && out.components == 1);
    assert_true(fabs(out.share - sqrt(0.45)) < 1e-14);
    test_csr_finish(&A);
    A = neumann(9, 8, 0);
    double *random = test_random_vector(A.rows, 3);
    singular_look(&out, &A, random, 1, 1e-8);
    assert_true(out.found && out.constant && out.components == 0);
    free(random);
    test_csr_finish(&A);
}

static void test_singular__all_columns_need_to_be(void **state)
{
    // two without a solution, one with it
    static const double b[] = {1, 2, -1, -2, 1, 1, 0, 0, 1, -1, 2, -2};
    struct lcl_csr A = test_csr_from_dense(4, two_parts);
    struct singularity out;
    (void)state;
    singular_look(&out, &A, b, 2, 1e-8);
    assert_true(out.found && out.components == 2);
    assert_true(fabs(out.share - 1) < 1e-14);
    singular_look(&out, &A, b, 3, 1e-8);
    assert_true(!out.found && out.share == 0);
    singular_look(&out, &A, b + 4, 2, 1e-8);
    assert_false(out.found);
    test_csr_finish(&A);
}

// Constants are A x for some x, or too small a part of b.
static void test_singular__consistent_systems_are_not(void **state)
{
    struct lcl_csr A = neumann(23, 17, 0);
    double *x = test_random_vector(A.rows, 5);
    double *b = calloc((size_t)A.rows, sizeof *b);
    struct singularity out;
    (void)state;
    assert_non_null(b);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            b[i] += A.val[k] * x[A.col_ind[k]];
    singular_find(&out, &A, b, x, 1e-8);
    assert_false(out.found);
    for (int64_t i = 0; i < A.rows; ++i)
        x[i] = 0;
    singular_find(&out, &A, b, x, 1e-8);
    assert_false(out.found);
    b[0] += 1;
    singular_find(&out, &A, b, x, 1e-8);
    assert_true(out.found);
    singular_find(&out, &A, b, x, 0.1);
    assert_false(out.found);
    free(b);
    free(x);
    test_csr_finish(&A);
}

static void test_singular__regular_matrices_are_not(void **state)
{
    static const double tolerances[] = {1e-4, 1e-8, 1e-17, 0};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const double rtol = tolerances[k];
        struct lcl_csr rows = test_random_csr(300, 5, 7),
                       columns = test_random_csr(300, 5, 8),
                       both = neumann(20, 20, 1e-3);
        scale(&rows, 1e6, 1);
        scale(&columns, 1, 1e6);
        scale(&both, 1e4, 1e4);
        assert_false(find(rows, rtol).found);
        assert_false(find(columns, rtol).found);
        assert_false(find(both, rtol).found);
        assert_false(find(test_laplacian(90, 80, 1), rtol).found);
        assert_false(find(neumann(23, 17, 1e-8), rtol).found);
        assert_false(find(test_random_csr(500, 5, 6), rtol).found);
        assert_false(find(test_identity(1), rtol).found);
        assert_false(find(test_identity(100), rtol).found);
    }
}

// CGLS solves small systems and goes on until the residual underflows.
static void test_singular__small_regular_matrices_are_not(void **state)
{
    const double kershaw[] = {3, -2, 0, 2,  -2, 3, -2, 0,
                              0, -2, 3, -2, 2,  0, -2, 3};
    (void)state;
    assert_false(find(test_csr_from_dense(4, kershaw), 1e-8).found);
    for (int64_t n = 1; n < 30; ++n)
        for (unsigned seed = 0; seed < 20; ++seed) {
            struct lcl_csr scaled = test_random_csr(n, 2, seed);
            scale(&scaled, 100, 0.01);
            assert_false(find(scaled, 1e-8).found);
            assert_false(find(test_random_csr(n, 2, seed), 1e-8).found);
        }
    for (int64_t n = 2; n < 8; ++n)
        assert_false(find(test_laplacian(n, n, 1), 1e-8).found);
}

static void test_singular__overflow_finds_nothing(void **state)
{
    struct lcl_csr A = test_random_csr(50, 5, 2);
    (void)state;
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1e300;
    assert_false(find(A, 1e-8).found);
    A = test_random_csr(50, 5, 2);
    A.val[3] = INFINITY;
    assert_false(find(A, 1e-8).found);
    A = test_random_csr(50, 5, 2);
    A.val[3] = NAN;
    assert_false(find(A, 1e-8).found);
}

// Units do not make a matrix singular; of 5e-309 x = 1 they leave no solution.
static void test_singular__tiny_entries_are_no_zeros(void **state)
{
    (void)state;
    struct lcl_csr A = neumann(5, 4, 1);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1e-300;
    const struct singularity units = find(A, 1e-8);
    assert_false(units.found || units.overflows);
    A = test_laplacian(1, 1, 1);
    A.val[0] = 5e-309;
    const double one = 1, zero = 0;
    struct singularity out;
    singular_find(&out, &A, &one, &zero, 1e-8);
    assert_true(out.overflows && !out.found);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular__constants_are_named),
        cmocka_unit_test(test_singular__other_null_vectors_are_found),
        cmocka_unit_test(test_singular__components_are_named),
        cmocka_unit_test(test_singular__all_columns_need_to_be),
        cmocka_unit_test(test_singular__consistent_systems_are_not),
        cmocka_unit_test(test_singular__regular_matrices_are_not),
        cmocka_unit_test(test_singular__small_regular_matrices_are_not),
        cmocka_unit_test(test_singular__overflow_finds_nothing),
        cmocka_unit_test(test_singular__tiny_entries_are_no_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
