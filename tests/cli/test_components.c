// SPDX-License-Identifier: BSD-3-Clause
// Connected components of matrices, and which of them are singular.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"
#include "tools/clsolve/components.h"

#include <math.h>
#include <stdlib.h>

// Laplacians of paths of these lengths, one after the other; row i is row
// order[i] of the matrix. `shift` is added to the diagonal of the row `at`.
static struct lcl_csr paths(const int *length, int count, int stride, int at,
                            double shift)
{
    int n = 0;
    for (int p = 0; p < count; ++p)
        n += length[p];
    double *dense = test_vector((int64_t)n * n);
    for (int p = 0, first = 0; p < count; first += length[p++])
        for (int i = 0; i + 1 < length[p]; ++i) {
            const int a = (first + i) * stride % n;
            const int b = (first + i + 1) * stride % n;
            dense[a * n + b] = dense[b * n + a] = -1;
            ++dense[a * n + a];
            ++dense[b * n + b];
        }
    if (at >= 0)
        dense[at * n + at] += shift;
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

static void expect(struct lcl_csr A, int64_t count, int64_t singular)
{
    struct components C;
    assert_true(components_find(&C, &A));
    assert_int_equal(C.count, count);
    assert_int_equal(C.singular, singular);
    components_finish(&C);
    test_csr_finish(&A);
}

static void test_components__paths_are_counted(void **state)
{
    static const int length[] = {5, 7, 1, 4};
    (void)state;
    for (int stride = 1; stride < 17; stride += 3) {
        expect(paths(length, 4, stride, -1, 0), 4, 4);
        expect(paths(length, 2, 1, 0, 1), 2, 1);
        expect(paths(length, 1, 1, -1, 0), 1, 1);
        expect(paths(length, 1, 1, 4, 1e-9), 1, 0);
    }
}

static void test_components__others_are_regular(void **state)
{
    (void)state;
    expect(test_laplacian(6, 5, 1), 1, 0);
    expect(test_identity(7), 7, 0);
    const double rows[] = {1, -1, 0, 2, -2, 0, 0, 0, 3}; // not the columns
    expect(test_csr_from_dense(3, rows), 2, 0);
    const double columns[] = {1, 2, 0, -1, -2, 0, 0, 0, 3};
    expect(test_csr_from_dense(3, columns), 2, 0);
    const double one_way[] = {0, 1, 0, 0}; // an entry is an edge
    expect(test_csr_from_dense(2, one_way), 1, 0);
}

// Each component has a unit of its own.
static void test_components__small_sums_count_in_their_unit(void **state)
{
    const double small[] = {1, -1, 0,      0, -1, 1, 0, 0,
                            0, 0,  1e-200, 0, 0,  0, 0, 1e-200};
    (void)state;
    expect(test_csr_from_dense(4, small), 3, 1);
    const double rounding[] = {1, -1 + 1e-15, -1 + 1e-15, 1};
    expect(test_csr_from_dense(2, rounding), 1, 1);
}

static void test_components__numbers_that_are_not_finite(void **state)
{
    (void)state;
    static const int length[] = {4, 4};
    const double wrong[] = {INFINITY, NAN};
    for (int k = 0; k < 2; ++k) {
        struct lcl_csr A = paths(length, 2, 1, -1, 0);
        A.val[0] = wrong[k];
        expect(A, 2, 1);
    }
}

static void test_components__indicators_are_null_vectors(void **state)
{
    static const int length[] = {5, 7, 4};
    struct lcl_csr A = paths(length, 3, 5, 0, 1);
    struct components C;
    (void)state;
    assert_true(components_find(&C, &A));
    assert_int_equal(C.singular, 2);
    double *v = components_indicators(&C, A.rows);
    double *y = calloc((size_t)A.rows, sizeof *y);
    assert_non_null(v);
    assert_non_null(y);
    int ones = 0;
    for (int k = 0; k < 2; ++k) {
        lcl_csr_multiply(&A, v + k * A.rows, y);
        for (int64_t i = 0; i < A.rows; ++i) {
            assert_true(y[i] == 0);
            ones += v[k * A.rows + i] == 1;
        }
    }
    assert_true(ones == 5 + 7 || ones == 5 + 4 || ones == 7 + 4);
    free(y);
    free(v);
    components_finish(&C);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components__paths_are_counted),
        cmocka_unit_test(test_components__others_are_regular),
        cmocka_unit_test(test_components__small_sums_count_in_their_unit),
        cmocka_unit_test(test_components__numbers_that_are_not_finite),
        cmocka_unit_test(test_components__indicators_are_null_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
