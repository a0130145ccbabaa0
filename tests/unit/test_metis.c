// SPDX-License-Identifier: BSD-3-Clause
// Partitions by METIS never exceed the limit, for any matrix.
#include "tests/support/matrices.h"
#include "tests/support/partitions.h"
#include "tests/support/test.h"

#include "host/alloc.h"
#include "lib/matrix/csr.h"
#include "lib/ref/drop.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

static struct lcl_subdomains partition(const struct lcl_csr *A, int64_t rows,
                                       enum lcl_weights weights)
{
    const struct lcl_partition_params params = {.type = LCL_PARTITION_METIS,
                                                .weights = weights};
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, A, &params, rows, NULL), LCL_OK);
    test_partition_valid(&P, A->rows, rows);
    return P;
}

static struct lcl_drop_info dropped(const struct lcl_csr *A,
                                    const struct lcl_subdomains *P)
{
    struct lcl_csr B;
    int64_t *map;
    assert_int_equal(lcl_csr_reorder(&B, &map, A, P->row, NULL), LCL_OK);
    const struct lcl_drop_info drop = lcl_ref_drop(P, &B);
    lcl_free(B.row_ptr);
    lcl_free(B.col_ind);
    lcl_free(B.val);
    lcl_free(map);
    return drop;
}

static void expect_valid_for_many_limits(struct lcl_csr A)
{
    static const int64_t limits[] = {1, 2, 3, 7, 15, 16, 17, 64, 500, 100000};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l)
        for (int weights = 0; weights < LCL_WEIGHTS_COUNT; ++weights) {
            struct lcl_subdomains P = partition(&A, limits[l], weights);
            if (A.rows <= limits[l])
                assert_int_equal(P.parts, 1);
            lcl_subdomains_finish(&P);
        }
    test_csr_finish(&A);
}

static void test_metis__grids_stay_within_the_limit(void **state)
{
    (void)state;
    expect_valid_for_many_limits(test_laplacian(13, 11, 9));
    expect_valid_for_many_limits(test_laplacian(40, 33, 1));
    expect_valid_for_many_limits(test_laplacian(700, 1, 1));
}

static void test_metis__random_matrices_stay_within_the_limit(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 6; ++seed)
        expect_valid_for_many_limits(test_random_csr(150 * seed, seed, seed));
}

static void test_metis__disconnected_graphs_stay_within_the_limit(void **state)
{
    (void)state;
    expect_valid_for_many_limits(test_identity(1));
    expect_valid_for_many_limits(test_identity(2));
    expect_valid_for_many_limits(test_identity(1000));
    expect_valid_for_many_limits(test_random_csr(1000, 0.3, 9));
}

static void test_metis__dense_rows_stay_within_the_limit(void **state)
{
    (void)state;
    expect_valid_for_many_limits(test_dense_row(1000, 0));
    expect_valid_for_many_limits(test_dense_row(1000, 567));
    expect_valid_for_many_limits(test_random_csr(120, 119, 1));
}

// METIS itself exceeds some of these limits.
static void test_metis__diagonals_stay_within_the_limit(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(1900);
    for (int64_t rows = 17; rows < 60; ++rows) {
        struct lcl_subdomains P = partition(&A, rows, LCL_WEIGHTS_AUTO);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

static void test_metis__empty_rows_are_covered(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(300, 1, 1);
    for (int i = 101; i <= 300; ++i)
        A.row_ptr[i] = A.row_ptr[100];
    A.nnz = A.row_ptr[100];
    expect_valid_for_many_limits(A);
}

static void test_metis__two_levels_cut_little_more_than_boxes(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(32, 32, 32);
    struct lcl_subdomains P = partition(&A, 64, LCL_WEIGHTS_AUTO);
    assert_true(P.parts > 256);
    assert_true(P.parts < 512 * 1.1);
    // Boxes of 4 x 4 x 4 drop 7 of the 31 planes of couplings in each
    // direction.
    assert_true(dropped(&A, &P).share < 1.3 * 7 / 31);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_metis__the_same_matrix_gives_the_same_partition(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(6000, 4, 2);
    struct lcl_subdomains P = partition(&A, 20, LCL_WEIGHTS_ON);
    srand(12345);
    struct lcl_subdomains Q = partition(&A, 20, LCL_WEIGHTS_ON);
    assert_int_equal(P.parts, Q.parts);
    assert_memory_equal(P.row, Q.row, 6000 * sizeof *P.row);
    lcl_subdomains_finish(&Q);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_metis__weights_keep_strong_couplings_inside(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(40, 40, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (llabs(A.col_ind[k] - i) == 40)
                A.val[k] = -0.01;
    struct lcl_subdomains on = partition(&A, 100, LCL_WEIGHTS_ON);
    struct lcl_subdomains off = partition(&A, 100, LCL_WEIGHTS_OFF);
    struct lcl_subdomains automatic = partition(&A, 100, LCL_WEIGHTS_AUTO);
    assert_true(on.weighted);
    assert_false(off.weighted);
    assert_true(automatic.weighted);
    assert_true(dropped(&A, &on).weight < 0.5 * dropped(&A, &off).weight);
    lcl_subdomains_finish(&automatic);
    lcl_subdomains_finish(&off);
    lcl_subdomains_finish(&on);
    test_csr_finish(&A);
}

// -------------------------------------------------------------------- failure

static bool fails;

int __real_METIS_PartGraphKway(idx_t *n, idx_t *constraints, idx_t *ptr,
                               idx_t *adj, idx_t *weights, idx_t *sizes,
                               idx_t *edges, idx_t *parts, real_t *shares,
                               real_t *imbalance, idx_t *options, idx_t *cut,
                               idx_t *label);
int __wrap_METIS_PartGraphKway(idx_t *n, idx_t *constraints, idx_t *ptr,
                               idx_t *adj, idx_t *weights, idx_t *sizes,
                               idx_t *edges, idx_t *parts, real_t *shares,
                               real_t *imbalance, idx_t *options, idx_t *cut,
                               idx_t *label);

int __wrap_METIS_PartGraphKway(idx_t *n, idx_t *constraints, idx_t *ptr,
                               idx_t *adj, idx_t *weights, idx_t *sizes,
                               idx_t *edges, idx_t *parts, real_t *shares,
                               real_t *imbalance, idx_t *options, idx_t *cut,
                               idx_t *label)
{
    return fails ? METIS_ERROR
                 : __real_METIS_PartGraphKway(n, constraints, ptr, adj, weights,
                                              sizes, edges, parts, shares,
                                              imbalance, options, cut, label);
}

static void test_metis__rows_are_cut_in_order_where_it_fails(void **state)
{
    (void)state;
    fails = true;
    expect_valid_for_many_limits(test_laplacian(13, 11, 9));
    expect_valid_for_many_limits(test_laplacian(20000, 1, 1)); // two levels
    fails = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metis__grids_stay_within_the_limit),
        cmocka_unit_test(test_metis__random_matrices_stay_within_the_limit),
        cmocka_unit_test(test_metis__disconnected_graphs_stay_within_the_limit),
        cmocka_unit_test(test_metis__dense_rows_stay_within_the_limit),
        cmocka_unit_test(test_metis__diagonals_stay_within_the_limit),
        cmocka_unit_test(test_metis__empty_rows_are_covered),
        cmocka_unit_test(test_metis__two_levels_cut_little_more_than_boxes),
        cmocka_unit_test(test_metis__the_same_matrix_gives_the_same_partition),
        cmocka_unit_test(test_metis__weights_keep_strong_couplings_inside),
        cmocka_unit_test(test_metis__rows_are_cut_in_order_where_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
